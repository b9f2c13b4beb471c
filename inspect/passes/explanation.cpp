#include "inspect/passes/explanation.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "decode/search_limits.h"
#include "decode/search_source.h"
#include "decode/translator.h"
#include "inspect/heads/head_gates.h"
#include "inspect/page/html.h"
#include "inspect/passes/logit_attribution.h"

namespace kette {
namespace {

using Ids = std::vector<std::int32_t>;

std::vector<std::string> pieces_of(const Tokenizer& tokenizer, const Ids& ids, Side side) {
  std::vector<std::string> pieces;
  for (const std::int32_t id : ids) {
    pieces.push_back(side == Side::source ? tokenizer.source_piece(id) : tokenizer.piece(id));
  }
  return pieces;
}

/// The sum of log P of the first `count` targets.
double log_probability(const AutoregressiveModel& model, const Batch& batch, std::size_t count,
                       Tap* tap = nullptr) {
  Run run(tap);
  const auto p = softmax_rows(model.logits(batch, run).value());
  double sum = 0;
  for (std::size_t row = 0; row < count; ++row) sum += std::log(p[row][batch.target_out[row]]);
  return sum;
}

Prediction prediction(const std::vector<double>& p, const LensReading& last, std::int32_t token) {
  Prediction result;
  result.token = token;
  result.log_probability = std::log(p[token]);
  result.entropy = last.entropy;
  const LensReading::Guess& other = last.best[last.best.front().token == token ? 1 : 0];
  result.runner_up = other.token;
  result.runner_up_log_probability = std::log(other.probability);
  return result;
}

/// All that one pass over the batch shows. known: so many of its rows' targets are part of the text.
Explanation look_inside(const AutoregressiveModel& model, const SharedTokenizer& tokenizer,
                        Batch& batch, std::size_t known) {
  constexpr std::int64_t kGuesses = 5;
  Explanation e;
  e.tokenizer = tokenizer;
  e.known = known;
  e.attentions = attentions_of(model);
  Activations activations([&](const std::string& point) {
    const auto shows = [&](const AttentionPart& part) {
      return is_for_attention_maps(part, point);
    };
    return is_for_logit_lens(model, point) || LogitAttribution::wants(model, point) ||
           std::any_of(e.attentions.begin(), e.attentions.end(), shows);
  });
  Run run(&activations);
  const auto p = softmax_rows(model.logits(batch, run).value());
  for (const AttentionPart& part : e.attentions)
    e.maps.push_back(attention_maps(part, activations));
  e.lens = logit_lens(model, activations, kGuesses);
  const std::vector<LensReading>& last = e.lens.back();
  for (std::size_t row = known; row < p.size(); ++row) {
    batch.target_out[row] = last[row].best.front().token;
  }
  const LogitAttribution attribution(model, activations, batch.target_in);
  e.parts = attribution.parts();
  for (std::size_t row = 0; row < p.size(); ++row) {
    Prediction said = prediction(p[row], last[row], batch.target_out[row]);
    const auto number = static_cast<std::int64_t>(row);
    said.attribution = attribution(number, said.token);
    said.runner_up_attribution = attribution(number, said.runner_up);
    if (row < known) e.log_probability += said.log_probability;
    e.predictions.push_back(std::move(said));
  }
  e.source = pieces_of(*tokenizer, batch.source, Side::source);
  e.target_in = pieces_of(*tokenizer, batch.target_in, Side::target);
  return e;
}

/// Fills in what becomes of the text with each head masked. translate: with a tap that looks on.
void try_without(Explanation& e, const AutoregressiveModel& model, const Batch& batch,
                 const std::function<std::string(Tap*)>& translate,
                 const std::function<void()>& check) {
  for (const Head& head : heads_of(e.attentions)) {
    if (check) check();
    HeadGates gates;
    gates.mask(e.attentions[head.attention], head.head);
    e.without.push_back({head, log_probability(model, batch, e.known, &gates), translate(&gates)});
  }
  std::stable_sort(e.without.begin(), e.without.end(),
                   [](const WithoutHead& a, const WithoutHead& b) {
                     return a.log_probability < b.log_probability;
                   });
}

}  // namespace

std::string Explanation::main_parts(const Prediction& prediction) const {
  constexpr std::size_t kShown = 3;
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return prediction.lead(a) > prediction.lead(b);
  });
  order.resize(std::min(kShown, order.size()));
  return joined(order, [&](std::size_t part) {
    return parts[part] + " " + with_sign(prediction.lead(part), 2);
  });
}

Explanation explain_translation(const AutoregressiveModel& model, const SharedTokenizer& tokenizer,
                                const std::string& text, const SearchOptions& asked,
                                const std::string& language, const std::function<void()>& check) {
  KETTE_CHECK(model.has_encoder(),
              "explain: expected a translation model, given one without an encoder");
  SearchOptions options = asked;
  const SourceIds read = search_source(model, tokenizer, text, language, options);
  const Ids& source = read.ids;
  KETTE_CHECK(!source.empty(), "explain: expected a sentence, given no tokens");
  KETTE_CHECK(std::ssize(source) < model.positions(), "explain: expected at most ",
              model.positions() - 1, " tokens, given ", source.size());
  const auto ready = model.for_decoding();
  const SpecialTokens special = model.special();
  Request request{0, source, {special.begin}};
  request.source.push_back(special.end);
  request.banned = banned_in_translations(special, options.allow_unknown);
  request.constraint = read.constraint;
  BeamTree beam = beam_tree(*ready, options, longest_output(options, model, std::ssize(source)),
                            special.end, std::move(request));
  const Ids target = beam.n_best.front().tokens;

  Batch batch = one_sentence(model, source, target);
  Explanation e = look_inside(model, tokenizer, batch, batch.target_out.size());
  e.beam = std::move(beam);
  e.translation = tokenizer->decode(target);
  std::vector<SoftAlignment> of_layers;
  for (std::size_t i = 0; i < e.attentions.size(); ++i) {
    if (e.attentions[i].kind == AttentionKind::cross)
      of_layers.push_back(soft_alignment(e.maps[i]));
  }
  e.alignments = alignments(of_layers);
  const auto translated = [&](Tap* tap) {
    const WorkOptions work{.threads = 1, .tap = tap};
    return tokenizer->decode(translate_ids(*ready, {read}, options, work).front().front().tokens);
  };
  for (std::int64_t level = 0; level <= std::ssize(model.encoder()); ++level) {
    if (check) check();
    EncoderExit exit(*ready, level);
    e.encoder_exits.push_back(translated(&exit));
  }
  try_without(e, model, batch, translated, check);
  return e;
}

Explanation explain_text(const AutoregressiveModel& model, const SharedTokenizer& tokenizer,
                         const std::string& text, const SearchOptions& options, std::int64_t more,
                         const std::function<void()>& check) {
  KETTE_CHECK(!model.has_encoder(),
              "explain: expected a language model for a text, given one with an encoder");
  const Ids ids = tokenizer->encode(text);
  KETTE_CHECK(ids.size() >= 2, "explain: expected a text of at least 2 tokens, given ", ids.size());
  KETTE_CHECK(std::ssize(ids) <= model.positions(), "explain: expected at most ", model.positions(),
              " tokens, given ", ids.size());
  Batch batch = one_sentence(model, {}, ids);
  Explanation e = look_inside(model, tokenizer, batch, ids.size() - 1);
  e.translation = text;
  const auto ready = model.for_decoding();
  const std::int64_t room = model.positions() - std::ssize(ids);
  SearchOptions cut = options;
  cut.cut_off = true;
  if (room > 0) {
    e.beam = beam_tree(*ready, cut, std::min(more, room), tokenizer->special().end, {0, {}, ids});
  }
  try_without(
      e, model, batch, [](Tap*) { return std::string(); }, check);
  return e;
}

}  // namespace kette
