#include "inspect/training/record_sections.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "data/files/json_text.h"
#include "inspect/page/heat_map.h"
#include "inspect/page/html.h"
#include "inspect/page/sparkline.h"

namespace kette {
namespace {

/// A number of each head: its name in the record, what it is, and what a head does that has a high one.
struct HeadNumber {
  const char* key;
  const char* what;
  const char* role;
};
constexpr HeadNumber kHeadNumbers[] = {
    {"entropy", "entropy of its probabilities, nats", nullptr},
    {"confidence", "largest probability", nullptr},
    {"previous", "looks most at the token before", "the token before"},
    {"same", "looks most at the token itself", "the token itself"},
    {"next", "looks most at the token after", "the token after"},
    {"sink", "looks most at the source's end mark, in a decoder at the first token", "a sink"},
    {"induction", "attention to what came next last time, in random text that repeats",
     "what came next last time"}};
/// A share from which on a head is said to do that.
constexpr double kRoleFrom = 0.5;

/// A head of the record, as "encoder 0", 0 and 2.
struct RecordedHead {
  std::string attention;
  int layer, head;

  std::string name() const { return attention + "." + std::to_string(head); }
  std::string kind() const { return attention.substr(0, attention.find(' ')); }
};

/// What is no number is part of a name that Kette did not write.
std::optional<int> whole_number(const std::string& text) {
  int number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && rest == end && number >= 0 ? std::optional(number) : std::nullopt;
}

class RecordSections {
 public:
  RecordSections(Page& page, const PlottedRun& run, int number, bool with_name)
      : page_(page),
        record_(run.record),
        number_(number),
        suffix_(with_name ? " of " + run.name : "") {}

  void add() {
    find_heads();
    if (!heads_.empty()) page_.section("Heads" + suffix_, heads());
    const std::string layers = stream() + parameters(), lens = lens_charts();
    if (!layers.empty()) page_.section("Layers" + suffix_, side_by_side(layers));
    if (!lens.empty()) page_.section("Logit lens" + suffix_, side_by_side(lens));
  }

 private:
  /// Points of a curve of which there may be hundreds.
  static constexpr std::size_t kMostPoints = 120, kMostOfSparkline = 60;

  static std::string side_by_side(const std::string& charts) {
    return "<div class=\"charts\">" + charts + "</div>\n";
  }

  const Series& of(const RecordedHead& head, const char* key) const {
    return record_["heads/" + head.attention + "/" + key + "/" + std::to_string(head.head)];
  }

  void find_heads() {
    std::vector<std::string> attentions;
    for (const auto& [name, series] : below(record_, "heads/")) {
      // "encoder 0/entropy/2"
      const std::size_t space = name.find(' '), end = name.find("/entropy/");
      if (series.values.empty() || end == std::string::npos || space > end) continue;
      const std::optional<int> layer = whole_number(name.substr(space + 1, end - space - 1)),
                               head = whole_number(name.substr(end + 9));
      if (layer && head) heads_.push_back({name.substr(0, end), *layer, *head});
    }
    const auto order = [](const RecordedHead& head) {
      const std::string kinds = "encoder decoder cross";
      return std::tuple(kinds.find(head.kind()), head.layer, head.head);
    };
    std::sort(heads_.begin(), heads_.end(),
              [&](const RecordedHead& a, const RecordedHead& b) { return order(a) < order(b); });
  }

  // --- heads
  std::string heads() {
    return "<p class=\"note\">A few texts of the validation set are run through the model every few steps; "
           "all numbers are means over their tokens.</p>\n" +
           roles() + maps() + side_by_side(charts());
  }

  /// What a head does at one of its records: the place in kHeadNumbers, or -1.
  int role_at(const RecordedHead& head, std::size_t at) const {
    int role = -1;
    double most = kRoleFrom;
    for (int i = 0; i < static_cast<int>(std::size(kHeadNumbers)); ++i) {
      if (kHeadNumbers[i].role == nullptr) continue;
      const Series& series = of(head, kHeadNumbers[i].key);
      if (at >= series.values.size() || !(series.values[at] >= most)) continue;
      most = series.values[at];
      role = i;
    }
    return role;
  }

  std::string roles() const {
    HtmlTable table({{"head"},
                     {"looks at", false, "what more than half of it is for, at the last record"},
                     {"share", true, "of its maxima, or its mean probability"},
                     {"since step", true, "the first record from which on it did so"},
                     {"share, step by step"},
                     {"entropy", true, "nats, at the last record"},
                     {"entropy, step by step"}});
    for (const RecordedHead& head : heads_) {
      const Series& entropy = of(head, "entropy");
      const std::size_t last = entropy.values.size() - 1;
      const int role = role_at(head, last);
      const double widest = *std::max_element(entropy.values.begin(), entropy.values.end());
      std::vector<HtmlTable::Cell> cells = {head.name()};
      if (role < 0) {
        cells.insert(cells.end(), {"\xE2\x80\x93", "", "", ""});
      } else {
        const Series& share = of(head, kHeadNumbers[role].key);
        std::size_t since = last;
        while (since > 0 && role_at(head, since - 1) == role) --since;
        cells.emplace_back(kHeadNumbers[role].role);
        cells.emplace_back(fixed(share.values[last], 2), share.values[last]);
        cells.emplace_back(fixed(share.steps[since], 0));
        cells.push_back(
            HtmlTable::Cell::html(sparkline(thinned(share, kMostOfSparkline).values, 0, 1)));
      }
      cells.emplace_back(fixed(entropy.values[last], 2));
      cells.push_back(
          HtmlTable::Cell::html(sparkline(thinned(entropy, kMostOfSparkline).values, 0, widest)));
      table.row(cells);
    }
    return "<h3>What each head became</h3>\n" + table.str();
  }

  std::vector<std::string> kinds() const {
    std::vector<std::string> kinds;
    for (const RecordedHead& head : heads_) {
      if (kinds.empty() || kinds.back() != head.kind()) kinds.push_back(head.kind());
    }
    return kinds;
  }

  std::vector<RecordedHead> heads_of_kind(const std::string& kind) const {
    std::vector<RecordedHead> heads;
    for (const RecordedHead& head : heads_) {
      if (head.kind() == kind) heads.push_back(head);
    }
    return heads;
  }

  std::string maps() {
    std::string html =
        "<h3>All heads, step by step</h3>\n<p class=\"note\">A row of a map is a head, from the "
        "first layer down; steps go from left to right; the darker, the more. Click a map for its numbers.</p>\n";
    Json steps = Json::array();
    const std::vector<double> all = of(heads_.front(), "entropy").steps;
    for (const std::size_t column : columns_of(all.size())) steps.push_back(fixed(all[column], 0));
    const std::string steps_key = "steps " + std::to_string(number_);
    page_.label(steps_key, steps);
    for (const std::string& kind : kinds()) {
      const std::vector<RecordedHead> heads = heads_of_kind(kind);
      Json names = Json::array();
      for (const RecordedHead& head : heads) names.push_back(head.name());
      const std::string key = kind + " heads " + std::to_string(number_);
      page_.label(key, names);
      html += "<h4>" + escaped(kind) + "</h4>\n<div class=\"strips\">";
      for (const HeadNumber& number : kHeadNumbers) html += map_of(heads, number, key, steps_key);
      html += "</div>\n";
    }
    return html;
  }

  /// A map of hundreds of columns has one of some.
  static std::vector<std::size_t> columns_of(std::size_t records) {
    constexpr std::size_t kMostColumns = 120;
    std::vector<std::size_t> columns;
    const std::size_t count = std::min(records, kMostColumns);
    for (std::size_t i = 0; i < count; ++i) {
      columns.push_back(count > 1 ? i * (records - 1) / (count - 1) : 0);
    }
    return columns;
  }

  std::string map_of(const std::vector<RecordedHead>& heads, const HeadNumber& number,
                     const std::string& rows_key, const std::string& steps_key) const {
    if (of(heads.front(), number.key).values.empty()) return "";
    const std::vector<std::size_t> columns = columns_of(of(heads.front(), "entropy").values.size());
    std::vector<float> values;
    for (const RecordedHead& head : heads) {
      const std::vector<double>& numbers = of(head, number.key).values;
      for (const std::size_t column : columns) {
        values.push_back(column < numbers.size() ? static_cast<float>(numbers[column])
                                                 : std::nanf(""));
      }
    }
    float most = 1;  // of shares
    for (const float value : values) most = std::max(most, value);
    HeatMap map{heads.front().kind() + ": " + number.what,
                std::ssize(heads),
                std::ssize(columns),
                values,
                most,
                rows_key,
                steps_key};
    map.note = "Heads by steps.";
    map.wide = true;
    return "<figure><figcaption>" + escaped(number.what) + "</figcaption>" + heat_map(map) +
           "</figure>\n";
  }

  std::string charts() {
    std::string html;
    for (const std::string& kind : kinds()) {
      for (const HeadNumber& number : kHeadNumbers) {
        const std::string key = number.key;
        if (key != "entropy" && key != "previous" && key != "induction") continue;
        std::vector<Curve> curves;
        for (const RecordedHead& head : heads_of_kind(kind)) {
          add_curve(curves, head.name(), of(head, number.key));
        }
        html += chart(kind + ": " + number.what, "", std::move(curves));
      }
    }
    return html;
  }

  // --- layers
  static std::string level_name(int level) {
    return level == 0 ? "embedding" : "block " + std::to_string(level - 1);
  }

  /// Of names that are numbers, by number.
  std::vector<Curve> levels(const std::string& prefix) const {
    std::vector<std::pair<int, Series>> ordered;
    for (const auto& [level, series] : below(record_, prefix)) {
      if (const std::optional<int> number = whole_number(level)) {
        ordered.emplace_back(*number, series);
      }
    }
    std::sort(ordered.begin(), ordered.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Curve> curves;
    for (const auto& [level, series] : ordered) {
      add_curve(curves, level_name(level), series);
    }
    return curves;
  }

  std::string stream() {
    std::string html;
    for (const std::string side : {"encoder", "decoder"}) {
      html += chart("Residual stream of the " + side, "mean length of a row",
                    levels("norms/stream/" + side + "/"), true);
      html +=
          chart("Effective dimensions of the " + side + "'s residual stream",
                "participation ratio of the variances", levels("norms/dimensions/" + side + "/"));
    }
    return html;
  }

  std::string parameters() {
    std::string html;
    for (const auto& [key, title, unit] :
         {std::tuple("norms/gradient/", "Gradient", "norm, layer by layer"),
          std::tuple("norms/update/", "A step's change of the values",
                     "norm of the change / norm of the values")}) {
      std::vector<Curve> curves;
      for (const auto& [layer, series] : below(record_, key)) add_curve(curves, layer, series);
      html += chart(title, unit, std::move(curves), true);
    }
    return html;
  }

  std::string lens_charts() {
    const std::string html =
        chart("What the model would say after each block", "KL to what it says in the end, nats",
              levels("lens/divergence/")) +
        chart("The best token after each block", "share that is the best one in the end",
              levels("lens/agreement/"));
    return html;
  }

  void add_curve(std::vector<Curve>& curves, const std::string& name, const Series& series) const {
    if (series.steps.empty()) return;
    const Series few = thinned(series, kMostPoints);
    Curve curve{name, few.steps, few.values};
    curve.scale = number_;
    curves.push_back(std::move(curve));
  }

  std::string chart(const std::string& title, const std::string& unit, std::vector<Curve> curves,
                    bool log_y = false) {
    return step_chart(page_, title, unit, std::move(curves), log_y);
  }

  Page& page_;
  const StepSeries& record_;
  int number_;
  std::string suffix_;
  std::vector<RecordedHead> heads_;
};

}  // namespace

std::string step_chart(Page& page, const std::string& title, const std::string& unit,
                       std::vector<Curve> curves, bool log_y) {
  if (curves.empty()) return "";
  Chart chart{title, "step", unit, std::move(curves)};
  chart.log_y = log_y;
  chart.group = "steps";
  return page.chart(chart);
}

void add_record_sections(Page& page, const PlottedRun& run, int number, bool with_name) {
  RecordSections(page, run, number, with_name).add();
}

}  // namespace kette
