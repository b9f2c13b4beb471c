#include "inspect/training/record_sections.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

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
  RecordSections(Report& report, const PlottedRun& run, int number, bool with_name)
      : report_(report),
        record_(run.record),
        number_(number),
        suffix_(with_name ? " of " + run.name : "") {}

  void add() {
    find_heads();
    if (!heads_.empty()) add_heads();
    std::vector<Chart> layers, lens;
    add_stream(layers);
    add_parameters(layers);
    add_lens(lens);
    add_section("Layers", std::move(layers));
    add_section("Logit lens", std::move(lens));
  }

 private:
  /// Points of a curve of which there may be hundreds.
  static constexpr std::size_t kMostPoints = 120, kMostOfSparkline = 60;

  void add_section(const std::string& heading, std::vector<Chart> charts) {
    if (charts.empty()) return;
    report_.section(heading + suffix_);
    report_.charts(std::move(charts), true);
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
  void add_heads() {
    report_.section("Heads" + suffix_);
    report_.note(
        "A few texts of the validation set are run through the model every few steps; all numbers are means over "
        "their tokens.");
    report_.heading("What each head became");
    report_.note(
        "What more than half of a head is for, at the last record, and the share; a dash: nothing of the list.");
    for (const std::string& kind : kinds()) report_.table(grid_of(kind), kPage);
    Table each = roles();
    each.folded = "Since when, and its entropy: a row a head";
    report_.table(std::move(each), kPage);
    add_maps();
    std::vector<Chart> charts;
    add_charts(charts);
    report_.charts(std::move(charts), true);
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

  Table roles() const {
    Table table{
        .columns = {
            {.title = "head"},
            {.title = "looks at",
             .help =
                 "what more than half of it is for, at the last record; a dash: at nothing of the list"},
            {.title = "share",
             .digits = decimals(2),
             .help = "of its maxima, or its mean probability"},
            {.title = "since step",
             .digits = decimals(0),
             .help = "the first record from which on it did so"},
            {.title = "share, step by step"},
            {.title = "entropy", .digits = decimals(2), .help = "nats, at the last record"},
            {.title = "entropy, step by step"}}};
    for (const RecordedHead& head : heads_) {
      const Series& entropy = of(head, "entropy");
      const std::size_t last = entropy.values.size() - 1;
      const int role = role_at(head, last);
      const double widest = *std::max_element(entropy.values.begin(), entropy.values.end());
      std::vector<Cell> cells = {head.name(), "\xE2\x80\x93", "", "", ""};
      if (role >= 0) {
        const Series& of_role = of(head, kHeadNumbers[role].key);
        std::size_t since = last;
        while (since > 0 && role_at(head, since - 1) == role) --since;
        cells = {head.name(), kHeadNumbers[role].role, Cell::share(of_role.values[last]),
                 of_role.steps[since],
                 Cell().draw(sparkline(thinned(of_role, kMostOfSparkline).values, 0, 1))};
      }
      cells.emplace_back(entropy.values[last]);
      cells.push_back(Cell().draw(sparkline(thinned(entropy, kMostOfSparkline).values, 0, widest)));
      table.rows.push_back({std::move(cells)});
    }
    return table;
  }

  /// A row for each layer, a column for each head.
  Table grid_of(const std::string& kind) const {
    Table table{.columns = {{.title = kind}}};
    for (const RecordedHead& head : heads_of_kind(kind)) {
      const auto columns = static_cast<std::size_t>(head.head) + 2;
      while (table.columns.size() < columns) {
        table.columns.push_back({.title = "head " + std::to_string(table.columns.size() - 1)});
      }
      if (table.rows.empty() || head.head == 0) {
        table.rows.push_back({{"layer " + std::to_string(head.layer)}});
      }
      table.rows.back().cells.resize(columns, Cell(""));
      const std::size_t last = of(head, "entropy").values.size() - 1;
      const int role = role_at(head, last);
      if (role < 0) {
        table.rows.back().cells.back() = Cell("\xE2\x80\x93");
        continue;
      }
      const double share = of(head, kHeadNumbers[role].key).values[last];
      table.rows.back().cells.back() =
          Cell(std::string(kHeadNumbers[role].role) + " " + fixed(share, 2)).with_bar(share);
    }
    return table;
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

  void add_maps() {
    report_.heading("All heads, step by step");
    report_.note(
        "A row of a map is a head, from the first layer down; steps go from left to right; the stronger the blue, the "
        "more. Click or tap a map for its names and numbers.");
    std::vector<std::string> steps;
    const std::vector<double> all = of(heads_.front(), "entropy").steps;
    for (const std::size_t column : columns_of(all.size())) steps.push_back(fixed(all[column], 0));
    const std::string steps_key = "steps " + std::to_string(number_);
    report_.labels(steps_key, std::move(steps));
    for (const std::string& kind : kinds()) {
      const std::vector<RecordedHead> heads = heads_of_kind(kind);
      std::vector<std::string> names;
      for (const RecordedHead& head : heads) names.push_back(head.name());
      const std::string key = kind + " heads " + std::to_string(number_);
      report_.labels(key, std::move(names));
      std::vector<HeatMap> maps;
      for (const HeadNumber& number : kHeadNumbers) {
        if (of(heads.front(), number.key).values.empty()) continue;
        maps.push_back(map_of(heads, number, key, steps_key));
      }
      report_.heading(kind);
      report_.maps("", std::move(maps));
    }
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

  HeatMap map_of(const std::vector<RecordedHead>& heads, const HeadNumber& number,
                 const std::string& rows_key, const std::string& steps_key) const {
    const std::vector<double>& steps = of(heads.front(), "entropy").steps;
    const std::vector<std::size_t> columns = columns_of(steps.size());
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
    return {.title = heads.front().kind() + ": " + number.what,
            .rows = std::ssize(heads),
            .columns = std::ssize(columns),
            .values = std::move(values),
            .most = most,
            .row_labels = rows_key,
            .column_labels = steps_key,
            .note = "Heads by steps.",
            .axes = "down: " + heads.front().name() + " to " + heads.back().name() +
                    "; from the left: steps " + fixed(steps.front(), 0) + " to " +
                    fixed(steps.back(), 0),
            .wide = true,
            .caption = number.what};
  }

  void add_charts(std::vector<Chart>& charts) const {
    for (const std::string& kind : kinds()) {
      for (const HeadNumber& number : kHeadNumbers) {
        const std::string key = number.key;
        if (key != "entropy" && key != "previous" && key != "induction") continue;
        std::vector<Curve> curves;
        for (const RecordedHead& head : heads_of_kind(kind)) {
          add_curve(curves, head.name(), of(head, number.key));
        }
        add_step_chart(charts, kind + ": " + number.what, "", std::move(curves));
      }
    }
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

  void add_stream(std::vector<Chart>& charts) const {
    for (const std::string side : {"encoder", "decoder"}) {
      add_step_chart(charts, "Residual stream of the " + side, "mean length of a row",
                     levels("norms/stream/" + side + "/"), true);
      add_step_chart(charts, "Effective dimensions of the " + side + "'s residual stream",
                     "participation ratio of the variances",
                     levels("norms/dimensions/" + side + "/"));
    }
  }

  void add_parameters(std::vector<Chart>& charts) const {
    for (const auto& [key, title, unit] :
         {std::tuple("norms/gradient/", "Gradient", "norm, layer by layer"),
          std::tuple("norms/update/", "A step's change of the values",
                     "norm of the change / norm of the values")}) {
      std::vector<Curve> curves;
      for (const auto& [layer, series] : below(record_, key)) add_curve(curves, layer, series);
      add_step_chart(charts, title, unit, std::move(curves), true);
    }
  }

  void add_lens(std::vector<Chart>& charts) const {
    add_step_chart(charts, "What the model would say after each block",
                   "KL to what it says in the end, nats", levels("lens/divergence/"));
    add_step_chart(charts, "The best token after each block",
                   "share that is the best one in the end", levels("lens/agreement/"));
  }

  void add_curve(std::vector<Curve>& curves, const std::string& name, const Series& series) const {
    if (series.steps.empty()) return;
    const Series few = thinned(series, kMostPoints);
    Curve curve{name, few.steps, few.values};
    curve.scale = number_;
    curves.push_back(std::move(curve));
  }

  Report& report_;
  const StepSeries& record_;
  int number_;
  std::string suffix_;
  std::vector<RecordedHead> heads_;
};

}  // namespace

void add_step_chart(std::vector<Chart>& charts, const std::string& title, const std::string& unit,
                    std::vector<Curve> curves, bool log_y) {
  if (curves.empty()) return;
  charts.push_back({.title = title,
                    .x_title = "step",
                    .y_title = unit,
                    .curves = std::move(curves),
                    .log_y = log_y,
                    .group = "steps"});
}

void add_record_sections(Report& report, const PlottedRun& run, int number, bool with_name) {
  RecordSections(report, run, number, with_name).add();
}

}  // namespace kette
