#include "inspect/steps/trace_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "data/files/json_text.h"
#include "inspect/page/assets.h"
#include "inspect/page/html.h"
#include "inspect/report/text.h"

namespace kette {
namespace {

double milliseconds(std::int64_t nanoseconds) { return 1e-6 * static_cast<double>(nanoseconds); }
double mebibytes(std::int64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }
double seconds_of(const StepTrace& trace) { return 1e-9 * static_cast<double>(trace.nanoseconds); }

/// The step over time, as a drawing and as what scripts draw another one of.
class Timeline {
 public:
  Timeline(const StepTrace& trace, const MachineLimits& limits) : trace_(trace), limits_(limits) {
    for (const Slice& slice : trace.slices) {
      depths_.push_back(slice.parent < 0 ? 0 : depths_[slice.parent] + 1);
    }
  }

  /// What there is to see without scripts.
  std::string str() const {
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

  Json data() && {
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
    return {{"nanoseconds", trace_.nanoseconds},
            {"peak_at", trace_.peak.at},
            {"peak_bytes", trace_.peak.bytes},
            {"gflops", limits_.gflops},
            {"gb_per_second", limits_.gb_per_second},
            {"kinds", kKinds},
            {"words", words_},
            {"slices", slices},
            {"blocks", blocks}};
  }

 private:
  /// The number of a text that many share.
  std::int64_t word(const std::string& text) {
    const auto [place, is_new] = numbers_.try_emplace(text, std::ssize(numbers_));
    if (is_new) words_.push_back(text);
    return place->second;
  }

  static constexpr std::array<const char*, 4> kKinds = {"phase", "forward", "backward", "kernel"};

  const StepTrace& trace_;
  const MachineLimits& limits_;
  std::vector<std::int64_t> depths_;  // of slices
  std::map<std::string, std::int64_t> numbers_;
  Json words_ = Json::array();
};

/// Where a number says nothing, a page has none.
Cell rate(double value) {
  Cell cell = value;
  return value > 0 ? cell : std::move(cell).draw(" ");
}

Table table_of_rows(const std::string& key, const std::string& what,
                    const std::vector<TraceRow>& rows, double total, const TracedStep& step) {
  const bool knows = step.limits.gflops > 0 && step.limits.gb_per_second > 0;
  Table table = tabulated(
      key, rows,
      {{{.key = "name", .title = what, .width = -36}, &TraceRow::name},
       {{.key = "calls", .title = "calls", .digits = whole(), .width = 7}, &TraceRow::calls},
       {{.key = "ms",
         .title = "ms",
         .digits = decimals(3),
         .width = 10,
         .help = "its own, without what ran within it"},
        [](const auto& row) { return 1e3 * row.seconds; }},
       {{.key = "share",
         .title = "share",
         .digits = percents(1),
         .width = 7,
         .page_title = "of the step"},
        [total](const auto& row) { return Cell::share(row.seconds / total); }},
       {{.title = "GFLOP", .digits = decimals(3), .where = kPage},
        [](const auto& row) { return rate(1e-9 * row.flops); }},
       {{.key = "gflops", .title = "GFLOP/s", .digits = decimals(1), .width = 9},
        [](const auto& row) { return rate(row.gflops()); }},
       {{.key = "gb_per_second", .title = "GB/s", .digits = decimals(1), .width = 8},
        [](const auto& row) { return rate(row.gb_per_second()); }},
       {{.key = "limit_share",
         .title = "of limit",
         .digits = percents(0),
         .width = 8,
         .help =
             "the least time that the machine takes for the op's FLOPs or bytes, over its time; a dash: quicker than memory is, since its bytes were in a cache",
         .where = knows ? kEverywhere : kText | kJson,
         .page_title = "of the limit"},
        [](const auto& row) {
          const double share = row.limit_share();
          if (share > 1) return Cell(share).as("-").draw("\xE2\x80\x93");
          return row.least_seconds > 0 ? Cell::share(share) : rate(share);
        }}});
  TraceRow rest;
  for (std::size_t i = static_cast<std::size_t>(step.rows); i < rows.size(); ++i) {
    table.rows[i].where = kJson | kPage;
    rest.calls += rows[i].calls;
    rest.seconds += rows[i].seconds;
  }
  if (rest.calls > 0) {
    table.rows.push_back(
        {.cells = {"the rest", rest.calls, 1e3 * rest.seconds, rest.seconds / total},
         .where = kText});
  }
  table.id = key;
  return table;
}

Table peak_of(const StepTrace& trace, std::int64_t most) {
  const double largest =
      trace.at_peak.empty() ? 1 : static_cast<double>(trace.at_peak.front().bytes);
  constexpr Where kNoText = kJson | kPage;
  Table table = tabulated(
      "at_peak", trace.at_peak,
      {{{.width = -64, .where = kText},
        [](const auto& holder) {
          return holder.what + (holder.op.empty() ? "" : " of " + holder.op) +
                 (holder.scope.empty() ? "" : ", " + holder.scope);
        }},
       {{.key = "what", .title = "what", .where = kNoText}, &MemoryHolder::what},
       {{.key = "op", .title = "op", .where = kNoText}, &MemoryHolder::op},
       {{.key = "scope", .title = "scope", .where = kNoText}, &MemoryHolder::scope},
       {{.key = "bytes", .where = kJson}, &MemoryHolder::bytes},
       {{.title = "MiB", .digits = decimals(3), .width = 10, .where = kText | kPage},
        [largest](const auto& h) {
          return Cell(mebibytes(h.bytes)).with_bar(static_cast<double>(h.bytes) / largest);
        }},
       {{.key = "blocks", .title = "blocks", .digits = whole(), .width = 7},
        &MemoryHolder::blocks}});
  MemoryHolder rest;
  for (std::size_t i = static_cast<std::size_t>(most); i < table.rows.size(); ++i) {
    table.rows[i].where = kNoText;
    rest.bytes += trace.at_peak[i].bytes;
    rest.blocks += trace.at_peak[i].blocks;
  }
  if (rest.blocks > 0) {
    table.rows.push_back(
        {.cells = {"the rest", "", "", "", rest.bytes, mebibytes(rest.bytes), rest.blocks},
         .where = kText});
  }
  table.has_titles = false;
  table.id = "alive";
  return table;
}

/// The step in a few numbers, and over time.
void add_step(Report& report, const StepTrace& trace, const TracedStep& step) {
  const MachineLimits& limits = step.limits;
  const bool knows = limits.gflops > 0 && limits.gb_per_second > 0;
  double flops = 0, least = 0;
  for (const Slice& slice : trace.slices) {
    flops += slice.flops;
    least += limits.least_seconds(slice.flops, slice.bytes);
  }
  const double seconds = seconds_of(trace);
  report.section("The step");
  report.fact("ms", 1e3 * seconds, "the step", decimals(1), "ms");
  report.fact("", 1e-9 * flops, "work", decimals(2), "GFLOP");
  report.fact("", 1e-9 * flops / seconds, "rate", decimals(1),
              knows ? "of " + fixed(limits.gflops, 0) + " GFLOP/s" : "GFLOP/s");
  if (knows) {
    report.fact("", 1e3 * least, "at the limits", decimals(1),
                least > seconds ? "ms" : "ms, " + fixed(100 * least / seconds, 0) + " %");
  }
  report.fact("", mebibytes(trace.peak.bytes), "memory at its peak", decimals(1), "MiB");
  report.drawing([&trace, limits](Page& page) {
    Timeline timeline(trace, limits);
    page.script(assets::trace_js);
    page.data("step", std::move(timeline).data());
    return "<div id=\"timeline\">" + Timeline(trace, limits).str() + "</div>\n";
  });
  report.note("Ops lie in their phase. The memory in use is coloured by what it is for.");
}

}  // namespace

Report to_report(const StepTrace& trace, const TracedStep& step) {
  const double seconds = seconds_of(trace);
  const double peak = mebibytes(trace.peak.bytes), at = milliseconds(trace.peak.at);
  const std::vector<TraceRow> ops = rows_by_op(trace, step.limits);
  Report report{.title = "Where the time goes: " + step.what,
                .lead = "It took " + fixed(1e3 * seconds, 1) + " ms" +
                        (ops.empty() ? ""
                                     : ", most of it in " + ops.front().name + " (" +
                                           fixed(100 * ops.front().seconds / seconds, 0) + " %)") +
                        ", and " + fixed(peak, 1) +
                        " MiB at its peak; time runs from left to right, ops above, memory below.",
                .about = "On " + trace.device + ", in " + step.precision +
                         ", threads: " + std::to_string(step.threads) + ". Made by kette trace."};
  report.line(step.what + " on " + trace.device + text(": %.3f ms\n", 1e3 * seconds));
  if (step.shows_limits) {
    report.line(text("limits of the machine: %.1f GFLOP/s, %.1f GB/s\n", step.limits.gflops,
                     step.limits.gb_per_second));
  }
  report.fact("what", step.what);
  report.fact("device", trace.device);
  report.fact("precision", step.precision);
  report.fact("threads", step.threads);
  add_step(report, trace, step);
  report.fact("limit_gflops", step.limits.gflops);
  report.fact("limit_gb_per_second", step.limits.gb_per_second);
  const Table at_peak = peak_of(trace, step.rows);
  report.section("Memory at its peak");
  report.note(fixed(peak, 1) + " MiB, " + fixed(at, 3) +
              " ms after the step began. What an op leaves for the backward pass is an activation; "
              "what it takes for as long as it runs, workspace.");
  report.table(at_peak, kPage);
  report.section("Ops");
  report.note(
      std::string(
          step.limits.gflops > 0
              ? "The limit: the time that this machine takes at the least for an op's "
                "FLOPs or bytes, whichever is longer, over the op's time; a dash: it was quicker than memory, "
                "since its bytes were in a cache. "
              : "") +
      "Times are an op's own, without what ran within it: they add up to the step.");
  report.line("\n");
  report.table(table_of_rows("ops", "op", ops, seconds, step));
  report.section("Places in the model");
  report.line("\n");
  report.table(table_of_rows("scopes", "scope", rows_by_scope(trace, step.limits, step.parts),
                             seconds, step));
  report.line(
      text("\nmemory at its peak, %.1f MiB after %.3f ms %27s %7s\n", peak, at, "MiB", "blocks"));
  report.fact("peak_bytes", trace.peak.bytes);
  report.table(at_peak, kText | kJson);
  return report;
}

}  // namespace kette
