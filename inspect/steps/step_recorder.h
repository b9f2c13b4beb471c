// Records a training or decoding step: what ran, for how long, and what held memory.
//
//   StepRecorder recorder(device);            // before the model, to see all its allocations
//   recorder.name(store.values(), "parameters");
//   options.tap = recorder.tap();             // for the scopes
//   StepTrace trace = recorder.record([&] { train_step(model, optimizer, batches, options); });
//
// On a GPU the host waits for each op before it starts the next, to measure each op alone. So the step takes longer
// than without recording. On the CPU nothing waits.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <unordered_map>

#include "autograd/op_observer.h"
#include "inspect/steps/scope_finder.h"
#include "inspect/steps/step_trace.h"
#include "tensor/observer.h"
#include "train/optimizer.h"

namespace kette {

class StepRecorder final : private WorkObserver, private OpObserver, private MemoryObserver {
 public:
  explicit StepRecorder(Device device);
  ~StepRecorder() override;
  StepRecorder(const StepRecorder&) = delete;
  StepRecorder& operator=(const StepRecorder&) = delete;

  /// Names the use of a tensor's memory.
  void name(const Tensor& tensor, const std::string& what);
  /// The same for parameters, gradients and the optimiser's state.
  void name(const ParamStore& parameters);
  void name(const Optimizer& optimizer);
  Tap* tap() { return &scopes_; }

  /// Runs a step on this thread and returns its trace. May be called again.
  StepTrace record(const std::function<void()>& step);

 private:
  struct Block {
    std::int64_t bytes = 0;
    std::int64_t slice = -1;  ///< the slice that allocated it
    std::string what{};       ///< set by name()
  };
  using Blocks = std::map<const void*, Block>;
  struct MemoryEvent {
    std::int64_t at;
    const void* memory;
    std::int64_t bytes;  ///< negative: freed
    std::int64_t slice;
  };
  struct Forward {
    std::int64_t slice;
    bool reads_rows_of_table;
  };

  void begin(const char* name, std::span<const Tensor* const> reads,
             std::span<const Tensor* const> writes) override;
  void end() override;
  void count_flops(double flops) override;
  void before_forward(const OpCall& call) override;
  void recorded(const TapeEntry& entry, std::span<const Variable* const> inputs) override;
  void after_forward(std::span<const Variable> results) override;
  void before_backward(const TapeEntry& entry, std::span<const Tensor> gradients,
                       std::span<GradientSlot* const> inputs) override;
  void after_backward(const TapeEntry& entry, std::span<GradientSlot* const> inputs) override;
  void allocated(const void* memory, std::int64_t bytes) override;
  void released(const void* memory, std::int64_t bytes) override;

  std::int64_t now() const;
  Slice& open(std::string name, Slice::Kind kind);
  void close();
  void resolve_scopes(StepTrace& trace) const;
  /// before, unknown: the memory at the start of the step.
  void follow_memory(StepTrace& trace, const Blocks& before, std::int64_t unknown) const;

  Device device_;
  bool waits_;  // for the device after each op
  std::int64_t start_ = 0;
  ScopeFinder scopes_;
  std::vector<Slice> slices_;
  std::vector<std::int64_t> scope_numbers_;  // by slice; -1: none
  std::vector<OpCall> calls_;                // those in progress
  std::unordered_map<const Tape::Node*, Forward> forwards_;
  std::atomic<std::int64_t> current_ = -1;  // the innermost open slice
  std::mutex mutex_;                        // guards the members below
  bool is_recording_ = false;
  Blocks blocks_;
  std::int64_t unknown_bytes_ = 0;  // of blocks allocated before the recorder
  std::vector<MemoryEvent> events_;
};

}  // namespace kette
