#include "inspect/steps/step_recorder.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>

#include "tensor/backend.h"

namespace kette {
namespace {

std::int64_t clock_nanoseconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

double bytes_of(const std::vector<TensorInfo>& tensors) {
  double bytes = 0;
  for (const TensorInfo& tensor : tensors) bytes += static_cast<double>(tensor.bytes());
  return bytes;
}

double last_bytes(const std::vector<TensorInfo>& tensors) {
  return static_cast<double>(tensors.back().bytes());
}

const char* what_is_left_by(Slice::Kind kind) {
  if (kind == Slice::Kind::forward) return "activation";
  return kind == Slice::Kind::backward ? "gradient" : "other";
}

/// Whether a tensor is the memory of another, or a part of it.
bool lies_in(const Tensor& part, const Tensor& whole) {
  if (!part.defined() || !whole.defined()) return false;
  const auto* first = static_cast<const std::byte*>(whole.raw());
  const auto* at = static_cast<const std::byte*>(part.raw());
  return at >= first && at < first + whole.bytes();
}

}  // namespace

StepRecorder::StepRecorder(Device device)
    : device_(device),
      waits_(device.runs_ahead()),
      unknown_bytes_(backend(device).memory().in_use_bytes) {
  backend(device).watch_memory(this);
}

StepRecorder::~StepRecorder() { backend(device_).watch_memory(nullptr); }

void StepRecorder::name(const Tensor& tensor, const std::string& what) {
  if (!tensor.defined()) return;
  const std::lock_guard lock(mutex_);
  auto block = blocks_.upper_bound(tensor.raw());
  if (block == blocks_.begin()) return;
  --block;
  const auto* end = static_cast<const std::byte*>(block->first) + block->second.bytes;
  if (tensor.raw() < end) block->second.what = what;
}

void StepRecorder::name(const ParamStore& parameters) {
  name(parameters.values(), "parameters");
  name(parameters.rounded(), "rounded parameters");
  if (!parameters.leaves().empty() && parameters.leaves().front()->gradient.defined()) {
    name(parameters.gradients(), "gradients");
  }
}

void StepRecorder::name(const Optimizer& optimizer) {
  name(optimizer.parameters());
  for (const Optimizer::State& one : optimizer.state()) {
    std::string what = one.name;
    std::replace(what.begin(), what.end(), '_', ' ');
    name(one.values, what);
  }
}

StepTrace StepRecorder::record(const std::function<void()>& step) {
  slices_.clear();
  scope_numbers_.clear();
  forwards_.clear();
  calls_.clear();
  scopes_ = {};
  current_ = -1;
  backend(device_).synchronize();
  Blocks before;
  std::int64_t unknown = 0;
  {
    const std::lock_guard lock(mutex_);
    for (auto& [memory, block] : blocks_) block.slice = -1;
    before = blocks_;
    unknown = unknown_bytes_;
    events_.clear();
    is_recording_ = true;
    start_ = clock_nanoseconds();
  }
  {
    const WorkObservation work(this);
    const OpObservation ops(this);
    step();
  }
  backend(device_).synchronize();
  StepTrace trace;
  trace.nanoseconds = now();
  {
    const std::lock_guard lock(mutex_);
    is_recording_ = false;
  }
  trace.device = device_.str();
  trace.slices = slices_;
  resolve_scopes(trace);
  follow_memory(trace, before, unknown);
  return trace;
}

std::int64_t StepRecorder::now() const { return clock_nanoseconds() - start_; }

Slice& StepRecorder::open(std::string name, Slice::Kind kind) {
  if (waits_) backend(device_).synchronize();
  Slice& slice = slices_.emplace_back();
  slice.name = std::move(name);
  slice.kind = kind;
  slice.parent = current_;
  scope_numbers_.push_back(-1);
  current_ = std::ssize(slices_) - 1;
  return slice;
}

void StepRecorder::close() {
  if (waits_) backend(device_).synchronize();
  Slice& slice = slices_[current_];
  slice.end = now();
  current_ = slice.parent;
  if (current_ >= 0) slices_[current_].nanoseconds_below += slice.nanoseconds();
}

void StepRecorder::begin(const char* name, std::span<const Tensor* const> reads,
                         std::span<const Tensor* const> writes) {
  const bool is_kernel = !reads.empty() || !writes.empty();
  if (!is_kernel) scopes_.end_of_stretch();
  Slice& slice = open(name, is_kernel ? Slice::Kind::kernel : Slice::Kind::phase);
  for (const auto& [tensors, infos] : {std::pair{reads, &slice.inputs}, {writes, &slice.outputs}}) {
    for (const Tensor* tensor : tensors) {
      if (tensor->defined()) infos->push_back(TensorInfo::of(*tensor));
    }
  }
  slice.bytes = bytes_of(slice.inputs) + bytes_of(slice.outputs);
  slice.begin = now();
}

void StepRecorder::end() {
  if (slices_[current_].kind == Slice::Kind::kernel) {
    scope_numbers_[current_] = static_cast<std::int64_t>(scopes_.ran());
  } else {
    scopes_.end_of_stretch();
  }
  close();
}

void StepRecorder::count_flops(double flops) {
  if (current_ >= 0) slices_[current_].flops += flops;
}

void StepRecorder::before_forward(const OpCall& call) {
  Slice& slice = open(static_cast<const char*>(call.name), Slice::Kind::forward);
  scope_numbers_.back() = static_cast<std::int64_t>(scopes_.ran(call.inputs));
  for (const Variable* input : call.inputs) {
    if (input->value().defined()) slice.inputs.push_back(TensorInfo::of(input->value()));
  }
  calls_.push_back(call);
  slice.begin = now();
}

void StepRecorder::recorded(const TapeEntry& entry, std::span<const Variable* const>) {
  if (!calls_.empty()) forwards_[&entry.node] = {current_, calls_.back().reads_rows_of_table};
}

void StepRecorder::after_forward(std::span<const Variable> results) {
  Slice& slice = slices_[current_];
  close();
  const OpCall call = calls_.back();
  calls_.pop_back();
  for (const Variable& result : results) {
    slice.outputs.push_back(TensorInfo::of(result.value()));
    for (const Variable* input : call.inputs) {
      if (lies_in(result.value(), input->value())) return;  // a view: nothing moves
    }
  }
  const double written = bytes_of(slice.outputs);
  slice.bytes = bytes_of(slice.inputs) + written;
  if (call.reads_rows_of_table) slice.bytes += std::min(0.0, written - last_bytes(slice.inputs));
}

void StepRecorder::before_backward(const TapeEntry& entry, std::span<const Tensor> gradients,
                                   std::span<GradientSlot* const>) {
  Slice& slice = open(entry.node.name(), Slice::Kind::backward);
  for (const Tensor& gradient : gradients) {
    if (gradient.defined()) slice.inputs.push_back(TensorInfo::of(gradient));
  }
  slice.begin = now();
}

void StepRecorder::after_backward(const TapeEntry& entry, std::span<GradientSlot* const> inputs) {
  Slice& slice = slices_[current_];
  close();
  for (const GradientSlot* input : inputs) {
    if (input->wanted() && input->filled()) slice.outputs.push_back(TensorInfo::of(input->peek()));
  }
  const double arrived = bytes_of(slice.inputs);
  slice.bytes = arrived + bytes_of(slice.outputs);
  const auto found = forwards_.find(&entry.node);
  if (found == forwards_.end()) return;
  const Slice& forward = slices_[found->second.slice];
  slice.of_forward = found->second.slice;
  if (forward.bytes == 0) return;  // a view keeps nothing
  slice.bytes += bytes_of(forward.inputs);
  if (found->second.reads_rows_of_table) {
    const double table = last_bytes(forward.inputs);
    const bool trains = inputs.back()->wanted();
    slice.bytes += -table + (trains ? std::min(0.0, arrived - table) : 0);
  }
}

void StepRecorder::allocated(const void* memory, std::int64_t bytes) {
  const std::lock_guard lock(mutex_);
  blocks_[memory] = {bytes, is_recording_ ? current_.load() : -1};
  if (is_recording_) events_.push_back({now(), memory, bytes, current_});
}

void StepRecorder::released(const void* memory, std::int64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (blocks_.erase(memory) == 0) unknown_bytes_ -= bytes;
  if (is_recording_) events_.push_back({now(), memory, -bytes, current_});
}

void StepRecorder::resolve_scopes(StepTrace& trace) const {
  for (std::size_t i = 0; i < trace.slices.size(); ++i) {
    Slice& slice = trace.slices[i];
    if (scope_numbers_[i] >= 0)
      slice.scope = scopes_.scope(static_cast<std::size_t>(scope_numbers_[i]));
    if (slice.of_forward >= 0) slice.scope = trace.slices[slice.of_forward].scope;
  }
}

void StepRecorder::follow_memory(StepTrace& trace, const Blocks& before,
                                 std::int64_t unknown) const {
  // Of each block: how many events had happened when it was there, and when it was there no more.
  struct Life {
    std::size_t from, to = std::numeric_limits<std::size_t>::max();
  };
  std::vector<Life> lives;
  std::unordered_map<const void*, std::size_t> live;
  const auto add = [&](const MemoryBlock& block, std::size_t from) {
    trace.blocks.push_back(block);
    lives.push_back({from});
    return lives.size() - 1;
  };
  std::int64_t bytes = unknown;
  for (const auto& [memory, block] : before) {
    const std::string what = block.what.empty() ? "before" : block.what;
    live[memory] = add({what, -1, block.bytes, 0, trace.nanoseconds}, 0);
    bytes += block.bytes;
  }
  trace.memory.push_back({0, bytes});
  trace.peak = trace.memory.front();
  std::size_t peak = 0;  // events up to it
  for (std::size_t i = 0; i < events_.size(); ++i) {
    const MemoryEvent& event = events_[i];
    bytes += event.bytes;
    trace.memory.push_back({event.at, bytes});
    if (bytes > trace.peak.bytes) {
      trace.peak = trace.memory.back();
      peak = i + 1;
    }
    if (event.bytes > 0) {
      live[event.memory] = add({"", event.slice, event.bytes, event.at, trace.nanoseconds}, i + 1);
      continue;
    }
    std::size_t block = 0;
    if (const auto found = live.find(event.memory); found != live.end()) {
      block = found->second;
      live.erase(found);
    } else {
      unknown += event.bytes;
      block = add({"before", -1, -event.bytes, 0, 0}, 0);
    }
    trace.blocks[block].end = event.at;
    lives[block].to = i + 1;
  }
  if (unknown > 0) add({"before", -1, unknown, 0, trace.nanoseconds}, 0);
  std::map<std::array<std::string, 3>, MemoryHolder> holders;
  for (std::size_t i = 0; i < lives.size(); ++i) {
    MemoryBlock& block = trace.blocks[i];
    const Slice* slice = block.slice >= 0 ? &trace.slices[block.slice] : nullptr;
    if (block.what.empty()) {
      const bool is_workspace = slice != nullptr && block.end <= slice->end;
      block.what = slice == nullptr ? "other"
                   : is_workspace   ? "workspace"
                                    : what_is_left_by(slice->kind);
    }
    if (lives[i].from > peak || lives[i].to <= peak) continue;
    const std::string op = slice ? slice->name : "", scope = slice ? slice->scope : "";
    MemoryHolder& holder = holders[{block.what, op, scope}];
    holder = {block.what, op, scope, holder.bytes + block.bytes, holder.blocks + 1};
  }
  for (auto& [key, holder] : holders) trace.at_peak.push_back(std::move(holder));
  std::stable_sort(trace.at_peak.begin(), trace.at_peak.end(),
                   [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
}

}  // namespace kette
