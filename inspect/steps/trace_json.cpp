#include "inspect/steps/trace_json.h"

#include <cmath>

#include "data/files/json_text.h"

namespace kette {
namespace {

constexpr int kProcess = 1, kThread = 1;

/// Microseconds, as the format wants them, to the nanosecond.
double microseconds(std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) * 1e-3; }

const char* category(Slice::Kind kind) {
  switch (kind) {
    case Slice::Kind::forward:
      return "forward";
    case Slice::Kind::backward:
      return "backward";
    case Slice::Kind::kernel:
      return "kernel";
    case Slice::Kind::phase:
      break;
  }
  return "phase";
}

/// To four digits, which is more than a time has.
double to_four_digits(double value) {
  if (value == 0) return 0;
  const double unit = std::pow(10, std::floor(std::log10(std::abs(value))) - 3);
  return unit < 1 ? std::round(value / unit) / std::round(1 / unit)
                  : std::round(value / unit) * unit;
}

Json arguments(const Slice& slice, const MachineLimits& limits) {
  Json args = Json::object();
  if (!slice.scope.empty()) args["scope"] = slice.scope;
  if (!slice.inputs.empty()) args["inputs"] = list_of(slice.inputs);
  if (!slice.outputs.empty()) args["outputs"] = list_of(slice.outputs);
  TraceRow row;
  row.add(slice, limits);
  if (slice.flops > 0) {
    args["flops"] = static_cast<std::int64_t>(slice.flops);
    if (row.flops > 0) args["gflop_per_s"] = to_four_digits(row.gflops());
  }
  if (slice.bytes > 0) {
    args["bytes"] = static_cast<std::int64_t>(slice.bytes);
    if (row.bytes > 0) args["gb_per_s"] = to_four_digits(row.gb_per_second());
  }
  if (row.least_seconds > 0) args["limit_share"] = to_four_digits(row.limit_share());
  return args;
}

Json event(const char* kind, const std::string& name, const char* of, std::int64_t at) {
  return {{"ph", kind},      {"name", name},  {"cat", of}, {"ts", microseconds(at)},
          {"pid", kProcess}, {"tid", kThread}};
}

Json metadata(const char* name, const std::string& value) {
  return {{"ph", "M"},
          {"name", name},
          {"pid", kProcess},
          {"tid", kThread},
          {"args", {{"name", value}}}};
}

}  // namespace

std::string chrome_trace(const StepTrace& trace, const std::string& title,
                         const MachineLimits& limits) {
  Json events = Json::array();
  events.push_back(metadata("process_name", "kette: " + title));
  events.push_back(metadata("thread_name", trace.device));
  for (const Slice& slice : trace.slices) {
    Json json = event("X", slice.name, category(slice.kind), slice.begin);
    json["dur"] = microseconds(slice.nanoseconds());
    json["args"] = arguments(slice, limits);
    events.push_back(std::move(json));
  }
  for (std::size_t i = 0; i < trace.slices.size(); ++i) {
    const Slice& slice = trace.slices[i];
    if (slice.of_forward < 0) continue;
    for (const auto& [kind, end] :
         {std::pair{"s", &trace.slices[slice.of_forward]}, {"f", &slice}}) {
      Json json = event(kind, "gradient", "gradient", end->begin);
      json["id"] = i;
      if (*kind == 'f') json["bp"] = "e";  // of the slice that is there, not of the next
      events.push_back(std::move(json));
    }
  }
  for (std::size_t i = 0; i < trace.memory.size(); ++i) {
    const MemoryChange& change = trace.memory[i];
    // Of changes within a microsecond the last one is seen.
    const bool is_passing =
        i + 1 < trace.memory.size() && trace.memory[i + 1].at - change.at < 1000;
    if (is_passing && change.at != trace.peak.at) continue;
    Json json = event("C", "live bytes", "memory", change.at);
    json["args"] = {{"bytes", change.bytes}};
    events.push_back(std::move(json));
  }
  return Json{{"displayTimeUnit", "ms"},
              {"otherData", {{"what", title}, {"device", trace.device}}},
              {"traceEvents", std::move(events)}}
      .dump();
}

}  // namespace kette
