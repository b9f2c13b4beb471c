#include "inspect/passes/explanation_page.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "data/files/json_text.h"
#include "inspect/page/assets.h"
#include "inspect/page/heat_map.h"
#include "inspect/page/html.h"
#include "inspect/page/page.h"
#include "inspect/passes/token_drawings.h"

namespace kette {
namespace {

std::string percent(double log_probability) {
  return fixed(100 * std::exp(log_probability), 1) + " %";
}

class ExplanationPage {
 public:
  ExplanationPage(const Explanation& explanation, const std::string& title, const std::string& lead)
      : e_(explanation), page_(title, lead) {}

  std::string str() {
    add_labels();
    if (!e_.source.empty()) page_.section("Translation", translation());
    page_.section("Word by word", words());
    page_.section("What made each word", attributions());
    page_.section("Attention", attention());
    page_.section("Logit lens", lens());
    if (!e_.encoder_exits.empty()) page_.section("Layers of the encoder", encoder_exits());
    if (!e_.beam.steps.empty()) page_.section("The beam", beam());
    page_.section("Heads switched off", without());
    page_.script(assets::explain_js);
    return page_.str();
  }

 private:
  std::string said(std::size_t row) const {
    return shown_piece(e_.piece(e_.predictions[row].token));
  }

  static std::vector<std::string> shown(const std::vector<std::string>& pieces) {
    std::vector<std::string> result;
    for (const std::string& piece : pieces) result.push_back(shown_piece(piece));
    return result;
  }

  void add_labels() {
    page_.data("labels", {{"source", shown(e_.source)}, {"read", shown(e_.target_in)}});
    Json ways = Json::array();
    for (const LayerAlignment& alignment : e_.alignments) {
      ways.push_back({{"way", way_of(alignment)}, {"source", alignment.source}});
    }
    page_.data("alignments", ways);
  }

  std::string translation() const {
    std::vector<std::string> target;
    std::vector<double> shade;
    for (std::size_t row = 0; row < e_.predictions.size(); ++row) {
      target.push_back(said(row));
      shade.push_back(std::exp(e_.predictions[row].log_probability));
    }
    return "<p class=\"big\">" + escaped(e_.translation) + "</p>\n" +
           alignment_drawing(shown(e_.source), target, e_.alignments.front().source, shade) +
           note(
               "Lines: where the cross-attention of " + way_of(e_.alignments.front()) +
               ", looks most, by norms; it agrees most with what the other layers look at when they write. The "
               "darker a word, the surer the model was of it. Click a word to see what made it.");
  }

  static std::string way_of(const LayerAlignment& alignment) {
    return "layer " + std::to_string(alignment.layer) + ", at the step that " +
           (alignment.shifted ? "reads" : "writes") + " a word";
  }

  std::string words() const {
    HtmlTable table({{"row", true},
                     {"reads"},
                     {"says"},
                     {"P", true},
                     {"entropy", true, "in nats, of all the model might have said"},
                     {"runner-up"},
                     {"P", true},
                     {"logits apart", true}});
    for (std::size_t row = 0; row < e_.predictions.size(); ++row) {
      const Prediction& p = e_.predictions[row];
      table.row({std::to_string(row),
                 shown_piece(e_.target_in[row]),
                 said(row),
                 {percent(p.log_probability), std::exp(p.log_probability)},
                 fixed(p.entropy, 2),
                 shown_piece(e_.piece(p.runner_up)),
                 {percent(p.runner_up_log_probability), std::exp(p.runner_up_log_probability)},
                 fixed(p.log_probability - p.runner_up_log_probability, 2)},
                "row-" + std::to_string(row));
    }
    return table.str();
  }

  std::string attribution_of(std::size_t row) const {
    constexpr std::size_t kShown = 14;
    const Prediction& p = e_.predictions[row];
    std::vector<std::size_t> order(e_.parts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::abs(p.lead(a)) > std::abs(p.lead(b));
    });
    const double most = std::abs(p.lead(order.front())) + 1e-30;
    HtmlTable table({{"part"},
                     {"to " + said(row), true, "added to the logit of what was said"},
                     {"to " + shown_piece(e_.piece(p.runner_up)), true, "added to the runner-up's"},
                     {"lead", true, "the difference"}});
    double word = 0, other = 0, shown_word = 0, shown_other = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::size_t part = order[i];
      word += p.attribution[part];
      other += p.runner_up_attribution[part];
      if (i >= kShown) continue;
      shown_word = word;
      shown_other = other;
      const double share = std::abs(p.lead(part)) / most;
      table.row({e_.parts[part],
                 fixed(p.attribution[part], 3),
                 fixed(p.runner_up_attribution[part], 3),
                 {fixed(p.lead(part), 3), share}});
    }
    if (order.size() > kShown) {
      table.footer({"the other " + std::to_string(order.size() - kShown),
                    fixed(word - shown_word, 3), fixed(other - shown_other, 3),
                    fixed(word - shown_word - other + shown_other, 3)});
    }
    table.footer({"sum: the logit", fixed(word, 3), fixed(other, 3), fixed(word - other, 3)});
    return "<details id=\"made-" + std::to_string(row) + "\"><summary><b class=\"piece\">" +
           escaped(said(row)) + "</b> over <span class=\"piece\">" +
           escaped(shown_piece(e_.piece(p.runner_up))) + "</span>, by " + fixed(word - other, 2) +
           ": " + escaped(e_.main_parts(p)) + "</summary>" + table.str() + "</details>\n";
  }

  std::string attributions() const {
    std::string html = note(
        "Each logit is a sum of what embedding, position, heads, feed-forward layers and biases add, exactly: the "
        "norms on the way are linear with the means and deviations of this run.");
    for (std::size_t row = 0; row < e_.predictions.size(); ++row) html += attribution_of(row);
    return html;
  }

  std::string note_on(std::int64_t attention, std::int64_t head) const {
    for (const WithoutHead& without : e_.without) {
      if (without.head.attention != attention || without.head.head != head) continue;
      std::string text = "Rows look at columns. Without this head log P is " +
                         fixed(without.log_probability, 3) + " instead of " +
                         fixed(e_.log_probability, 3);
      if (e_.source.empty()) return text + ".";
      return text + (without.translation == e_.translation
                         ? ", and the translation is the same."
                         : ", and the translation: " + without.translation);
    }
    return "";
  }

  std::string maps(AttentionKind kind, bool by_norms) const {
    std::string html;
    for (std::size_t i = 0; i < e_.attentions.size(); ++i) {
      const AttentionPart& part = e_.attentions[i];
      if (part.kind != kind) continue;
      const AttentionMaps& maps = e_.maps[i];
      const std::vector<float>& values = by_norms ? maps.norms : maps.probabilities;
      const float most = by_norms ? *std::max_element(values.begin(), values.end()) : 1;
      html += "<div class=\"layer\" style=\"--heads:" + std::to_string(part.heads) +
              "\"><span class=\"note\">layer " + std::to_string(part.layer) + "</span>";
      for (std::int64_t head = 0; head < maps.heads; ++head) {
        html += heat_map({part.name() + " head " + std::to_string(head) +
                              (by_norms ? ", norms" : ", probabilities"),
                          maps.queries, maps.keys, maps.of(values, head), most,
                          kind == AttentionKind::encoder ? "source" : "read",
                          kind == AttentionKind::decoder ? "read" : "source",
                          note_on(static_cast<std::int64_t>(i), head)});
      }
      html += "</div>\n";
    }
    return html;
  }

  std::string attention() const {
    std::string html = note(
        "A row of a map is a word that looks, a column one that is looked at; layers from the top, heads "
        "from the left. Click a map for its numbers. Norms: how long the vector is that a head takes from a "
        "word, which a high probability of a small value does not make long.");
    html += "<div class=\"kinds\">";
    const std::map<AttentionKind, std::string> titles = {
        {AttentionKind::encoder, "Encoder: source to source"},
        {AttentionKind::decoder,
         e_.source.empty() ? "Each word to those before" : "Decoder: target to target"},
        {AttentionKind::cross, "Cross: target to source"}};
    for (const auto& [kind, title] : titles) {
      const std::string plain = maps(kind, false);
      if (plain.empty()) continue;
      html += "<div class=\"kind\"><h3>" + title +
              "</h3><div class=\"views\"><div class=\"view\" data-view=\"probabilities\">" + plain +
              "</div><div class=\"view\" data-view=\"norms\">" + maps(kind, true) +
              "</div></div></div>\n";
    }
    return html + "</div>\n";
  }

  std::string lens() const {
    std::string head = "<th scope=\"col\">after</th>", rows;
    for (std::size_t row = 0; row < e_.predictions.size(); ++row) {
      head +=
          "<th scope=\"col\" class=\"piece\">" + escaped(shown_piece(e_.target_in[row])) + "</th>";
    }
    for (std::int64_t level = std::ssize(e_.lens) - 1; level >= 0; --level) {
      rows += "<tr><th scope=\"row\">" +
              (level == 0 ? "embedding" : "block " + std::to_string(level - 1)) + "</th>";
      for (std::size_t row = 0; row < e_.predictions.size(); ++row) {
        const LensReading& reading = e_.lens[level][row];
        std::string help;
        for (const LensReading::Guess& guess : reading.best) {
          help +=
              shown_piece(e_.piece(guess.token)) + " " + fixed(100 * guess.probability, 1) + " %, ";
        }
        help += "entropy " + fixed(reading.entropy, 2) + ", KL to the end " +
                fixed(reading.divergence, 2);
        const LensReading::Guess& best = reading.best.front();
        rows += std::string("<td class=\"piece bar") +
                (best.token == e_.predictions[row].token ? " same" : "") +
                "\" style=\"--share:" + fixed(100 * best.probability, 0) + "%\" title=\"" +
                escaped(help) + "\">" + escaped(shown_piece(e_.piece(best.token))) + "</td>";
      }
      rows += "</tr>\n";
    }
    return note(
               "What the model would say if the residual stream after each block were the last. Columns: the "
               "word that was read; bold: what it says in the end; bars: how sure it is.") +
           "<div class=\"scroll\"><table class=\"lens\"><thead><tr>" + head +
           "</tr></thead><tbody>" + rows + "</tbody></table></div>\n";
  }

  std::string encoder_exits() const {
    HtmlTable table({{"encoder blocks", true}, {"translation"}});
    for (std::size_t level = 0; level < e_.encoder_exits.size(); ++level) {
      table.row({std::to_string(level), e_.encoder_exits[level]});
    }
    return note(
               "What the whole decoder makes of the source after so many blocks of the encoder (DecoderLens).") +
           table.str();
  }

  std::string beam() const {
    HtmlTable table({{"score", true}, {"log P", true}, {"text"}});
    for (const Hypothesis& hypothesis : e_.beam.n_best) {
      table.row({fixed(hypothesis.score, 3), fixed(hypothesis.log_probability, 3),
                 e_.tokenizer->decode(hypothesis.tokens)});
    }
    return note(
               "Every continuation that had a place, step by step, the likeliest on top. Strong: what was chosen; "
               "framed: finished; faint: died.") +
           beam_drawing(e_) + table.str();
  }

  std::string without() const {
    std::vector<HtmlTable::Column> columns = {
        {"attention"}, {"head", true}, {"change of log P", true}};
    if (!e_.source.empty()) columns.push_back({"translation then"});
    HtmlTable table(columns);
    double most = 1e-30;
    for (const WithoutHead& without : e_.without) {
      most = std::max(most, std::abs(without.log_probability - e_.log_probability));
    }
    for (const WithoutHead& without : e_.without) {
      const double change = without.log_probability - e_.log_probability;
      std::vector<HtmlTable::Cell> cells = {e_.attentions[without.head.attention].name(),
                                            std::to_string(without.head.head),
                                            {fixed(change, 3), std::abs(change) / most}};
      if (!e_.source.empty()) {
        cells.emplace_back(without.translation == e_.translation ? "the same"
                                                                 : without.translation);
      }
      table.row(cells);
    }
    return note(
               "One head at a time gives nothing; the text stays the one above, which then has another "
               "probability.") +
           table.str();
  }

  const Explanation& e_;
  Page page_;
};

}  // namespace

std::string explanation_page(const Explanation& explanation, const std::string& title,
                             const std::string& lead) {
  return ExplanationPage(explanation, title, lead).str();
}

}  // namespace kette
