// Processes that share a step out, as threads of one: the same bits for any number of them.
#include <doctest/doctest.h>

#include "models/transformer.h"
#include "tensor/kernels.h"
#include "tests/support.h"
#include "tests/train/thread_transport.h"
#include "train/train_step.h"

namespace kette {
namespace {

using testing::contains;
using testing::in_threads;

TransformerConfig small_model() {
  TransformerConfig config;
  config.encoder_layers = config.decoder_layers = 1;
  config.width = 32;
  config.hidden = 64;
  config.heads = 2;
  config.vocabulary = 300;
  config.dropout = 0.1;
  return config;
}

std::vector<Batch> some_batches(std::int64_t count) {
  std::vector<Batch> batches;
  Random random(5);
  for (std::int64_t i = 0; i < count; ++i) {
    TokenLists source, target;
    std::vector<std::int64_t> all;
    for (std::int64_t sentence = 0; sentence < 2; ++sentence) {
      std::vector<std::int32_t> ids;
      for (std::int64_t j = 0; j < 3 + random.below(5); ++j) {
        ids.push_back(static_cast<std::int32_t>(4 + random.below(290)));
      }
      source.add(ids);
      target.add(ids);
      all.push_back(sentence);
    }
    batches.push_back(make_batch(PairLists(source, target), all, SpecialTokens{}));
  }
  return batches;
}

struct Outcome {
  std::vector<double> values, losses, norms;
  std::vector<std::vector<double>> state;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

struct Recipe {
  std::int64_t leaves = 8;
  DType dtype = DType::f32;
  StepOptions options{.lr = 1e-3, .clip_norm = 0.5};
  std::int64_t chunk = 3 * kSquaresBlock;
  int steps = 3;
  OptimizerKind optimizer = OptimizerKind::adam;
};

/// Of the first process; all have the same.
Outcome trained(int processes, const Recipe& recipe, std::uint64_t seed = 1, int a_host = 0) {
  const std::vector<Batch> batches = some_batches(recipe.leaves);
  Outcome outcome;
  std::mutex mutex;
  in_threads(
      processes,
      [&](Communicator& communicator) {
        Transformer model(small_model());
        model.materialize(1, recipe.dtype);
        ParamStore& store = model.parameters();
        const Shards shards(store.values().elements(), communicator.process(), processes,
                            recipe.chunk);
        OptimizerOptions settings = OptimizerOptions::of(recipe.optimizer);
        settings.weight_decay = 0.1;
        const auto optimizer = make_optimizer(store, settings, shards);
        TrainSteps steps(model, *optimizer, communicator);
        StepBatches of_step;
        for (const Batch& batch : batches) of_step.tokens.push_back(tokens_of(batch));
        of_step.make = [&](std::int64_t i) { return batches[static_cast<std::size_t>(i)]; };
        Outcome mine;
        for (int step = 0; step < recipe.steps; ++step) {
          const StepResult result = steps.start(of_step, recipe.options)->finish();
          mine.losses.push_back(result.loss);
          mine.norms.push_back(result.gradient_norm);
        }
        mine.values = store.values().values<double>();
        for (const Optimizer::State& one : optimizer->state()) {
          const Tensor whole = Tensor::zeros({store.values().elements()}, store.values().dtype());
          shards.for_pieces([&](const Interval& piece, const Interval& place) {
            whole.slice(piece.begin, piece.end).copy_from(one.values.slice(place.begin, place.end));
          });
          communicator.gather(whole, shards);
          mine.state.push_back(whole.values<double>());
        }
        const std::lock_guard lock(mutex);
        if (outcome.values.empty()) outcome = mine;
        CHECK(outcome == mine);
      },
      seed, {}, a_host);
  return outcome;
}

TEST_CASE("many processes: a step has the same bits for any number of them") {
  Recipe recipe;
  SUBCASE("f32") {}
  SUBCASE("bf16") { recipe.dtype = DType::bf16; }
  SUBCASE("f64, without clipping") {
    recipe.dtype = DType::f64;
    recipe.options.clip_norm = 0;
  }
  SUBCASE("lion") { recipe.optimizer = OptimizerKind::lion; }
  SUBCASE("lion, in bf16") {
    recipe.optimizer = OptimizerKind::lion;
    recipe.dtype = DType::bf16;
  }
  SUBCASE("SimCut") { recipe.options.consistency.kind = ConsistencyKind::simcut; }
  SUBCASE("25 leaves") {
    recipe.leaves = 25;
    recipe.steps = 2;
  }
  SUBCASE("7 leaves, a chunk of all") {
    recipe.leaves = 7;
    recipe.chunk = 1 << 30;
  }
  const Outcome alone = trained(1, recipe);
  CHECK(alone.losses.back() < alone.losses.front());
  for (const int processes : {2, 3, 4, 5, 7}) {
    CAPTURE(processes);
    const Outcome many = trained(processes, recipe);
    CHECK(many.losses == alone.losses);
    CHECK(many.norms == alone.norms);
    CHECK(many.values == alone.values);
    CHECK(many.state == alone.state);
  }
}

TEST_CASE("many processes: neither chunks nor the order of arrival change a bit") {
  const Recipe recipe{.leaves = 6, .steps = 2};
  const Outcome alone = trained(1, recipe);
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Recipe other = recipe;
    other.chunk = static_cast<std::int64_t>(seed % 5 + 1) * kSquaresBlock;
    CAPTURE(seed);
    CHECK(trained(3, other, seed) == alone);
  }
}

TEST_CASE("many processes: on several hosts, which add up first what they have") {
  const Recipe recipe{.leaves = 13, .steps = 2};
  const Outcome alone = trained(1, recipe);
  struct Hosts {
    int processes, each;
  };
  for (const Hosts& hosts : {Hosts{4, 2}, {6, 2}, {6, 3}, {8, 4}, {7, 3}, {3, 1}}) {
    CAPTURE(hosts.processes);
    CAPTURE(hosts.each);
    CHECK(trained(hosts.processes, recipe, 1, hosts.each) == alone);
    CHECK(trained(hosts.processes, recipe, 2, hosts.each) == alone);
  }
}

TEST_CASE("many processes: what each says, all hear; what fails in one, fails in all") {
  in_threads(4, [](Communicator& communicator) {
    const int me = communicator.process();
    CHECK(communicator.all(me * me) == std::vector<int>{0, 1, 4, 9});
    CHECK(communicator.all(std::string(static_cast<std::size_t>(me), 'x')) ==
          std::vector<std::string>{"", "x", "xx", "xxx"});
    CHECK(communicator.of_first(me + 7) == 7);
    int calls = 0;
    communicator.once("counting", [&] { ++calls; });
    CHECK(calls == (me == 0 ? 1 : 0));
    try {
      communicator.agree([&] {
        if (me >= 2) fail("disk: expected room, given none");
      });
      FAIL("expected an error");
    } catch (const SharedError& error) {
      CHECK(std::string(error.what()).find("process 2 on host") == 0);
      CHECK(contains(std::string(error.what()), "disk: expected room, given none"));
      CHECK(error.is_mine == (me == 2));
    }
    const auto numbers = [&](const std::vector<std::int64_t>& costs) {
      return communicator.share_out("counting", costs, [&](const Interval& mine) {
        std::vector<std::string> texts;
        for (std::int64_t i = mine.begin; i < mine.end; ++i) {
          texts.push_back(std::string(static_cast<std::size_t>(i), '\0') + std::to_string(me));
        }
        return texts;
      });
    };
    using namespace std::string_literals;
    CHECK(numbers({1, 1, 1, 1}) == std::vector{"0"s, "\0001"s, "\000\0002"s, "\000\000\0003"s});
    CHECK(numbers({3, 1, 1, 1}) == std::vector{"1"s, "\0002"s, "\000\0003"s, "\000\000\0003"s});
    CHECK(numbers({}).empty());
    const Tensor flat = Tensor::zeros({10}, DType::f64);
    const Interval mine = share_of(me, 4, 10);
    for (std::int64_t i = mine.begin; i < mine.end; ++i) flat.data<double>()[i] = me + 1;
    communicator.gather(flat, [](int process) { return share_of(process, 4, 10); });
    CHECK(flat.values<double>() == std::vector<double>{1, 1, 2, 2, 2, 3, 3, 4, 4, 4});
  });
}

TEST_CASE("many processes: one that is not heard of ends all") {
  std::atomic<bool> is_over = false;
  const auto code = [&] {
    try {
      in_threads(
          3,
          [&](Communicator& communicator) {
            communicator.doing("step 5");
            if (communicator.process() == 1) {
              while (!is_over) std::this_thread::yield();
              return;
            }
            try {
              communicator.all(1);
            } catch (const testing::Abandoned&) {
              is_over = true;
              throw;
            }
          },
          1, Communicator::Seconds(0.2));
    } catch (const testing::Abandoned& abandoned) {
      return abandoned.code;
    }
    return 0;
  };
  CHECK(code() == Communicator::kLostCode);
}

TEST_CASE("many processes: a wait for one's own GPU is none for others") {
  class Group final : public Transport::Group {
   public:
    bool arrived() override { return ++polls_ > 500; }
    bool is_ready() const override { return false; }
    std::vector<int> missing() const override { return {1}; }

   private:
    int polls_ = 0;
  };
  in_threads(2, [](Communicator& communicator) {
    const double before = communicator.seconds_waited();
    Group group;
    communicator.wait(group);
    CHECK(communicator.seconds_waited() == before);
  });
}

TEST_CASE("many processes: who says that it takes long is waited for") {
  in_threads(
      2,
      [&](Communicator& communicator) {
        if (communicator.process() == 1) {
          const Communicator::Phase phase(communicator, "reading");
          std::this_thread::sleep_for(std::chrono::milliseconds(400));
        }
        CHECK(communicator.all(communicator.process()) == std::vector<int>{0, 1});
        CHECK((communicator.process() == 1 || communicator.seconds_waited() > 0.3));
      },
      1, Communicator::Seconds(0.1));
}

}  // namespace
}  // namespace kette
