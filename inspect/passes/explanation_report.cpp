#include "inspect/passes/explanation_report.h"

#include <algorithm>
#include <cmath>

#include "data/files/json_text.h"
#include "inspect/heads/head_columns.h"
#include "inspect/heads/head_maps.h"
#include "inspect/page/assets.h"
#include "inspect/page/html.h"
#include "inspect/passes/explanation_drawings.h"
#include "inspect/passes/token_drawings.h"
#include "inspect/report/text.h"

namespace kette {
namespace {

Cell piece_cell(const std::string& piece) { return Cell(piece).as(shown_piece(piece)); }

Json attribution_json(const Explanation& e, const std::vector<double>& attribution) {
  Json json = Json::object();
  for (std::size_t part = 0; part < e.parts.size(); ++part) json[e.parts[part]] = attribution[part];
  return json;
}

/// The lens in numbers, of each level and row.
Json lens_json(const Explanation& e) {
  Json guesses = Json::array(), entropy = Json::array(), divergence = Json::array();
  for (const auto& level : e.lens) {
    Json guesses_of = Json::array(), entropies = Json::array(), divergences = Json::array();
    for (const LensReading& reading : level) {
      Json best = Json::array();
      for (const LensReading::Guess& guess : reading.best) {
        best.push_back({{"says", e.piece(guess.token)}, {"probability", guess.probability}});
      }
      guesses_of.push_back(best);
      entropies.push_back(reading.entropy);
      divergences.push_back(reading.divergence);
    }
    guesses.push_back(guesses_of);
    entropy.push_back(entropies);
    divergence.push_back(divergences);
  }
  return {{"lens_guesses", guesses}, {"lens_entropy", entropy}, {"lens_divergence", divergence}};
}

Json beam_json(const Explanation& e) {
  Json steps = Json::array(), n_best = Json::array();
  for (const auto& step : e.beam.steps) {
    Json branches = Json::array();
    for (const BeamBranch& branch : step) {
      branches.push_back({{"says", e.piece(branch.token)},
                          {"log_probability", branch.log_probability},
                          {"parent", branch.parent < 0 ? Json() : Json(branch.parent)},
                          {"fate", branch.fate()}});
    }
    steps.push_back(branches);
  }
  for (const Hypothesis& hypothesis : e.beam.n_best) {
    n_best.push_back({{"text", e.tokenizer->decode(hypothesis.tokens)},
                      {"log_probability", hypothesis.log_probability},
                      {"score", hypothesis.score}});
  }
  return {{"steps", steps}, {"n_best", n_best}};
}

/// A row for each word that looks, a number for each that is looked at.
Json map_json(const AttentionMaps& maps, const std::vector<float>& values, std::int64_t head) {
  const std::span<const float> of_head = maps.of(values, head);
  Json rows = Json::array();
  for (std::int64_t query = 0; query < maps.queries; ++query) {
    const std::span<const float> row = of_head.subspan(static_cast<std::size_t>(query * maps.keys),
                                                       static_cast<std::size_t>(maps.keys));
    rows.push_back(std::vector<float>(row.begin(), row.end()));
  }
  return rows;
}

Json attention_json(const Explanation& e) {
  Json heads = Json::array();
  for (const Head& head : heads_of(e.attentions)) {
    const AttentionPart& part = e.attentions[head.attention];
    const AttentionMaps& maps = e.maps[head.attention];
    heads.push_back({{"attention", enum_name(part.kind)},
                     {"layer", part.layer},
                     {"head", head.head},
                     {"probabilities", map_json(maps, maps.probabilities, head.head)},
                     {"norms", map_json(maps, maps.norms, head.head)}});
  }
  return heads;
}

Table words_of(const Explanation& e) {
  constexpr Where kShown = kText | kPage, kNoText = kJson | kPage;
  const Digits two = decimals(2), percent = percents(1);
  std::size_t read = 0;
  Table table = tabulated(
      "words", e.predictions,
      {{{.title = "row", .digits = whole(), .where = kPage},
        [&](const Prediction& p) { return &p - e.predictions.data(); }},
       {{.key = "reads", .title = "reads", .where = kNoText},
        [&](const Prediction&) { return piece_cell(e.target_in[read++]); }},
       {{.key = "says", .title = "says", .width = -16},
        [&](const Prediction& p) { return piece_cell(e.piece(p.token)); }},
       {{.title = "P",
         .digits = percent,
         .width = 7,
         .help = "the probability of what was said",
         .where = kShown},
        [](const Prediction& p) { return Cell::share(std::exp(p.log_probability)); }},
       {{.key = "log_probability", .where = kJson}, &Prediction::log_probability},
       {{.key = "entropy",
         .title = "entropy",
         .digits = two,
         .width = 8,
         .help = "of all the model might have said, in nats; 0: it was certain",
         .page_title = "entropy, nats"},
        &Prediction::entropy},
       {{.key = "runner_up", .title = "runner-up", .width = -16, .gap = 2},
        [&](const Prediction& p) { return piece_cell(e.piece(p.runner_up)); }},
       {{.title = "P", .digits = percent, .width = 7, .where = kShown},
        [](const Prediction& p) { return Cell::share(std::exp(p.runner_up_log_probability)); }},
       {{.key = "runner_up_log_probability", .where = kJson},
        &Prediction::runner_up_log_probability},
       {{.title = "logits apart",
         .digits = two,
         .help = "by how much the logit of what was said exceeds that of the runner-up",
         .where = kPage},
        [](const Prediction& p) { return p.log_probability - p.runner_up_log_probability; }},
       {{.title = "what gave it the lead", .width = -1, .where = kText, .gap = 2},
        [&](const Prediction& p) { return e.main_parts(p); }},
       {{.key = "logit_parts", .where = kJson},
        [&](const Prediction& p) { return nested(attribution_json(e, p.attribution)); }},
       {{.key = "runner_up_logit_parts", .where = kJson}, [&](const Prediction& p) {
          return nested(attribution_json(e, p.runner_up_attribution));
        }}});
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    table.rows[row].id = "row-" + std::to_string(row);
  }
  return table;
}

Json best_of_lens(const Explanation& e) {
  Json lens = Json::array();
  for (const auto& level : e.lens) {
    Json said = Json::array();
    for (const LensReading& reading : level) said.push_back(e.piece(reading.best.front().token));
    lens.push_back(std::move(said));
  }
  return lens;
}

void add_encoder_exits(Report& report, const Explanation& e) {
  report.fact("encoder_exits", nested(e.encoder_exits));
  if (e.encoder_exits.empty()) return;
  report.section("Layers of the encoder");
  report.note(
      "What the whole decoder makes of the source after so many blocks of the encoder (DecoderLens).");
  report.line("\nThe translation after so many blocks of the encoder\n");
  Table exits{.columns = {{.title = "encoder blocks", .digits = whole(), .width = 1},
                          {.title = "translation", .width = -1, .gap = 2}},
              .has_titles = false};
  for (const std::string& text : e.encoder_exits) {
    exits.rows.push_back({{exits.rows.size(), text}});
  }
  report.table(std::move(exits), kText | kPage);
}

void add_beam(Report& report, const Explanation& e) {
  report.fact("beam", nested(beam_json(e)));
  if (e.beam.steps.empty()) return;
  report.section("The beam");
  report.note(
      "Every continuation that had a place, step by step, the likeliest on top. Strong: what was chosen; framed: "
      "finished; faint: died.");
  report.drawing([&e](Page&) { return beam_drawing(e); });
  report.table(tabulated("", e.beam.n_best,
                         {{{.title = "score",
                            .digits = decimals(3),
                            .help = "log P over the length penalty, by which search chooses"},
                           &Hypothesis::score},
                          {{.title = "log P",
                            .digits = decimals(3),
                            .help = "natural logarithm of the probability of the whole sentence"},
                           &Hypothesis::log_probability},
                          {{.title = "text"},
                           [&](const auto& one) { return e.tokenizer->decode(one.tokens); }}}),
               kPage);
}

/// Those that are missed most, in the text alone a few.
void add_without(Report& report, const Explanation& e) {
  constexpr std::size_t kFew = 5;
  const bool is_translation = !e.source.empty();
  double most = 1e-30;
  for (const WithoutHead& one : e.without) {
    most = std::max(most, std::abs(one.log_probability - e.log_probability));
  }
  auto columns = head_columns(e.attentions, &WithoutHead::head);
  columns.push_back({{.key = "log_probability", .where = kJson}, &WithoutHead::log_probability});
  columns.push_back({{.title = "change of log P", .digits = decimals(3), .where = kPage},
                     [&e, most](const WithoutHead& one) {
                       const double change = one.log_probability - e.log_probability;
                       return Cell(change).with_balance(change / most);
                     }});
  columns.push_back(
      {{.key = "translation",
        .title = "translation then",
        .where = is_translation ? kJson | kPage : kJson},
       [&e](const WithoutHead& one) {
         return Cell(one.translation).as(one.translation == e.translation ? "the same" : "");
       }});
  report.section("Heads switched off");
  report.note(
      "One head at a time is switched off: it gives zeros. The text stays the one above, and has another probability "
      "then. Blue: it became less likely, the head helped; orange: more likely.");
  HeadNumbers lost{.title = "log P lost without it", .values = {}, .unit = "nats"};
  for (const Head& head : heads_of(e.attentions)) {
    for (const WithoutHead& one : e.without) {
      if (one.head.attention == head.attention && one.head.head == head.head) {
        lost.values.push_back(e.log_probability - one.log_probability);
      }
    }
  }
  if (!lost.values.empty()) {
    report.drawing([html = head_maps(e.attentions, lost)](Page&) { return html; });
  }
  Table table = tabulated("without_head", e.without, columns);
  table.folded = is_translation ? "What it would then say, a row a head" : "A row a head";
  report.table(std::move(table), kJson | kPage);
  report.line(std::string("\nHeads without which it would be least likely: change of log P") +
              (is_translation ? ", and what is then said\n" : "\n"));
  for (std::size_t i = 0; i < std::min(kFew, e.without.size()); ++i) {
    const WithoutHead& one = e.without[i];
    const std::string then = one.translation == e.translation ? "the same" : one.translation;
    report.line(text("%-10s head %lld  %+.3f", e.attentions[one.head.attention].name().c_str(),
                     static_cast<long long>(one.head.head),
                     one.log_probability - e.log_probability) +
                (is_translation ? "  " + then : "") + "\n");
  }
}

/// What was found, in a sentence.
std::string lead_of(const Explanation& e) {
  const auto end = e.predictions.begin() + static_cast<std::ptrdiff_t>(e.known);
  const auto least =
      std::min_element(e.predictions.begin(), end, [](const Prediction& a, const Prediction& b) {
        return a.log_probability < b.log_probability;
      });
  if (least == end) return "The text is empty.";
  return "The model was least sure of \xE2\x80\x9C" + shown_piece(e.piece(least->token)) +
         "\xE2\x80\x9D (" + fixed(100 * std::exp(least->log_probability), 1) + " %); " +
         (e.source.empty() ? "the whole text" : "the whole sentence") + " has log P " +
         fixed(e.log_probability, 2) +
         " (natural logarithm), and each word's part of it and what made the word stand below.";
}

/// What scripts know of it.
void add_data(Page& page, const Explanation& e) {
  page.data("labels", {{"source", shown_pieces(e.source)}, {"read", shown_pieces(e.target_in)}});
  Json ways = Json::array();
  for (const LayerAlignment& alignment : e.alignments) {
    ways.push_back({{"way", way_of(alignment)}, {"source", alignment.source}});
  }
  page.data("alignments", std::move(ways));
  page.script(assets::explain_js);
}

}  // namespace

Report to_report(const Explanation& e, bool with_maps) {
  Report report;
  report.lead = lead_of(e);
  report.line(e.translation + text("\nlog P %.4f\n\n", e.log_probability));
  report.fact("source", nested(e.source));
  report.fact("text", e.translation);
  report.fact("log_probability", e.log_probability);
  report.fact("alignment",
              nested(e.alignments.empty() ? Json::array() : Json(e.alignments.front().source)));
  if (!e.source.empty()) {
    report.section("Translation");
    report.drawing([&e](Page&) { return translation_drawing(e); });
    report.note(
        "Lines: where the cross-attention of " + way_of(e.alignments.front()) +
        ", looks most, by norms; it agrees most with what the other layers look at when they write. The "
        "stronger the blue of a word, the surer the model was of it. Click or tap a word to see what made it.");
  }
  report.section("Word by word");
  report.table(words_of(e));
  report.drawing([&e](Page& page) { return add_data(page, e), std::string(); });
  report.section("What made each word");
  report.note(
      "Each logit is a sum of what embedding, position, heads, feed-forward layers and biases add, exactly: the norms "
      "on the way are linear with the means and deviations of this run. Columns: what a part adds to the logit of what "
      "was said, to that of the runner-up, and the difference: blue for what was said, orange against it.");
  report.drawing([&e](Page&) { return attribution_drawing(e); });
  report.section("Attention");
  report.note(
      "A row of a map is a word that looks, a column one that is looked at. The small maps are the single heads, "
      "layers from the top, heads from the left: click or tap one for its words and numbers. Norms: how long the vector "
      "is that a head takes from a word, which a high probability of a small value does not make long.");
  report.drawing([&e](Page&) { return attention_drawing(e); });
  report.section("Logit lens");
  report.note(
      "What the model would say if the residual stream after each block were the last. Columns: the word that was "
      "read; bold: what it says in the end; bars: how sure it is.");
  report.fact("lens", nested(best_of_lens(e)));
  report.drawing([&e](Page&) { return lens_drawing(e); });
  add_encoder_exits(report, e);
  add_beam(report, e);
  add_without(report, e);
  const Json lens = lens_json(e);
  for (const auto& [key, value] : lens.items()) report.fact(key, nested(value));
  if (with_maps) report.fact("attention", nested(attention_json(e)));
  report.page_file();
  return report;
}

}  // namespace kette
