#include <algorithm>
#include <cmath>
#include <functional>

#include "data/files/json_text.h"
#include "inspect/heads/head_study.h"
#include "inspect/page/heat_map.h"
#include "inspect/page/html.h"
#include "inspect/page/page.h"

namespace kette {
namespace {

constexpr double kSignificant = 0.01;

/// "+0.12", with a star where chance is unlikely to do as much.
std::string change_text(const MaskedResult& result) {
  return with_sign(result.change, 2) + (result.p < kSignificant ? "*" : "");
}

HtmlTable table_of(const HeadStudy& study) {
  HtmlTable table(
      {{"attention"},
       {"layer", true},
       {"head", true},
       {"without it", true, "change of " + study.metric + ", * p < 0.01"},
       {"p", true, "of a change as large by chance, paired bootstrap"},
       {"it alone", true, "change with all others of its attention masked"},
       {"importance", true, "E |dL/dgate|, nats a sentence (Michel et al. 2019)"},
       {"normalised", true, "over the norm of its attention's"},
       {"entropy", true, "of its probabilities, nats"},
       {"confidence", true, "mean of its largest probability"},
       {"-1", true, "share of looks one word back"},
       {"0", true, "at the word itself"},
       {"+1", true, "one word on"},
       {"sink", true, "share of looks at the source's end mark; in a decoder at the first token"},
       {"rarest", true, "share of looks at the rarest word of the source"},
       {"aligned", true, "share of target words whose source it finds"},
       {"copying", true, "sum of the OV circuit's eigenvalues over that of their moduli"}});
  double most = 1e-30;
  for (const HeadStudy::Row& row : study.rows) most = std::max(most, row.importance.mean);
  for (const HeadStudy::Row& row : study.rows) {
    const AttentionPart& part = study.attentions[row.head.attention];
    const HeadScores& s = row.scores;
    table.row({enum_name(part.kind),
               std::to_string(part.layer),
               std::to_string(row.head.head),
               change_text(row.without),
               fixed(row.without.p, 3),
               change_text(row.alone),
               {fixed(row.importance.mean, 3), row.importance.mean / most},
               fixed(row.importance.normalized, 2),
               fixed(s.entropy, 2),
               HtmlTable::share(s.confidence),
               HtmlTable::share(s.previous),
               HtmlTable::share(s.same),
               HtmlTable::share(s.next),
               HtmlTable::share(s.sink),
               HtmlTable::share(s.rarest),
               HtmlTable::share(s.alignment),
               fixed_or_dash(row.copying, 2)});
  }
  return table;
}

/// A map of each of the kinds of attention that there are, layers by heads, of some number. A layer of which heads
/// were pruned ends sooner.
std::string maps_of(const HeadStudy& study, const std::string& title,
                    const std::vector<AttentionKind>& kinds,
                    const std::function<double(const HeadStudy::Row&)>& number) {
  double most = 1e-30;
  for (const HeadStudy::Row& row : study.rows) most = std::max(most, number(row));
  std::string html;
  for (const AttentionKind kind : kinds) {
    std::int64_t layers = 0, heads = 0;
    for (const AttentionPart& part : study.attentions) {
      if (part.kind != kind) continue;
      layers = std::max(layers, part.layer + 1);
      heads = std::max(heads, part.heads);
    }
    if (layers == 0) continue;
    std::vector<float> values(static_cast<std::size_t>(layers * heads));
    for (const HeadStudy::Row& row : study.rows) {
      const AttentionPart& part = study.attentions[row.head.attention];
      if (part.kind != kind) continue;
      values[part.layer * heads + row.head.head] = static_cast<float>(number(row));
    }
    html += "<figure><figcaption>" + std::string(enum_name(kind)) + "</figcaption>" +
            heat_map({std::string(enum_name(kind)) + ": " + title, layers, heads, values,
                      static_cast<float>(most), "layers", "heads"}) +
            "</figure>\n";
  }
  if (html.empty()) return "";
  return "<div><h3>" + escaped(title) + "</h3><div class=\"kinds small\">" + html +
         "</div></div>\n";
}

}  // namespace

std::string heads_page(const HeadStudy& study, const std::string& title, const std::string& lead) {
  Page page(title, lead);
  Json layers = Json::array(), heads = Json::array();
  for (int i = 0; i < 64; ++i) {
    layers.push_back("layer " + std::to_string(i));
    heads.push_back("head " + std::to_string(i));
  }
  page.data("labels", {{"layers", layers}, {"heads", heads}});
  const auto significant = std::count_if(study.rows.begin(), study.rows.end(), [](const auto& row) {
    return row.without.p < kSignificant;
  });
  const std::vector<AttentionKind> all = {AttentionKind::encoder, AttentionKind::decoder,
                                          AttentionKind::cross},
                                   within = {AttentionKind::encoder, AttentionKind::decoder},
                                   across = {AttentionKind::cross};
  using Row = HeadStudy::Row;
  const std::string maps =
      maps_of(study, "what one head masked costs", all,
              [&](const Row& row) { return study.cost(row.without); }) +
      maps_of(study, "importance", all, [](const Row& row) { return row.importance.mean; }) +
      maps_of(study, "confidence", all, [](const Row& row) { return row.scores.confidence; }) +
      maps_of(study, "looks one word back", within,
              [](const Row& row) { return row.scores.previous; }) +
      maps_of(study, "looks one word on", {AttentionKind::encoder},
              [](const Row& row) { return row.scores.next; }) +
      maps_of(study, "finds the aligned word", across,
              [](const Row& row) { return row.scores.alignment; });
  page.section("Maps",
               note(study.metric + " with all heads: " + fixed(study.whole, 2) +
                    ". Masking one head changes it with p < " + fixed(kSignificant, 2) + " for " +
                    std::to_string(significant) + " of " + std::to_string(study.rows.size()) +
                    " heads, by paired bootstrap of " + std::to_string(study.segments) + " " +
                    study.segment_name + ". Rows are layers, columns heads.") +
                   "<div class=\"panels\">" + maps + "</div>");
  page.section("Heads",
               note("Click a heading to sort; each heading says what it means under the pointer.") +
                   table_of(study).str());
  return page.str();
}

}  // namespace kette
