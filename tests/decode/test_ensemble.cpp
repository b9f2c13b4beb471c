// Several models that write together: their joint probabilities are those of the formula, in every way of
// decoding, and stay the same bits on any threads and in any company.
#include <doctest/doctest.h>

#include <cmath>

#include "data/corpora/token_file.h"
#include "decode/generator.h"
#include "decode/scorer.h"
#include "decode/text_scorer.h"
#include "decode/translator.h"
#include "models/gpt.h"
#include "tests/decode/decode_models.h"
#include "tests/devices.h"
#include "tests/support.h"

using namespace kette;
using namespace kette::testing;

namespace {

/// Of another width and depth, with narrow keys, fewer positions, which are learned, and an output bias.
TransformerConfig other_config() {
  TransformerConfig config = small_config(NormOrder::pre);
  config.encoder_layers = 1;
  config.decoder_layers = 2;
  config.width = 28;
  config.heads = 2;
  config.key_width = 7;
  config.positions = Positions::learned;
  config.max_length = 60;
  config.output_bias = true;
  return config;
}

std::unique_ptr<Gpt> small_writer(std::uint64_t seed, GptConfig config = small_gpt()) {
  auto model = std::make_unique<Gpt>(config);
  model->materialize(seed);
  vary_vectors<float>(model->parameters(), seed);
  return model;
}

/// log softmax of the mean of two tables of logits, in plain loops: [rows, vocabulary].
std::vector<double> joint_log_probabilities(const std::vector<float>& a,
                                            const std::vector<float>& b, std::size_t vocabulary) {
  std::vector<double> table(a.size());
  for (std::size_t row = 0; row < a.size(); row += vocabulary) {
    double total = 0;
    for (std::size_t v = row; v < row + vocabulary; ++v) {
      table[v] = (double(a[v]) + double(b[v])) / 2;
      total += std::exp(table[v]);
    }
    for (std::size_t v = row; v < row + vocabulary; ++v) table[v] -= std::log(total);
  }
  return table;
}

/// log P of a target, and of its end mark if it has one, by two models, from the logits of whole passes.
double joint_score(const Transformer& a, const Transformer& b, Ids source, const Ids& target,
                   bool has_end) {
  source.push_back(3);
  Ids inputs{2}, outputs = target;
  inputs.insert(inputs.end(), target.begin(), target.end());
  if (has_end) outputs.push_back(3);
  const std::vector<double> table =
      joint_log_probabilities(logits_of(a, source, inputs).values<float>(),
                              logits_of(b, source, inputs).values<float>(), 611);
  double sum = 0;
  for (std::size_t t = 0; t < outputs.size(); ++t) {
    sum += table[t * 611 + static_cast<std::size_t>(outputs[t])];
  }
  return sum;
}

}  // namespace

TEST_CASE("ensemble: a model with itself is the model") {
  const OneThread quick;
  const auto model = random_model(small_config());
  const Ensemble alone = Ensemble(*model).for_decoding(),
                 thrice = Ensemble({model.get(), model.get(), model.get()}).for_decoding();
  const std::vector<Ids> sources = random_sentences(8, 611);
  DecodingOptions options;
  options.search.n_best = 3;
  options.search.extra_length = 4;
  for (const bool samples : {false, true}) {
    if (samples) options.sampling = SamplingOptions{};
    const auto expected = translate_ids(alone, sources, options),
               found = translate_ids(thrice, sources, options);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      REQUIRE(found[i].size() == expected[i].size());
      for (std::size_t k = 0; k < found[i].size(); ++k) {
        CHECK(found[i][k].tokens == expected[i][k].tokens);
        CHECK(found[i][k].score == doctest::Approx(expected[i][k].score).epsilon(1e-5));
      }
    }
  }
}

TEST_CASE(
    "ensemble: the scores of two models are those of the formula, however they are searched for") {
  const OneThread quick;
  TransformerConfig biased = small_config();
  biased.output_bias = true;
  const auto one = random_model(biased, 1), other = random_model(other_config(), 2);
  const Ensemble ready = Ensemble({one.get(), other.get()}).for_decoding();
  CHECK(ready.positions() == 60);
  const std::vector<Ids> sources = random_sentences(6, 611, 12);
  const std::vector<Ids> prefixes(sources.size(), Ids{17, 300}), none(sources.size());
  DecodingOptions options;
  options.search.length_penalty = parse_length_penalty("none");
  options.search.n_best = 2;
  options.search.extra_length = 4;
  SUBCASE("greedy") { options.search.beam = options.search.n_best = 1; }
  SUBCASE("beam") {}
  SUBCASE("full beam") { options.search.kind = BeamKind::full; }
  SUBCASE("sampling") { options.sampling = SamplingOptions{}; }
  for (const bool begun : {false, true}) {
    const auto found =
        translate_ids(ready, with_prefixes(sources, begun ? prefixes : none), options);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      for (const Hypothesis& hypothesis : found[i]) {
        const Ids& tokens = hypothesis.tokens;
        // A full beam cuts off what is as long as can be, and asks for no end mark.
        const bool has_end = !options.search.is_full() || tokens.size() < sources[i].size() + 4;
        const double expected = joint_score(*one, *other, sources[i], tokens, has_end);
        CHECK(hypothesis.score == doctest::Approx(expected).epsilon(1e-5));
        const SentenceScore score = score_ids(ready, {sources[i]}, {tokens}).front();
        CHECK((!has_end || score.log_probability == hypothesis.log_probability));
        CHECK((!begun || std::equal(prefixes[i].begin(), prefixes[i].end(), tokens.begin())));
      }
    }
  }
}

TEST_CASE("ensemble: no translation depends on batch, order or threads") {
  const auto one = random_model(small_config(), 1), other = random_model(other_config(), 2);
  for (const DType type : {DType::f32, DType::bf16}) {
    const Ensemble ready = Ensemble({one.get(), other.get()}).for_decoding({type, type});
    const std::vector<Ids> sources = random_sentences(9, 611, 12);
    SearchOptions options;
    options.extra_length = 4;
    const auto expected = translate_ids(ready, sources, options, {.threads = 1});
    const std::vector<Ids> turned(sources.rbegin(), sources.rend());
    for (const auto& [threads, batch_tokens] : {std::pair{1, 40}, {2, 8192}, {3, 100}}) {
      const WorkOptions work{batch_tokens, threads};
      const auto found = translate_ids(ready, turned, options, work);
      for (std::size_t i = 0; i < sources.size(); ++i) {
        const Hypothesis &a = expected[i].front(), &b = found[sources.size() - 1 - i].front();
        CHECK(a.tokens == b.tokens);
        CHECK(a.score == b.score);
      }
    }
  }
}

TEST_CASE("ensemble: language models write and score texts together") {
  const OneThread quick;
  const auto one = small_writer(1), other = small_writer(2, small_modern_gpt());
  const std::int64_t vocabulary = one->config().vocabulary;
  REQUIRE(other->config().vocabulary == vocabulary);
  const Ensemble models({one.get(), other.get()}), ready = models.for_decoding();
  const auto log_probabilities = [&](const Ids& text) {
    const auto logits = [&](const Gpt& model) {
      Run run;
      const Segments whole = Segments::from_lengths({std::ssize(text)});
      return model.logits(model.decode(Tensor::from(text), PackedSequences(whole), run))
          .value()
          .values<float>();
    };
    return joint_log_probabilities(logits(*one), logits(*other),
                                   static_cast<std::size_t>(vocabulary));
  };
  // The likeliest token, as the formula has it, is what temperature 0 draws.
  GenerateOptions options;
  options.temperature = 0;
  options.max_tokens = 5;
  Ids text{3, 1};
  const Ids drawn = generate(ready, text, options).front();
  REQUIRE(drawn.size() == 5);
  for (const std::int32_t token : drawn) {
    const std::vector<double> table = log_probabilities(text);
    const auto last = table.end() - vocabulary;
    CHECK(std::max_element(last, table.end()) - last == token);
    text.push_back(token);
  }
  ContinueOptions search;
  search.max_tokens = 5;
  CHECK(search_continuations(ready, {3, 1}, search).front().tokens == drawn);

  // A text is scored as its tokens are, the first of them after an end of text.
  const ScratchFolder folder;
  TokenFileWriter writer(folder / "text.tokens", vocabulary);
  writer.append(text);
  writer.finish({.tokenizer = "", .vocabulary = vocabulary, .end_of_text = 5, .bytes = 1});
  const TextScore score = score_text(models, TokenFile::open(folder / "text.tokens"));
  Ids inputs{5};
  inputs.insert(inputs.end(), text.begin(), text.end() - 1);
  const std::vector<double> table = log_probabilities(inputs);
  double expected = 0;
  for (std::size_t t = 0; t < text.size(); ++t) {
    expected -= table[t * static_cast<std::size_t>(vocabulary) + static_cast<std::size_t>(text[t])];
  }
  CHECK(score.negative_log_likelihood == doctest::Approx(expected).epsilon(1e-5));
}

TEST_CASE("ensemble: models that cannot write together are refused") {
  const auto model = random_model(small_config());
  TransformerConfig larger = small_config(), other_marks = small_config();
  larger.vocabulary = 612;
  other_marks.special.unknown = 7;
  for (const TransformerConfig& config : {larger, other_marks}) {
    const auto other = random_model(config);
    CHECK_THROWS_WITH_AS(
        Ensemble({model.get(), other.get()}),
        doctest::Contains("ensemble: expected models of one vocabulary, 611 tokens"), Error);
  }
  GptConfig config = small_gpt();
  config.vocabulary = 611;
  const auto writer = small_writer(1, config);
  CHECK_THROWS_AS(Ensemble({model.get(), writer.get()}), Error);
  CHECK_THROWS_WITH(Ensemble(std::vector<const AutoregressiveModel*>{}),
                    "ensemble: expected at least one model, given none");
}

TEST_CASE("CUDA: ensembles translate as on the CPU") {
  const std::vector<Device> devices = test_devices();
  if (devices.size() == 1) return skip_cuda();
  const auto one = random_model(small_config(), 1), other = random_model(other_config(), 2);
  const auto one_there = moved(*one, devices[1]), other_there = moved(*other, devices[1]);
  const Ensemble here = Ensemble({one.get(), other.get()}).for_decoding(),
                 there = Ensemble({one_there.get(), other_there.get()}).for_decoding();
  const std::vector<Ids> sources = random_sentences(2, 611, 5);
  DecodingOptions options;
  options.search.beam = 2;
  options.search.extra_length = 2;
  for (const bool samples : {false, true}) {
    if (samples) options.sampling = SamplingOptions{};
    const auto expected = translate_ids(here, sources, options),
               found = translate_ids(there, sources, options);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      CHECK(found[i].front().tokens == expected[i].front().tokens);
      CHECK(found[i].front().score == doctest::Approx(expected[i].front().score).epsilon(1e-5));
    }
  }
}
