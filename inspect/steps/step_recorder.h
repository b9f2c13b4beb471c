// Records a step: what ran, for how long, and what held memory.
//
//   StepRecorder recorder(device);            // before there is a model: it hears of memory from now on
//   recorder.name(store.values(), "parameters");
//   options.tap = recorder.tap();             // for the scopes
//   StepTrace trace = recorder.record([&] { train_step(model, optimizer, batches, options); });
//
// On a GPU each op is waited for before the next begins, so that its time is its own; the host then no longer
// runs ahead, and the step takes longer than by itself. On the CPU nothing is waited for.
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

  /// Says what a tensor's memory is for.
  void name(const Tensor& tensor, const std::string& what);
  /// The same of parameters and of what training keeps beside them.
  void name(const ParamStore& parameters);
  void name(const Optimizer& optimizer);
  Tap* tap() { return &scopes_; }

  /// Runs a step, on this thread, and gives its trace. Can be done again.
  StepTrace record(const std::function<void()>& step);

 private:
  struct Block {
    std::int64_t bytes = 0;
    std::int64_t slice = -1;  ///< whose work took it
    std::string what{};       ///< as the program says
  };
  using Blocks = std::map<const void*, Block>;
  struct MemoryEvent {
    std::int64_t at;
    const void* memory;
    std::int64_t bytes;  ///< negative: given back
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
  /// before, unknown: what the step found.
  void follow_memory(StepTrace& trace, const Blocks& before, std::int64_t unknown) const;

  Device device_;
  bool waits_;  // for the device
  std::int64_t start_ = 0;
  ScopeFinder scopes_;
  std::vector<Slice> slices_;
  std::vector<std::int64_t> scope_numbers_;  // of each slice; -1: of none
  std::vector<OpCall> calls_;                // those that run
  std::unordered_map<const Tape::Node*, Forward> forwards_;
  std::atomic<std::int64_t> current_ = -1;  // the innermost slice that is open
  std::mutex mutex_;                        // of what follows
  bool is_recording_ = false;
  Blocks blocks_;
  std::int64_t unknown_bytes_ = 0;  // of blocks from before
  std::vector<MemoryEvent> events_;
};

}  // namespace kette
