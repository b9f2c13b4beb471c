#include "inspect/steps/trace_page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "data/files/json_text.h"
#include "inspect/page/assets.h"
#include "inspect/page/html.h"
#include "inspect/page/page.h"

namespace kette {
namespace {

double milliseconds(std::int64_t nanoseconds) { return 1e-6 * static_cast<double>(nanoseconds); }
double mebibytes(std::int64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

class TracePage {
 public:
  TracePage(const StepTrace& trace, const MachineLimits& limits, std::int64_t parts,
            const std::string& title, const std::string& lead)
      : trace_(trace), limits_(limits), parts_(parts), page_(title, lead) {
    for (const Slice& slice : trace.slices) {
      depths_.push_back(slice.parent < 0 ? 0 : depths_[slice.parent] + 1);
    }
  }

  std::string str() {
    add_data();
    page_.section(
        "The step",
        facts() + "<div id=\"timeline\">" + drawing() + "</div>\n" +
            note("Above: what ran when; ops lie in their phase. Below: the memory in use, by what "
                 "it is for."));
    page_.section("Memory at its peak",
                  note(fixed(mebibytes(trace_.peak.bytes), 1) + " MiB, " +
                       fixed(milliseconds(trace_.peak.at), 3) +
                       " ms after the step began. What an op leaves for the backward pass is an "
                       "activation; what it takes for as long as it runs, workspace.") +
                      peak());
    page_.section("Ops",
                  note(without_limits() +
                       "Times are an op's own, without what ran within it: they add up to the "
                       "step.") +
                      table("op", rows_by_op(trace_, limits_), "ops"));
    page_.section("Places in the model",
                  table("scope", rows_by_scope(trace_, limits_, parts_), "scopes"));
    page_.script(assets::trace_js);
    return page_.str();
  }

 private:
  double seconds() const { return 1e-9 * static_cast<double>(trace_.nanoseconds); }
  bool knows_limits() const { return limits_.gflops > 0 && limits_.gb_per_second > 0; }

  std::string without_limits() const {
    return knows_limits()
               ? "The limit: the time that this machine takes at the least for an op's FLOPs or "
                 "bytes, whichever is longer, over the op's time. "
               : "";
  }

  /// The step in a few numbers.
  std::string facts() const {
    double flops = 0, least = 0;
    for (const Slice& slice : trace_.slices) {
      flops += slice.flops;
      least += limits_.least_seconds(slice.flops, slice.bytes);
    }
    std::string html = "<dl class=\"facts\">";
    const auto fact = [&](const std::string& what, const std::string& number,
                          const std::string& unit) {
      html += "<div><dt>" + what + "</dt><dd>" + number + " <small>" + unit + "</small></dd></div>";
    };
    fact("the step", fixed(1e3 * seconds(), 1), "ms");
    fact("work", fixed(1e-9 * flops, 2), "GFLOP");
    fact("rate", fixed(1e-9 * flops / seconds(), 1),
         knows_limits() ? "of " + fixed(limits_.gflops, 0) + " GFLOP/s" : "GFLOP/s");
    if (knows_limits()) {
      fact("at the limits", fixed(1e3 * least, 1),
           "ms, " + fixed(100 * least / seconds(), 0) + " %");
    }
    fact("memory at its peak", fixed(mebibytes(trace_.peak.bytes), 1), "MiB");
    return html + "</dl>\n";
  }

  /// What there is to see without scripts.
  std::string drawing() const {
    constexpr double kWidth = 1000, kRow = 20, kMemory = 100;
    const double rows =
        1.0 + static_cast<double>(*std::max_element(depths_.begin(), depths_.end()));
    const double unit = kWidth / static_cast<double>(trace_.nanoseconds);
    const double floor = rows * kRow + 10 + kMemory;
    std::string svg = "<svg viewBox=\"0 0 " + fixed(kWidth, 0) + " " + fixed(floor, 0) +
                      "\" role=\"img\" aria-label=\"The step over time\">";
    for (std::size_t i = 0; i < trace_.slices.size(); ++i) {
      const Slice& slice = trace_.slices[i];
      const double width = unit * static_cast<double>(slice.nanoseconds());
      if (width < 0.5) continue;
      svg += std::string("<rect class=\"slice ") + kKinds[static_cast<int>(slice.kind)] +
             "\" x=\"" + fixed(unit * static_cast<double>(slice.begin), 1) + "\" y=\"" +
             fixed(kRow * static_cast<double>(depths_[i]), 0) + "\" width=\"" + fixed(width, 1) +
             "\" height=\"" + fixed(kRow - 2, 0) + "\"><title>" +
             escaped(title_of(slice) + (slice.scope.empty() ? "" : ", " + slice.scope) + ": " +
                     fixed(milliseconds(slice.nanoseconds()), 3) + " ms") +
             "</title></rect>";
    }
    // Of the changes within a pixel the highest is drawn.
    std::map<std::int64_t, std::int64_t> highest;
    for (const MemoryChange& change : trace_.memory) {
      std::int64_t& bytes = highest[std::llround(unit * static_cast<double>(change.at))];
      bytes = std::max(bytes, change.bytes);
    }
    std::string path = "M0 " + fixed(floor, 0);
    for (const auto& [x, bytes] : highest) {
      path += "H" + std::to_string(x) + "V" +
              fixed(floor - kMemory * static_cast<double>(bytes) /
                                static_cast<double>(std::max<std::int64_t>(1, trace_.peak.bytes)),
                    1);
    }
    return svg + "<path class=\"memory\" d=\"" + path + "H" + fixed(kWidth, 0) + "V" +
           fixed(floor, 0) + "Z\"/></svg>";
  }

  std::string peak() const {
    HtmlTable table({{"what"}, {"op"}, {"scope"}, {"MiB", true}, {"blocks", true}});
    const double most =
        trace_.at_peak.empty() ? 1 : static_cast<double>(trace_.at_peak.front().bytes);
    for (const MemoryHolder& holder : trace_.at_peak) {
      table.row({holder.what,
                 holder.op,
                 holder.scope,
                 {fixed(mebibytes(holder.bytes), 3), static_cast<double>(holder.bytes) / most},
                 std::to_string(holder.blocks)});
    }
    return "<div id=\"alive\">" + table.str() + "</div>";
  }

  std::string table(const std::string& what, const std::vector<TraceRow>& rows,
                    const std::string& id) const {
    std::vector<HtmlTable::Column> columns = {{what},
                                              {"calls", true},
                                              {"ms", true, "its own, without what ran within it"},
                                              {"of the step", true},
                                              {"GFLOP", true},
                                              {"GFLOP/s", true},
                                              {"GB/s", true}};
    if (knows_limits()) columns.push_back({"of the limit", true, "of FLOPs or bytes"});
    HtmlTable table(columns);
    const auto rate = [](double value, int decimals) {
      return value > 0 ? fixed(value, decimals) : "";
    };
    for (const TraceRow& row : rows) {
      const double share = row.seconds / seconds();
      std::vector<HtmlTable::Cell> cells = {row.name,
                                            std::to_string(row.calls),
                                            fixed(1e3 * row.seconds, 3),
                                            {fixed(100 * share, 1) + " %", share},
                                            rate(1e-9 * row.flops, 3),
                                            rate(row.gflops(), 1),
                                            rate(row.gb_per_second(), 2)};
      if (knows_limits()) {
        const bool works = row.least_seconds > 0;
        cells.emplace_back(works ? fixed(100 * row.limit_share(), 0) + " %" : "",
                           works ? std::min(1.0, row.limit_share()) : -1);
      }
      table.row(cells);
    }
    return "<div id=\"" + id + "\">" + table.str() + "</div>";
  }

  /// The number of a text that many share.
  std::int64_t word(const std::string& text) {
    const auto [place, is_new] = numbers_.try_emplace(text, std::ssize(numbers_));
    if (is_new) words_.push_back(text);
    return place->second;
  }

  void add_data() {
    Json slices = Json::array(), blocks = Json::array();
    for (std::size_t i = 0; i < trace_.slices.size(); ++i) {
      const Slice& slice = trace_.slices[i];
      slices.push_back({word(title_of(slice)), static_cast<int>(slice.kind), word(slice.scope),
                        depths_[i], slice.begin, slice.end, slice.own_nanoseconds(),
                        static_cast<std::int64_t>(slice.flops),
                        static_cast<std::int64_t>(slice.bytes), word(list_of(slice.inputs)),
                        word(list_of(slice.outputs)), slice.of_forward});
    }
    for (const MemoryBlock& block : trace_.blocks) {
      blocks.push_back({word(block.what), block.slice, block.begin, block.end, block.bytes});
    }
    page_.data("step", {{"nanoseconds", trace_.nanoseconds},
                        {"peak_at", trace_.peak.at},
                        {"peak_bytes", trace_.peak.bytes},
                        {"gflops", limits_.gflops},
                        {"gb_per_second", limits_.gb_per_second},
                        {"kinds", kKinds},
                        {"words", words_},
                        {"slices", slices},
                        {"blocks", blocks}});
  }

  static constexpr std::array<const char*, 4> kKinds = {"phase", "forward", "backward", "kernel"};

  const StepTrace& trace_;
  const MachineLimits& limits_;
  std::int64_t parts_;
  Page page_;
  std::vector<std::int64_t> depths_;  // of slices
  std::map<std::string, std::int64_t> numbers_;
  Json words_ = Json::array();
};

}  // namespace

std::string trace_page(const StepTrace& trace, const MachineLimits& limits, std::int64_t parts,
                       const std::string& title, const std::string& lead) {
  return TracePage(trace, limits, parts, title, lead).str();
}

}  // namespace kette
