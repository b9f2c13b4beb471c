// Heads: importance against finite differences, what they look at, and the whole study.
#include <doctest/doctest.h>

#include <cmath>

#include "data/metrics/significance.h"
#include "inspect/heads/head_ablation.h"
#include "inspect/heads/head_circuits.h"
#include "inspect/heads/head_gates.h"
#include "inspect/heads/head_importance.h"
#include "inspect/heads/head_scores.h"
#include "inspect/heads/head_study.h"
#include "inspect/heads/induction.h"
#include "inspect/linear_algebra.h"
#include "inspect/report/report.h"
#include "tensor/backend.h"
#include "tensor/observer.h"
#include "tests/cli/call_kette.h"
#include "tests/inspect/browser.h"
#include "tests/inspect/inspected_models.h"

using namespace kette;
using namespace kette::testing;

namespace {

const std::vector<std::pair<Ids, Ids>> kTexts = {
    {{4, 9}, {5, 6, 7}}, {{8, 5, 4, 7}, {9, 8}}, {{6}, {4, 8}}};

std::vector<Batch> one_by_one(const AutoregressiveModel& model) {
  std::vector<Batch> batches;
  for (const auto& [source, target] : kTexts) {
    batches.push_back(one_sentence(model, source, target));
  }
  return batches;
}

Batch together(const AutoregressiveModel& model) {
  Batch all;
  std::vector<std::int64_t> sources, targets;
  for (const Batch& one : one_by_one(model)) {
    all.source.insert(all.source.end(), one.source.begin(), one.source.end());
    all.target_in.insert(all.target_in.end(), one.target_in.begin(), one.target_in.end());
    all.target_out.insert(all.target_out.end(), one.target_out.begin(), one.target_out.end());
    sources.push_back(std::ssize(one.source));
    targets.push_back(std::ssize(one.target_in));
  }
  if (model.has_encoder()) all.source_segments = Segments::from_lengths(sources);
  all.target_segments = Segments::from_lengths(targets);
  return all;
}

}  // namespace

TEST_CASE("heads: importance is the derivative by a gate, as finite differences have it") {
  const OneThread one;
  for (const auto& model : inspected_models(DType::f64)) {
    CAPTURE(headline(model->config()));
    const auto attentions = attentions_of(*model);
    const std::vector<Batch> sentences = one_by_one(*model);
    const auto loss = [&](const Batch& sentence, const AttentionPart& part, std::int64_t head,
                          double gate) {
      std::vector<double> gates(static_cast<std::size_t>(part.heads), 1);
      gates[head] = gate;
      HeadGates tap;
      tap.set(part, Tensor::from(gates));
      Run run(&tap);
      return model->loss(sentence, {}, run).value().item();
    };
    const auto importance = head_importance(*model, sentences);
    const auto heads = heads_of(attentions);
    REQUIRE(importance.size() == heads.size());
    for (std::size_t i = 0; i < heads.size(); i += 2) {
      const AttentionPart& part = attentions[heads[i].attention];
      constexpr double kStep = 1e-5;
      double expected = 0;
      for (const Batch& sentence : sentences) {
        expected += std::abs(loss(sentence, part, heads[i].head, 1 + kStep) -
                             loss(sentence, part, heads[i].head, 1 - kStep)) /
                    (2 * kStep) / 3;
      }
      CHECK(std::abs(importance[i].mean - expected) < 1e-6 * std::max(1.0, expected));
    }
  }
}

TEST_CASE(
    "heads: importance is of sentences, however they are batched; normalised in each attention") {
  const OneThread one;
  for (const auto& model : inspected_models(DType::f64)) {
    const auto importance = head_importance(*model, {together(*model)});
    const auto parts = head_importance(*model, one_by_one(*model));
    const auto attentions = attentions_of(*model);
    const auto heads = heads_of(attentions);
    std::vector<double> squares(attentions.size());
    for (std::size_t i = 0; i < heads.size(); ++i) {
      CHECK(importance[i].mean == doctest::Approx(parts[i].mean).epsilon(1e-9));
      squares[heads[i].attention] += importance[i].normalized * importance[i].normalized;
    }
    for (const double sum : squares) CHECK(sum == doctest::Approx(1));
  }
}

TEST_CASE("heads: a model whose heads are computed in shares is refused") {
  const OneThread one;
  TransformerConfig config = small_config();
  config.key_width = 4;  // half of a head's values
  const auto model = random_model(config);
  const std::string expected =
      "heads: expected a model whose keys are as wide as its values, for others' heads are "
      "computed in shares, given a key_width of 4 (train one without --key-width)";
  CHECK(message_of([&] { attentions_of(*model); }) == expected);
  CHECK(message_of([&] { head_scores(*model, {together(*model)}); }) == expected);
  CHECK(message_of([&] { head_importance(*model, {together(*model)}); }) == expected);
  CHECK(message_of([&] { head_circuits(*model); }) == expected);
}

TEST_CASE("heads: scores count where queries look") {
  const OneThread one;
  // Zeros in queries and keys let every head look at all words alike; the first of equals counts.
  const auto model = random_model(small_config());
  for (const auto& leaf : model->parameters().leaves()) {
    if (contains(leaf->name, "query")) leaf->value.zero();
  }
  const auto scores = head_scores(*model, {together(*model)});
  const auto heads = heads_of(attentions_of(*model));
  const auto attentions = attentions_of(*model);
  for (std::size_t i = 0; i < heads.size(); ++i) {
    const HeadScores& s = scores[i];
    CAPTURE(attentions[heads[i].attention].name());
    if (attentions[heads[i].attention].kind == AttentionKind::encoder) {
      // Sentences of 3, 5 and 2 tokens.
      CHECK(s.entropy ==
            doctest::Approx((3 * std::log(3) + 5 * std::log(5) + 2 * std::log(2)) / 10));
      CHECK(s.confidence == doctest::Approx(3.0 / 10));
      CHECK(s.same == doctest::Approx(3.0 / 10));
      CHECK(s.previous == doctest::Approx(3.0 / 7));
      CHECK(s.next == 0);
      CHECK(s.sink == 0);
      // 4 occurs twice, 9 once; 8 once and comes first; 6 once.
      CHECK(s.rarest == doctest::Approx(7.0 / 10));
      CHECK(std::isnan(s.alignment));
    } else if (attentions[heads[i].attention].kind == AttentionKind::cross) {
      CHECK(s.alignment == 1);  // all heads agree
      for (const double other : {s.previous, s.same, s.next}) CHECK(std::isnan(other));
    } else {
      CHECK(s.previous > 0);
      for (const double other : {s.next, s.rarest, s.alignment}) CHECK(std::isnan(other));
    }
  }
}

TEST_CASE("heads: scores keep the probabilities of one attention at a time") {
  const OneThread one;
  struct Peak final : MemoryObserver {
    Peak() { backend({}).watch_memory(this); }
    ~Peak() override { backend({}).watch_memory(nullptr); }
    Peak(const Peak&) = delete;
    Peak& operator=(const Peak&) = delete;
    void allocated(const void*, std::int64_t bytes) override {
      held += bytes;
      most = std::max(most, held);
    }
    void released(const void*, std::int64_t bytes) override { held -= bytes; }
    std::int64_t held = 0, most = 0;
  };
  GptConfig config = small_gpt();
  config.context = 256;
  Random random(1);
  const Batch batch =
      repeated_at_random(config.vocabulary, config.vocabulary, 256 / config.vocabulary, 1, random);
  const auto peak_of = [&](std::int64_t layers) {
    config.layers = layers;
    Gpt model(config);
    model.materialize(1);
    const Peak peak;
    head_scores(model, {batch});
    return peak.most;
  };
  const std::int64_t tokens = std::ssize(batch.target_in);
  CHECK(peak_of(8) - peak_of(2) < 4 * tokens * tokens * config.heads);  // of one layer
}

TEST_CASE("heads: copying is of words that the model both reads and writes") {
  TransformerConfig config = small_config();
  config.source_vocabulary = 57;
  const auto model = random_model(config);
  const auto attentions = attentions_of(*model);
  const auto heads = heads_of(attentions);
  const std::vector<double> copying = copying_scores(*model);
  REQUIRE(copying.size() == heads.size());
  for (std::size_t i = 0; i < heads.size(); ++i) {
    CHECK(std::isnan(copying[i]) ==
          (attentions[heads[i].attention].kind != AttentionKind::decoder));
  }
}

TEST_CASE("heads: few windows are little evidence, and only what is worse costs") {
  const OneThread one;
  Gpt model(small_gpt());
  model.materialize(1);
  const auto attentions = attentions_of(model);
  const Head head{0, 0};
  const Batch window = one_sentence(model, {}, Ids{4, 9, 6, 5, 7});
  for (const int windows : {1, 2, 8, 10}) {
    const LossAblation metric(model, std::vector<Batch>(static_cast<std::size_t>(windows), window),
                              {200});
    HeadGates gates = gates_without(attentions, {&head, 1});
    const MaskedResult masked = metric.with(gates);
    CHECK(masked.change != 0);
    CHECK(metric.segments() == windows);
    if (windows < 10) CHECK(masked.p == std::exp2(1 - windows));
    if (windows == 10) CHECK(masked.p < 0.005);
  }
  HeadStudy study;
  for (const bool higher : {true, false}) {
    study.higher_is_better = higher;
    CHECK(study.cost({higher ? -2.0 : 2.0, 1}) == 2);
    CHECK(study.cost({higher ? 2.0 : -2.0, 1}) == 0);
  }
  study.metric = "loss";  // of which less is better
  study.attentions = attentions;
  for (const Head& each : heads_of(attentions)) {
    study.rows.push_back({each, {}, {}, 0, {-0.5, 1}, {0.5, 1}});
  }
  CHECK(contains(to_report(study).lead, "with all heads, is not higher without any one head, and"));
  study.rows[1].without.change = 0.25;
  CHECK(contains(to_report(study).lead,
                 "with all heads, suffers most without decoder 0 head 1 (+0.25)"));
}

TEST_CASE("heads: a head whose OV circuit is the identity copies") {
  // One head as wide as the model, W_V = I, W_O = +-I: the circuit E E^T is positive, or negative.
  for (const double sign : {1.0, -1.0}) {
    TransformerConfig config = small_config();
    config.width = 8;
    config.heads = 1;
    config.hidden = 8;
    config.encoder_layers = config.decoder_layers = 1;
    const auto model = random_model(config);
    for (const AttentionPart& part : attentions_of(*model)) {
      part.values->weight.value().zero();
      part.output->weight.value().zero();
      const std::int64_t first = part.values->weight.value().rows() - 8;
      for (std::int64_t i = 0; i < 8; ++i) {
        part.values->weight.value().data<float>()[(first + i) * 8 + i] = 1;
        part.output->weight.value().data<float>()[i * 8 + i] = static_cast<float>(sign);
      }
    }
    for (const double score : copying_scores(*model)) CHECK(score == doctest::Approx(sign));
  }
  for (const double score : copying_scores(*random_model(small_config()))) {
    CHECK(std::abs(score) < 1);
  }
}

TEST_CASE("linear algebra: eigenvalues and singular values of matrices that are known") {
  DenseMatrix turn(2, 2);  // by 90 degrees, and twice as long
  turn.values = {0, -2, 2, 0};
  const auto values = eigenvalues(turn);
  CHECK(std::abs(values[0].real()) < 1e-12);
  CHECK(std::abs(values[0].imag()) == doctest::Approx(2));
  DenseMatrix wide(2, 3);
  wide.values = {3, 0, 0, 0, 0, 4};
  const auto singular = singular_values(wide);
  REQUIRE(singular.size() == 2);
  CHECK(singular[0] == doctest::Approx(4));
  CHECK(singular[1] == doctest::Approx(3));
  CHECK(product(wide, transposed(wide)).values == std::vector<double>{9, 0, 0, 16});
  CHECK(frobenius_norm(wide) == doctest::Approx(5));
  CHECK_THROWS_WITH(eigenvalues(wide), "eigenvalues: expected a square matrix, given 2 x 3");
}

TEST_CASE("heads: p is small where every resample differs, and 1 where nothing does") {
  std::vector<double> differences;
  for (int i = 0; i < 999; ++i) differences.push_back(2 + 0.001 * (i % 7));
  CHECK(paired_bootstrap_p(differences, 2) == doctest::Approx(0.001));
  CHECK(paired_bootstrap_p(std::vector<double>(99, 0.0), 0) == 1);
}

TEST_CASE("heads: the study of a translation model, as a table, as JSON and as a page") {
  const SmallModel& small = SmallModel::get();
  const ScratchFolder folder;
  const std::string out = (folder / "heads.html").string();
  const std::vector<std::string> arguments = {"heads",
                                              "--model",
                                              small.model(),
                                              "--src",
                                              small.file("valid.en"),
                                              "--tgt",
                                              small.file("valid.de"),
                                              "--samples",
                                              "50",
                                              "--threads",
                                              "1",
                                              "--out",
                                              out,
                                              "--json"};
  const Outcome outcome = call_kette(arguments);
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const JsonView json = outcome.json();
  REQUIRE(json["heads"].size() == 6);
  const Outcome whole =
      call_kette({"evaluate", "--model", small.model(), "--src", small.file("valid.en"), "--ref",
                  small.file("valid.de"), "--json"});
  CHECK(json["whole"].get<double>() == doctest::Approx(whole.json()["score"].get<double>()));
  CHECK(json["signature"] == whole.json()["signature"]);
  CHECK(contains(outcome.out, "|tok:13a|"));
  const Outcome none = call_kette(with(arguments, {"--bleu-tokenize", "none"}));
  CHECK(none.code == 0);
  CHECK(contains(none.out, "|tok:none|"));
  CHECK(json["sentences"] == 2);
  CHECK(contains(outcome.out, "by paired bootstrap of 2 sentences"));
  for (const JsonView& head : json["heads"]) {
    CHECK(head["previous"].is_null() == (head["attention"] == "cross"));
    CHECK(head["alignment"].is_null() == (head["attention"] != "cross"));
    CHECK(head["without_p"].get<double>() > 0);
    CHECK(head["importance"].get<double>() > 0);
  }
  const std::string page = read_file(out);
  for (const char* scheme : {"http:", "https:"}) CHECK_FALSE(contains(page, scheme));
  CHECK(page.size() < 100'000);
  CHECK(contains(page, "<td class=\"number\">\xE2\x80\x93</td>"));
  CHECK(call_kette({"heads", "--model", small.model()}).says("expected --src and --tgt"));
  CHECK(call_kette({"heads", "--model", small.model(), "--src", small.file("valid.en"), "--tgt",
                    small.file("train.de")})
            .says("expected 2 lines, as many as"));
  KETTE_NEEDS_BROWSER();
  const Opened opened = open_page(page);
  CHECK(opened.console == "");
  CHECK(contains(opened.document, ">layer 0</text>"));
  CHECK(contains(opened.document, ">head 0</text>"));
  CHECK(contains(opened.document, "cross: BLEU lost without it"));
}
