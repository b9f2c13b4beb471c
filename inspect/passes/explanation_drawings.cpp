#include "inspect/passes/explanation_drawings.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "inspect/page/heat_map.h"
#include "inspect/page/html.h"
#include "inspect/page/labelled_map.h"
#include "inspect/passes/token_drawings.h"

namespace kette {
namespace {

std::string said(const Explanation& e, std::size_t row) {
  return shown_piece(e.piece(e.predictions[row].token));
}

std::string attribution_of(const Explanation& e, std::size_t row) {
  constexpr std::size_t kShown = 14;
  const Prediction& p = e.predictions[row];
  std::vector<std::size_t> order(e.parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(p.lead(a)) > std::abs(p.lead(b));
  });
  const double most = std::abs(p.lead(order.front())) + 1e-30;
  HtmlTable table({{"part"},
                   {"to " + said(e, row), true},
                   {"to " + shown_piece(e.piece(p.runner_up)), true},
                   {"lead", true}},
                  "What made " + said(e, row));
  double word = 0, other = 0, shown_word = 0, shown_other = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t part = order[i];
    word += p.attribution[part];
    other += p.runner_up_attribution[part];
    if (i >= kShown) continue;
    shown_word = word;
    shown_other = other;
    HtmlTable::Cell lead(with_sign(p.lead(part), 3));
    lead.balance = p.lead(part) / most;
    table.row({e.parts[part], fixed(p.attribution[part], 3),
               fixed(p.runner_up_attribution[part], 3), lead});
  }
  if (order.size() > kShown) {
    table.footer({"the other " + std::to_string(order.size() - kShown), fixed(word - shown_word, 3),
                  fixed(other - shown_other, 3),
                  fixed(word - shown_word - other + shown_other, 3)});
  }
  table.footer({"sum: the logit", fixed(word, 3), fixed(other, 3), fixed(word - other, 3)});
  return "<details id=\"made-" + std::to_string(row) + "\"><summary><b class=\"piece\">" +
         escaped(said(e, row)) + "</b> over <span class=\"piece\">" +
         escaped(shown_piece(e.piece(p.runner_up))) + "</span>, by " + fixed(word - other, 2) +
         ": " + escaped(e.main_parts(p)) + "</summary>" + table.str() + "</details>\n";
}

std::string note_on(const Explanation& e, std::int64_t attention, std::int64_t head) {
  for (const WithoutHead& without : e.without) {
    if (without.head.attention != attention || without.head.head != head) continue;
    std::string text = "Rows look at columns. Without this head log P is " +
                       fixed(without.log_probability, 3) + " instead of " +
                       fixed(e.log_probability, 3);
    if (e.source.empty()) return text + ".";
    return text + (without.translation == e.translation
                       ? ", and the translation is the same."
                       : ", and the translation: " + without.translation);
  }
  return "";
}

/// The mean of all heads, large and with its words.
std::string mean_map(const Explanation& e, AttentionKind kind) {
  std::vector<double> mean;
  const AttentionMaps* any = nullptr;
  double heads = 0;
  for (std::size_t i = 0; i < e.attentions.size(); ++i) {
    if (e.attentions[i].kind != kind) continue;
    any = &e.maps[i];
    mean.resize(static_cast<std::size_t>(any->queries * any->keys));
    for (std::int64_t head = 0; head < any->heads; ++head, ++heads) {
      const std::span<const float> of_head = any->of(any->probabilities, head);
      for (std::size_t at = 0; at < mean.size(); ++at) mean[at] += of_head[at];
    }
  }
  constexpr std::size_t kMostCells = 400;  // of many a page would be slow, and nobody reads them
  if (any == nullptr || mean.size() > kMostCells) return "";
  for (double& value : mean) value /= heads;
  const auto& rows = kind == AttentionKind::encoder ? e.source : e.target_in;
  const auto& columns = kind == AttentionKind::decoder ? e.target_in : e.source;
  return labelled_map(
      {"Mean of all heads", shown_pieces(rows), shown_pieces(columns), mean, 1, "probability"});
}

std::string maps(const Explanation& e, AttentionKind kind, bool by_norms) {
  std::string html, names;
  float most = by_norms ? 0 : 1;  // one scale for all
  for (std::size_t i = 0; by_norms && i < e.attentions.size(); ++i) {
    const std::vector<float>& norms = e.maps[i].norms;
    if (e.attentions[i].kind == kind)
      most = std::max(most, *std::max_element(norms.begin(), norms.end()));
  }
  for (std::size_t i = 0; i < e.attentions.size(); ++i) {
    const AttentionPart& part = e.attentions[i];
    if (part.kind != kind) continue;
    const AttentionMaps& maps = e.maps[i];
    const std::vector<float>& values = by_norms ? maps.norms : maps.probabilities;
    if (html.empty()) {
      for (std::int64_t head = 0; head < part.heads; ++head) {
        names += "<span class=\"note\">head " + std::to_string(head) + "</span>";
      }
      html = "<p class=\"note\">Single heads, " +
             color_scale(most, by_norms ? "length" : "probability") +
             "</p><div class=\"layer\" style=\"--heads:" + std::to_string(part.heads) +
             "\"><span></span>" + names + "</div>\n";
    }
    html += "<div class=\"layer\" style=\"--heads:" + std::to_string(part.heads) +
            "\"><span class=\"note\">layer " + std::to_string(part.layer) + "</span>";
    for (std::int64_t head = 0; head < maps.heads; ++head) {
      const std::span<const float> of_head = maps.of(values, head);
      html += heat_map({part.name() + " head " + std::to_string(head) +
                            (by_norms ? ", norms" : ", probabilities"),
                        maps.queries,
                        maps.keys,
                        {of_head.begin(), of_head.end()},
                        most,
                        kind == AttentionKind::encoder ? "source" : "read",
                        kind == AttentionKind::decoder ? "read" : "source",
                        note_on(e, static_cast<std::int64_t>(i), head)});
    }
    html += "</div>\n";
  }
  return html;
}

}  // namespace

std::vector<std::string> shown_pieces(const std::vector<std::string>& pieces) {
  std::vector<std::string> result;
  for (const std::string& piece : pieces) result.push_back(shown_piece(piece));
  return result;
}

std::string way_of(const LayerAlignment& alignment) {
  return "layer " + std::to_string(alignment.layer) + ", at the step that " +
         (alignment.shifted ? "reads" : "writes") + " a word";
}

std::string translation_drawing(const Explanation& e) {
  std::vector<std::string> target;
  std::vector<double> shade;
  for (std::size_t row = 0; row < e.predictions.size(); ++row) {
    target.push_back(said(e, row));
    shade.push_back(std::exp(e.predictions[row].log_probability));
  }
  return "<p class=\"big\">" + escaped(e.translation) + "</p>\n" +
         alignment_drawing(shown_pieces(e.source), target, e.alignments.front().source, shade);
}

std::string attribution_drawing(const Explanation& e) {
  std::string html;
  for (std::size_t row = 0; row < e.predictions.size(); ++row) html += attribution_of(e, row);
  return html;
}

std::string attention_drawing(const Explanation& e) {
  std::string html = "<div class=\"kinds\">";
  const std::map<AttentionKind, std::string> titles = {
      {AttentionKind::encoder, "Encoder: source to source"},
      {AttentionKind::decoder,
       e.source.empty() ? "Each word to those before" : "Decoder: target to target"},
      {AttentionKind::cross, "Cross: target to source"}};
  for (const auto& [kind, title] : titles) {
    const std::string plain = maps(e, kind, false);
    if (plain.empty()) continue;
    html += "<div class=\"kind\"><h3>" + title + "</h3>" + mean_map(e, kind) +
            "<div class=\"views\"><div class=\"view\" data-view=\"probabilities\">" + plain +
            "</div><div class=\"view\" data-view=\"norms\">" + maps(e, kind, true) +
            "</div></div></div>\n";
  }
  return html + "</div>\n";
}

std::string lens_drawing(const Explanation& e) {
  std::string head = "<th scope=\"col\">after</th>", rows;
  for (std::size_t row = 0; row < e.predictions.size(); ++row) {
    head += "<th scope=\"col\" class=\"piece\">" + escaped(shown_piece(e.target_in[row])) + "</th>";
  }
  for (std::int64_t level = std::ssize(e.lens) - 1; level >= 0; --level) {
    rows += "<tr><th scope=\"row\">" +
            (level == 0 ? "embedding" : "block " + std::to_string(level - 1)) + "</th>";
    for (std::size_t row = 0; row < e.predictions.size(); ++row) {
      const LensReading& reading = e.lens[level][row];
      std::string help;
      for (const LensReading::Guess& guess : reading.best) {
        help +=
            shown_piece(e.piece(guess.token)) + " " + fixed(100 * guess.probability, 1) + " %, ";
      }
      help += "entropy " + fixed(reading.entropy, 2) + ", KL to the end " +
              fixed(reading.divergence, 2);
      const LensReading::Guess& best = reading.best.front();
      rows += std::string("<td class=\"piece bar") +
              (best.token == e.predictions[row].token ? " same" : "") +
              "\" style=\"--share:" + fixed(100 * best.probability, 0) + "%\" title=\"" +
              escaped(help) + "\">" + escaped(shown_piece(e.piece(best.token))) + "</td>";
    }
    rows += "</tr>\n";
  }
  return "<div class=\"scroll\"><table class=\"lens\">" + caption("What each level would say") +
         "<thead><tr>" + head + "</tr></thead><tbody>" + rows + "</tbody></table></div>\n";
}

}  // namespace kette
