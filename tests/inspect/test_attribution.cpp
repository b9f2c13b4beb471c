// What parts add to logits, what layers would say, and what heads look at: against plain sums.
#include <doctest/doctest.h>

#include <cmath>

#include "decode/translator.h"
#include "inspect/heads/attention_maps.h"
#include "inspect/heads/head_gates.h"
#include "inspect/passes/logit_attribution.h"
#include "inspect/passes/logit_lens.h"
#include "tests/gap.h"
#include "tests/inspect/inspected_models.h"

using namespace kette;
using namespace kette::testing;

namespace {

/// The largest difference of a logit from the sum of its parts, relative to the largest logit.
double attribution_gap(const AutoregressiveModel& model) {
  Activations activations(
      [&](const std::string& point) { return LogitAttribution::wants(model, point); });
  const Tensor logits = recorded(model, activations);
  const std::vector<double> values = logits.values<double>();
  const LogitAttribution attribution(model, activations,
                                     one_sentence(model, kRead, kWritten).target_in);
  double gap = 0, most = 0;
  for (std::int64_t row = 0; row < logits.rows(); ++row) {
    for (std::int32_t token = 0; token < logits.width(); token += 7) {
      double sum = 0;
      for (const double part : attribution(row, token)) sum += part;
      gap = larger_gap(gap, std::abs(sum - values[row * logits.width() + token]));
      most = std::max(most, std::abs(values[row * logits.width() + token]));
    }
  }
  return gap / most;
}

}  // namespace

TEST_CASE("attribution: the parts of a logit sum to it, in pre- and post-norm models") {
  const OneThread one;
  for (const DType dtype : {DType::f64, DType::f32}) {
    for (const auto& model : inspected_models(dtype)) {
      CAPTURE(headline(model->config()));
      CHECK(attribution_gap(*model) < (dtype == DType::f64 ? 1e-12 : 1e-5));
    }
  }
}

TEST_CASE(
    "attribution: a part's share is what the logit loses without it, where no norm is in between") {
  // In a pre-norm model with the final norm's statistics frozen a head's share is linear in what it gives;
  // so halving what the last block's head gives, and undoing the norm's new statistics, halves its share.
  const OneThread one;
  const auto models = inspected_models(DType::f64);
  const AutoregressiveModel& model = *models[1];
  Activations activations;
  const Tensor logits = recorded(model, activations);
  const LogitAttribution attribution(model, activations,
                                     one_sentence(model, kRead, kWritten).target_in);
  const auto attentions = attentions_of(model);
  const AttentionPart& last = attentions.back();
  const auto named =
      std::find(attribution.parts().begin(), attribution.parts().end(), last.name() + " head 2");
  REQUIRE(named != attribution.parts().end());
  // By hand: heads W_O, the final norm's deviation, the row of the output matrix.
  const std::int64_t width = model.config().width, row = 3, token = 17,
                     head_width = width / last.heads;
  const auto heads = activations[last.path + "/heads"].values<double>();
  const auto matrix = last.output->weight.value().values<double>();
  const auto sum = activations["decoder/final_norm/sum"].values<double>();
  const auto gain = model.decoder_norm()->gain.value().values<double>();
  const auto rows_of_output = model.output().weight.value().values<double>();
  std::vector<double> given(static_cast<std::size_t>(width));
  double mean_given = 0, mean = 0, variance = 0, share = 0;
  for (std::int64_t out = 0; out < width; ++out) {
    for (std::int64_t i = 2 * head_width; i < 3 * head_width; ++i) {
      given[out] += matrix[out * width + i] * heads[row * width + i];
    }
    mean_given += given[out] / static_cast<double>(width);
    mean += sum[row * width + out] / static_cast<double>(width);
  }
  for (std::int64_t i = 0; i < width; ++i) {
    variance += std::pow(sum[row * width + i] - mean, 2) / static_cast<double>(width);
  }
  for (std::int64_t i = 0; i < width; ++i) {
    share += rows_of_output[token * width + i] * gain[i] * (given[i] - mean_given) /
             std::sqrt(variance + 1e-5);
  }
  const auto part = named - attribution.parts().begin();
  CHECK(attribution(row, token)[part] == doctest::Approx(share).epsilon(1e-10));
}

TEST_CASE("lens: the last level says what the model says, exactly") {
  const OneThread one;
  for (const auto& model : inspected_models()) {
    CAPTURE(headline(model->config()));
    Activations activations(
        [&](const std::string& point) { return is_for_logit_lens(*model, point); });
    const auto p = softmax_rows(recorded(*model, activations));
    const auto lens = logit_lens(*model, activations, 4);
    REQUIRE(lens.size() == model->decoder().size() + 1);
    for (std::size_t row = 0; row < p.size(); ++row) {
      const LensReading& last = lens.back()[row];
      CHECK(last.divergence == 0);
      CHECK(last.best.size() == 4);
      const auto most = std::max_element(p[row].begin(), p[row].end());
      CHECK(last.best.front().token == most - p[row].begin());
      CHECK(last.best.front().probability == *most);
      CHECK(lens.front()[row].divergence > 0);
    }
  }
}

TEST_CASE("lens: means over rows, and whether a level is the model's own answer") {
  const auto level = [](std::vector<LensReading::Guess> guesses, double divergence) {
    std::vector<LensReading> rows;
    for (const LensReading::Guess& guess : guesses) rows.push_back({{guess}, 0, divergence});
    return rows;
  };
  const auto first = level({{1, 0.6}, {0, 0.5}, {1, 0.5}}, 2),
             last = level({{1, 0.75}, {1, 0.5}, {0, 1}}, 0);
  LensMeans means;
  means.add({first, last}, std::vector<std::int32_t>{1, 0, 0});
  CHECK(means.divergence() == std::vector<double>{2, 0});
  CHECK(means.agreement() == std::vector<double>{1.0 / 3, 1});
  CHECK(means.accuracy() == std::vector<double>{2.0 / 3, 2.0 / 3});
  CHECK(agreement_with({{0.25, 0.75}, {0.5, 0.5}, {1, 0}}, last) == doctest::Approx(2.0 / 3));
  CHECK(agreement_with({{0.25, 0.75}, {0.4, 0.6}, {1, 0}}, last) == doctest::Approx(2.0 / 3));
  CHECK(agreement_with({{0.25, 0.75}, {0.5, 0.5}, {1, 0}}, first) == doctest::Approx(1.0 / 3));
}

TEST_CASE("lens: to leave the encoder after k blocks is to have an encoder of k blocks") {
  const OneThread one;
  for (const NormOrder norm : {NormOrder::post, NormOrder::pre}) {
    const auto model = random_model(small_config(norm));
    TransformerConfig config = small_config(norm);
    config.encoder_layers = 1;
    Transformer shallow(config);
    shallow.materialize(1);
    for (const auto& leaf : shallow.parameters().leaves()) {
      leaf->value.copy_from(model->parameters().find(leaf->name)->value);
    }
    const auto ready = model->for_decoding(), shallow_ready = shallow.for_decoding();
    const std::vector<Ids> sources = random_sentences(5, 611, 8);
    const auto tokens = [&](const AutoregressiveModel& by, Tap* tap) {
      std::vector<Ids> found;
      for (const auto& n_best : translate_ids(by, sources, {}, {.tap = tap})) {
        found.push_back(n_best.front().tokens);
      }
      return found;
    };
    EncoderExit after_one(*ready, 1), after_all(*ready, 2), before_all(*ready, 0);
    CHECK(tokens(*ready, &after_one) == tokens(*shallow_ready, nullptr));
    CHECK(tokens(*ready, &after_all) == tokens(*ready, nullptr));
    CHECK(tokens(*ready, &before_all) != tokens(*ready, nullptr));
  }
}

TEST_CASE("maps: rows sum to 1, nobody looks ahead, and norms are those of what is taken") {
  const OneThread one;
  for (const auto& model : inspected_models()) {
    CAPTURE(headline(model->config()));
    const auto attentions = attentions_of(*model);
    Activations activations;
    recorded(*model, activations);
    for (const AttentionPart& part : attentions) {
      CAPTURE(part.name());
      const AttentionMaps maps = attention_maps(part, activations);
      for (std::int64_t head = 0; head < maps.heads; ++head) {
        const auto p = maps.of(maps.probabilities, head);
        for (std::int64_t query = 0; query < maps.queries; ++query) {
          double sum = 0;
          for (std::int64_t key = 0; key < maps.keys; ++key) {
            sum += double(p[query * maps.keys + key]);
            if (part.kind == AttentionKind::decoder && key > query) {
              CHECK(p[query * maps.keys + key] == 0);
            }
          }
          CHECK(sum == doctest::Approx(1).epsilon(1e-6));
        }
      }
      // The first row of a causal attention looks at itself alone, so that its norm is that of the head's
      // output there.
      if (part.kind != AttentionKind::decoder) continue;
      const std::int64_t width = model->config().width, head_width = part.head_width,
                         inner = part.total_width();
      const auto heads = activations[part.path + "/heads"].values<double>();
      const auto matrix = part.output->weight.value().values<double>();
      for (std::int64_t head = 0; head < maps.heads; ++head) {
        double squares = 0;
        for (std::int64_t out = 0; out < width; ++out) {
          double sum = 0;
          for (std::int64_t i = head * head_width; i < (head + 1) * head_width; ++i) {
            sum += heads[i] * matrix[out * inner + i];
          }
          squares += sum * sum;
        }
        CHECK(double(maps.of(maps.norms, head)[0]) ==
              doctest::Approx(std::sqrt(squares)).epsilon(1e-5));
      }
    }
  }
}

TEST_CASE("gates: to mask a head is to have zeros in its columns of the output map") {
  const OneThread one;
  const std::vector<Ids> sources = random_sentences(6, 611, 8);
  for (const AttentionKind kind :
       {AttentionKind::encoder, AttentionKind::decoder, AttentionKind::cross}) {
    CAPTURE(enum_name(kind));
    const auto model = random_model(small_config());
    const auto ready = model->for_decoding();
    const auto attentions = attentions_of(*model);
    const auto part = *std::find_if(attentions.begin(), attentions.end(),
                                    [&](const AttentionPart& each) { return each.kind == kind; });
    HeadGates gates;
    gates.mask(part, 3);
    gates.mask(part, 1);
    const auto masked = translate_ids(*ready, sources, {}, {.tap = &gates});
    const auto whole = translate_ids(*ready, sources);
    const std::int64_t width = model->config().width, head_width = part.head_width;
    float* matrix = part.output->weight.value().data<float>();
    for (std::int64_t out = 0; out < width; ++out) {
      for (const std::int64_t head : {1, 3}) {
        std::fill_n(matrix + out * width + head * head_width, head_width, 0.0F);
      }
    }
    const auto zeroed = translate_ids(*model->for_decoding(), sources);
    bool differs = false;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      CHECK(masked[i].front().tokens == zeroed[i].front().tokens);
      CHECK(masked[i].front().log_probability == zeroed[i].front().log_probability);
      differs |= masked[i].front().log_probability != whole[i].front().log_probability;
    }
    CHECK(differs);
    HeadGates all_but_two;
    for (const std::int64_t head : {0, 1, 3, 4}) all_but_two.mask(part, head);
    HeadGates only_two;
    only_two.keep_only(part, 2);
    const auto first = translate_ids(*ready, sources, {}, {.tap = &all_but_two});
    const auto second = translate_ids(*ready, sources, {}, {.tap = &only_two});
    CHECK(first[0].front().log_probability == second[0].front().log_probability);
  }
}

TEST_CASE("alignment: by the step that reads a word, the heads together, not to the end mark") {
  AttentionMaps maps;
  maps.heads = 2;
  maps.queries = 3;  // <s> and two words
  maps.keys = 3;     // two words and </s>
  maps.probabilities = {0.6F, 0.4F, 0, 0.1F, 0.2F, 0.7F, 0, 0, 1,
                        0.1F, 0.9F, 0, 0.5F, 0.1F, 0.4F, 0, 0, 1};
  maps.norms = maps.probabilities;
  CHECK(alignment(maps) == std::vector<std::int64_t>{0, -1});
  CHECK(alignment(maps, {.shifted = false}) == std::vector<std::int64_t>{1, 0});
  maps.norms.assign(18, 0);
  CHECK(alignment(maps, {.by_norms = true}) == std::vector<std::int64_t>{-1, -1});
  CHECK(alignment(maps, {.by_norms = false}) == std::vector<std::int64_t>{0, -1});
  // Of two layers one of which looks at other words, the ways that agree come first.
  const auto read = [](const std::vector<AttentionMaps>& layers) {
    std::vector<SoftAlignment> shares;
    for (const AttentionMaps& layer : layers) shares.push_back(soft_alignment(layer));
    return alignments(shares);
  };
  AttentionMaps writes = maps;
  writes.norms = maps.probabilities;
  AttentionMaps other = writes;
  std::rotate(other.norms.begin(), other.norms.begin() + 1, other.norms.end());
  const auto all = read({writes, other, writes});
  REQUIRE(all.size() == 6);
  CHECK(all.front().layer == 0);
  CHECK(all.front().source == alignment(writes, {.shifted = all.front().shifted}));
  // What all layers look at when they write stands first, also where they are more at one a step later.
  AttentionMaps first_differs = writes;
  std::swap(first_differs.norms[9], first_differs.norms[10]);
  CHECK(alignment(first_differs, {.shifted = false})[0] == 0);
  for (const LayerAlignment& first :
       {read({writes, writes, first_differs}).front(), read({writes}).front()}) {
    CHECK(first.layer == 0);
    CHECK_FALSE(first.shifted);
  }
}
