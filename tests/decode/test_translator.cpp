#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "decode/scorer.h"
#include "decode/translator.h"
#include "tensor/observer.h"
#include "tests/decode/decode_models.h"
#include "tests/decode/letters_tokenizer.h"
#include "tests/devices.h"

using namespace kette;
using namespace kette::testing;

namespace {

/// Adds up the products of this thread.
class Products final : public WorkObserver {
 public:
  void begin(const char*, std::span<const Tensor* const>, std::span<const Tensor* const>) override {
  }
  void end() override {}
  void count_flops(double more) override { flops += more; }

  double flops = 0;
};

}  // namespace

TEST_CASE("a translation depends on nothing but its sentence: not on batch, order or threads") {
  const OneThread quick;
  for (const NormOrder norm : {NormOrder::post, NormOrder::pre}) {
    const auto model = random_model(small_config(norm));
    const auto ready = model->for_decoding();
    const std::vector<Ids> sources = random_sentences(64, 611, 10);
    SearchOptions options;
    options.beam = options.n_best = 3;
    options.extra_length = 3;
    std::vector<std::vector<Hypothesis>> alone;
    for (const Ids& source : sources) {
      alone.push_back(translate_ids(*ready, {source}, options, {.threads = 1})[0]);
    }

    for (const std::size_t size : {2, 7, 64}) {
      for (std::size_t begin = 0; begin < sources.size(); begin += size) {
        const std::size_t end = std::min(sources.size(), begin + size);
        const std::vector<Ids> some(sources.begin() + static_cast<std::ptrdiff_t>(begin),
                                    sources.begin() + static_cast<std::ptrdiff_t>(end));
        const auto found = translate_ids(*ready, some, options, {.threads = 1});
        for (std::size_t i = begin; i < end; ++i) check_same(found[i - begin], alone[i]);
      }
    }
    std::vector<std::size_t> order(sources.size());
    std::iota(order.begin(), order.end(), 0);
    Random random(8, 8);
    for (std::size_t i = order.size() - 1; i > 0; --i) {
      std::swap(order[i], order[random.below(static_cast<std::int64_t>(i) + 1)]);
    }
    std::vector<Ids> shuffled;
    for (const std::size_t i : order) shuffled.push_back(sources[i]);
    for (const std::int64_t threads : {1, 2, 3}) {
      for (const std::int64_t batch_tokens :
           {1, 500, 100000}) {  // refilled often, sometimes, never
        const WorkOptions work{batch_tokens, threads};
        const auto found = translate_ids(*ready, shuffled, options, work);
        for (std::size_t i = 0; i < order.size(); ++i) check_same(found[i], alone[order[i]]);
      }
    }
  }
}

TEST_CASE("one sentence on several threads: the kernels share it") {
  TransformerConfig config = small_config();
  config.width = 64;
  config.heads = 4;
  config.hidden = 512;
  config.vocabulary = 5000;
  const auto model = random_model(config);
  const auto ready = model->for_decoding();
  const std::vector<Ids> sources = random_sentences(3, 5000);
  SearchOptions options;
  options.forced_length = 6;
  const auto together = translate_ids(*ready, sources, options, {.threads = 1});
  for (std::size_t i = 0; i < sources.size(); ++i) {
    check_same(translate_ids(*ready, {sources[i]}, options, {.threads = 3})[0], together[i]);
  }
}

TEST_CASE("texts: order, empty lines, n best, progress") {
  const SharedTokenizer tokenizer = letters_tokenizer();
  TransformerConfig config = small_config();
  config.vocabulary = tokenizer->vocabulary();
  const auto model = random_model(config);
  const Translator translator(*model, tokenizer);
  SearchOptions options;
  options.n_best = 2;
  options.extra_length = 5;
  const std::vector<std::string> lines{"abcd efgh", "", "a", "   ",
                                       "hhhh gggg ffff eeee dddd cccc"};
  std::vector<std::int64_t> progress;
  const auto translations = translator.translate(source_sentences(lines), options, {},
                                                 [&](std::int64_t done, std::int64_t total) {
                                                   CHECK(total == 5);
                                                   progress.push_back(done);
                                                 });
  CHECK(progress == std::vector<std::int64_t>{3, 4, 5});
  REQUIRE(translations.size() == 5);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Translation& translation = translations[i];
    CHECK(!translation.truncated);
    if (i == 1 || i == 3) {
      CHECK(translation.text.empty());
      REQUIRE(translation.n_best.size() == 1);
      CHECK(translation.n_best[0].hypothesis.tokens.empty());
      continue;
    }
    REQUIRE(translation.n_best.size() == 2);
    CHECK(translation.text == translation.n_best[0].text);
    CHECK(translation.text == tokenizer->decode(translation.n_best[0].hypothesis.tokens));
    const auto alone = translator.translate(source_sentences({lines[i]}), options);
    CHECK(alone[0].n_best[1].text == translation.n_best[1].text);
  }
  CHECK(translator.translate({}, options).empty());
}

TEST_CASE("a source longer than the model's positions is an error with its line, or cut if asked") {
  const SharedTokenizer tokenizer = letters_tokenizer();
  TransformerConfig config = small_config();
  config.vocabulary = tokenizer->vocabulary();
  config.max_length = 12;
  const auto model = random_model(config);
  const Translator translator(*model, tokenizer);
  const std::string long_line = "abcdefghi abcdefghi abcdefghi abcdefghi abcdefghi";
  const auto tokens = tokenizer->encode(long_line).size();
  REQUIRE(tokens > 11);
  CHECK_THROWS_WITH(translator.translate(source_sentences({"ab", long_line})),
                    ("translate: expected at most 11 tokens in a sentence, given " +
                     std::to_string(tokens) + " in line 2 (split it, or allow truncation)")
                        .c_str());
  const auto translations = translator.translate(source_sentences({"ab", long_line}, "", true));
  CHECK(!translations[0].truncated);
  CHECK(translations[1].truncated);

  config.vocabulary += 1;
  const Transformer other(config);
  CHECK_THROWS_WITH_AS(Translator(other, tokenizer), doctest::Contains("the model's vocabulary"),
                       Error);
}

TEST_CASE("scores of given translations: the model's own, and bit for bit those of the search") {
  const OneThread quick;
  for (const NormOrder norm : {NormOrder::post, NormOrder::pre}) {
    const auto model = random_model(small_config(norm));
    const auto ready = model->for_decoding();
    const std::vector<Ids> sources = random_sentences(30, 611);
    std::vector<Ids> targets = random_sentences(30, 611, 25, 17);
    targets[4].clear();
    for (const auto& [threads, batch_tokens] : {std::pair{1, 8192}, {2, 50}}) {
      const WorkOptions work{batch_tokens, threads};
      std::vector<std::int64_t> progress{0};
      const auto scores =
          score_ids(*ready, sources, targets, work, [&](std::int64_t done, std::int64_t total) {
            CHECK(done > progress.back());
            CHECK(total == 30);
            progress.push_back(done);
          });
      CHECK(progress.back() == 30);
      for (std::size_t i = 0; i < sources.size(); ++i) {
        Ids inputs{2}, outputs = targets[i];
        inputs.insert(inputs.end(), targets[i].begin(), targets[i].end());
        outputs.push_back(3);
        const std::vector<float> table = full_log_probabilities(*model, sources[i], inputs);
        REQUIRE(scores[i].tokens() == static_cast<std::int64_t>(outputs.size()));
        double sum = 0;
        for (std::size_t t = 0; t < outputs.size(); ++t) {
          const float expected = table[t * 611 + static_cast<std::size_t>(outputs[t])];
          CHECK(scores[i].token_log_probabilities[t] == doctest::Approx(expected).epsilon(1e-5));
          sum += double(expected);
        }
        CHECK(scores[i].log_probability == doctest::Approx(sum).epsilon(1e-5));
      }
    }
    SearchOptions search;
    search.extra_length = 3;
    const auto found = translate_ids(*ready, sources, search);
    for (std::size_t i = 0; i < sources.size(); ++i) targets[i] = found[i][0].tokens;
    const auto scores = score_ids(*ready, sources, targets);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      CHECK(scores[i].log_probability == found[i][0].log_probability);
    }
    CHECK_THROWS_WITH(score_ids(*ready, sources, {}),
                      "score: expected as many targets as sources, given 30 sources and 0 targets");
    CHECK_THROWS_WITH(
        score_ids(*ready, {{4}}, {Ids(80, 4)}),
        "score: expected at most 79 tokens in a sentence, given 1 source and 80 target "
        "tokens in sentence 1");
  }
}

TEST_CASE("alignment: what the model alone says is computed once") {
  const OneThread quick;
  const SharedTokenizer tokenizer = letters_tokenizer();
  TransformerConfig config = small_config();
  config.vocabulary = tokenizer->vocabulary();
  const auto model = random_model(config);
  const Translator translator(*model, tokenizer);
  const auto flops_of = [&] {
    Products products;
    const WorkObservation observation(&products);
    translator.align({"abc def"}, {"fed cba"}, "", {.threads = 1});
    return products.flops;
  };
  const double first = flops_of(), again = flops_of();
  CHECK(again > 0);
  CHECK(again < first);
  CHECK(flops_of() == again);
}

TEST_CASE("CUDA: translations are those of the CPU") {
  const std::vector<Device> devices = test_devices();
  if (devices.size() == 1) return skip_cuda();
  const auto model = random_model(small_config());
  const auto copy = moved(*model, devices[1]);
  const auto ready = model->for_decoding(), ready_copy = copy->for_decoding();
  const std::vector<Ids> sources = random_sentences(3, 611, 6);
  SearchOptions options;
  options.beam = options.n_best = 3;
  options.extra_length = 3;
  const auto expected = translate_ids(*ready, sources, options);
  const auto found = translate_ids(*ready_copy, sources, options);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    for (std::size_t k = 0; k < expected[i].size(); ++k) {
      CHECK(found[i][k].tokens == expected[i][k].tokens);
      CHECK(found[i][k].score == doctest::Approx(expected[i][k].score).epsilon(1e-5));
    }
  }
  // And alone as in company, to the last bit.
  for (std::size_t i = 0; i < sources.size(); ++i) {
    check_same(found[i], translate_ids(*ready_copy, {sources[i]}, options)[0]);
  }
}
