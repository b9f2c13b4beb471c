// Pruned models: what they compute is what the whole model computes with gates at 0, wherever it is asked.
#include <doctest/doctest.h>

#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "decode/decoder_state.h"
#include "inspect/heads/head_ablation.h"
#include "inspect/heads/head_gates.h"
#include "inspect/heads/head_pruning.h"
#include "models/model_directory.h"
#include "tests/cli/call_kette.h"
#include "tests/cli/run_bash.h"
#include "tests/data/tiny_text.h"
#include "tests/decode/letters_tokenizer.h"
#include "tests/devices.h"
#include "tests/inspect/inspected_models.h"

using namespace kette;
using namespace kette::testing;

namespace {

/// One head of each attention that has others.
std::vector<Head> some_heads(const std::vector<AttentionPart>& attentions) {
  std::vector<Head> heads;
  for (const Head& head : heads_of(attentions)) {
    if (head.head == (head.attention % 2) && attentions[head.attention].heads > 1) {
      heads.push_back(head);
    }
  }
  return heads;
}

/// The same model on another device.
std::unique_ptr<AutoregressiveModel> moved_model(const AutoregressiveModel& model, Device device) {
  std::unique_ptr<AutoregressiveModel> copy(
      dynamic_cast<AutoregressiveModel*>(model.config().make_model().release()));
  copy->allocate(DType::f32, device, Gradients::none);
  copy->parameters().values().copy_from(model.parameters().values());
  return copy;
}

/// The decoder's last states, token by token.
std::vector<float> states_of(const AutoregressiveModel& model, Tap* tap) {
  DecoderState state(model, tap);
  state.add({{model.has_encoder() ? std::span(kRead) : std::span<const std::int32_t>(), {}}});
  std::vector<float> states;
  for (const std::int32_t token : kWritten) {
    const auto row = state.step({token}).values<float>();
    states.insert(states.end(), row.begin(), row.end());
  }
  return states;
}

/// Whose heads have keys of their own and no slopes.
bool can_be_pruned(const AutoregressiveModel& model) {
  const auto config = model.config().clone();
  config->heads_left.assign(static_cast<std::size_t>(config->attentions()), 1);
  try {
    config->check();
  } catch (const Error&) {
    return false;
  }
  return true;
}

}  // namespace

TEST_CASE("pruning: the smaller model has the logits of the whole one with gates at 0") {
  for (const auto& model : inspected_models(DType::f64)) {
    if (!can_be_pruned(*model)) continue;
    CAPTURE(headline(model->config()));
    const auto attentions = attentions_of(*model);
    const std::vector<Head> heads = some_heads(attentions);
    HeadGates gates = gates_without(attentions, heads);
    const auto smaller = without_heads(*model, heads);
    CHECK(smaller->parameters().elements() < model->parameters().elements());
    CHECK(count_parameters(smaller->config()) == smaller->parameters().elements());
    const auto logits = [](const AutoregressiveModel& of, Tap* tap) {
      Run run(tap);
      return of.logits(one_sentence(of, kRead, kWritten), run).value().values<double>();
    };
    const auto expected = logits(*model, &gates), whole = logits(*model, nullptr),
               found = logits(*smaller, nullptr);
    double changed = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      REQUIRE(std::abs(found[i] - expected[i]) < 1e-12);
      changed = std::max(changed, std::abs(whole[i] - expected[i]));
    }
    CHECK(changed > 1e-6);
  }
}

TEST_CASE("pruning: the smaller model decodes what the whole one does with gates at 0") {
  const OneThread one;
  for (const auto& model : inspected_models()) {
    if (!can_be_pruned(*model)) continue;
    CAPTURE(headline(model->config()));
    const auto attentions = attentions_of(*model);
    const std::vector<Head> heads = some_heads(attentions);
    for (const Device device : test_devices()) {
      CAPTURE(device.str());
      const auto there = moved_model(*model, device);
      const auto smaller = without_heads(*there, heads);
      for (const DType weights : {DType::f32, DType::bf16}) {
        HeadGates gates = gates_without(attentions, heads);
        const auto expected = states_of(*there->for_decoding(weights), &gates),
                   found = states_of(*smaller->for_decoding(weights), nullptr);
        REQUIRE(found.size() == expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
          REQUIRE(std::abs(found[i] - expected[i]) < 1e-4);
        }
      }
    }
  }
}

TEST_CASE("pruning: the least important heads go first, and each attention keeps one") {
  const std::vector<AttentionPart> attentions = {
      {AttentionKind::decoder, 0, 3, 4, "a", nullptr, nullptr},
      {AttentionKind::decoder, 1, 2, 4, "b", nullptr, nullptr}};
  const std::vector<HeadImportance> importance = {{9, 0.1}, {1, 0.3}, {5, 0.2}, {7, 0.6}, {2, 0.9}};
  const auto chosen = [&](std::int64_t count) {
    std::vector<std::pair<std::int64_t, std::int64_t>> heads;
    for (const Head& head : least_important(attentions, importance, count)) {
      heads.emplace_back(head.attention, head.head);
    }
    return heads;
  };
  using Heads = std::vector<std::pair<std::int64_t, std::int64_t>>;
  CHECK(chosen(0) == Heads{});
  CHECK(chosen(2) == Heads{{0, 1}, {1, 1}});
  CHECK(chosen(3) == Heads{{0, 1}, {1, 1}, {0, 2}});
  CHECK_THROWS_WITH(
      chosen(4),
      "prune: expected at most 3 heads, so that each of 2 attentions keeps one, given 4");
}

TEST_CASE("pruning: files of pruned models are read again, and pruned again") {
  const ScratchFolder folder;
  const SmallModel& small = SmallModel::get();
  const std::string once = (folder / "once").string(), twice = (folder / "twice").string();
  const auto pruned = [&](const std::string& model, const std::string& to) {
    return call_kette({"heads", "--model", model, "--src", small.file("valid.en"), "--tgt",
                       small.file("valid.de"), "--samples", "20", "--prune", "1", "--save", to,
                       "--threads", "1", "--json"});
  };
  const Outcome first = pruned(small.model(), once);
  INFO(first.err);
  REQUIRE(first.code == 0);
  const JsonView json = first.json()["pruned"];
  CHECK(json["heads"] == 1);
  CHECK(json["parameters"] < json["parameters_whole"]);
  CHECK(json["metric"].get<double>() ==
        doctest::Approx(first.json()["whole"].get<double>() + json["change"].get<double>()));
  CHECK(contains(first.out, "heads pruned 1, BLEU"));
  CHECK(pruned(once, twice).code == 0);
  const auto whole = load_model<AutoregressiveModel>(small.model()),
             second = load_model<AutoregressiveModel>(twice);
  CHECK(std::ssize(heads_of(attentions_of(*whole.model))) ==
        std::ssize(heads_of(attentions_of(*second.model))) + 2);
  for (const char* key : {kRunKey, "step", "valid_loss"}) {  // those of the whole model
    CHECK(whole.metadata.contains(key));
    CHECK_FALSE(second.metadata.contains(key));
  }
  const Outcome info = call_kette({"info", "--model", twice});
  CHECK(info.code == 0);
  CHECK(contains(info.out, "decoder layer: cross-attention 0"));
  const Outcome exported =
      call_kette({"export", "--model", once, "--out", (folder / "exported").string()});
  CHECK(exported.code == 1);
  CHECK(exported.says("whose heads were pruned"));

  const Outcome taken = pruned(small.model(), once);
  CHECK(taken.code == 1);
  CHECK(taken.says("once"));
  const Outcome many =
      call_kette({"heads", "--model", once, "--src", small.file("valid.en"), "--tgt",
                  small.file("valid.de"), "--prune", "1000", "--save", (folder / "many").string()});
  CHECK(many.code == 1);
  CHECK(many.says("expected to prune at most"));
  const Outcome nowhere = call_kette({"heads", "--model", once, "--src", small.file("valid.en"),
                                      "--tgt", small.file("valid.de"), "--prune", "1"});
  CHECK(nowhere.code == 2);
  CHECK(nowhere.says("--prune requires --save"));
}

TEST_CASE("the example tap: of a pruned model it switches off the heads that are left") {
  const ScratchFolder folder;
  const TinyText tiny = tiny_text();
  write_file(folder / "source", tiny.source);
  write_file(folder / "target", tiny.target);
  SentencePieceOptions pieces;
  pieces.vocabulary = 100;
  const SharedTokenizer tokenizer =
      SentencePieceTokenizer::train_files({folder / "source", folder / "target"}, pieces);
  TransformerConfig config = small_pruned_transformer();
  config.vocabulary = tokenizer->vocabulary();
  config.max_length = 64;
  Transformer model(config);
  model.materialize(1);
  const std::filesystem::path place = folder / "model";
  save_description(place, config, *tokenizer);
  save_parameters(place / kModelFile, model.parameters(), {});
  const Outcome outcome = run_bash("OMP_NUM_THREADS=1 " + std::string(KETTE_EXAMPLES) +
                                   "/tap/tap '" + place.string() + "' 'a girl' 'ein Mädchen'");
  INFO(outcome.out);
  CHECK(outcome.code == 0);
  CHECK(attentions_of(model).back().heads == 1);  // of four
  CHECK(count_of(outcome.out, " without head ") == 1);
}

TEST_CASE("pruning: a configuration with other numbers of heads than attentions is refused") {
  TransformerConfig config = small_transformer(NormOrder::post);
  config.heads_left = {1, 2};
  CHECK_THROWS_WITH(config.check(),
                    "heads_left: expected a number for each of 6 attentions, given 2");
  config.heads_left = {1, 2, 2, 2, 3, 1};
  CHECK_THROWS_WITH(config.check(), doctest::Contains("heads_left"));
  config.heads_left = {1, 2, 2, 2, 0, 1};
  CHECK_THROWS_WITH(config.check(), doctest::Contains("heads_left"));
  for (GptConfig gpt : {small_grouped_gpt(), small_windowed_gpt()}) {  // shared keys, and slopes
    gpt.check();
    gpt.heads_left = {1, 2};
    CHECK_THROWS_WITH(gpt.check(), doctest::Contains("none of those can be pruned, given 2"));
  }
}

TEST_CASE("heads: where only a score is wanted, nothing is resampled") {
  const OneThread quick;
  TransformerConfig config = small_config();
  config.vocabulary = 60;
  const auto model = random_model(config);
  SearchOptions greedy;
  greedy.beam = 1;
  greedy.extra_length = 4;
  const auto metric = [&](int samples) {
    return BleuAblation(*model, letters_tokenizer(), source_sentences({"abcd efgh", "ihgf aabb"}),
                        {"abcd efgh ihgf", "aabb abcd"}, greedy, {}, {samples});
  };
  const std::vector<AttentionPart> attentions = attentions_of(*model);
  HeadGates gates = gates_without(attentions, std::vector<Head>{{3, 0}, {6, 2}});
  const BleuAblation resampling = metric(20), plain = metric(0);  // which cannot be resampled
  const MaskedResult masked = resampling.with(gates);
  CHECK(plain.whole() == resampling.whole());
  CHECK(plain.change_with(gates) == masked.change);
  CHECK_THROWS_WITH_AS(plain.with(gates), doctest::Contains("bootstrap: expected at least one"),
                       Error);
}
