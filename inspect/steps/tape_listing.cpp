#include "inspect/steps/tape_listing.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "autograd/all_ops.h"
#include "autograd/op_observer.h"
#include "inspect/steps/scope_finder.h"
#include "tensor/backend.h"
#include "tensor/observer.h"
#include "tensor/stopwatch.h"

namespace kette {
namespace {

/// Of no tensor one without elements.
TensorInfo info_of_input(const Tensor& tensor) {
  return tensor.defined() ? TensorInfo::of(tensor) : TensorInfo{{0}, DType::f32};
}

TensorNote note_of(const Values& values) {
  double squares = 0;
  for (const double value : values) squares += value * value;
  const auto shown = std::min<std::ptrdiff_t>(std::ssize(values), TapeListing::kMostValues);
  return {std::sqrt(squares), {values.begin(), values.begin() + shown}};
}

Values doubles_of(const Tensor& tensor) {
  return tensor.defined() ? tensor.values<double>() : Values();
}

/// What has gathered in a slot: nothing where a leaf's gradient was cleared.
Values gathered(const GradientSlot& slot) {
  if (slot.leaf() && slot.leaf()->cleared) return {};
  return doubles_of(slot.peek());
}

/// Hears a forward and a backward pass of one tape, and looks at the gradients, which takes time from the
/// caches. Ops of other tapes, which run within a node, are the node's own affair.
class TapeListener final : public OpObserver, public MemoryObserver {
 public:
  TapeListener(Device device, bool looks) : device_(device), looks_(looks) {
    backend(device).watch_memory(this);
  }
  ~TapeListener() override { backend(device_).watch_memory(nullptr); }
  TapeListener(const TapeListener&) = delete;
  TapeListener& operator=(const TapeListener&) = delete;

  Tap* tap() { return &scopes_; }

  TapeListing take() {
    for (std::size_t i = 0; i < listing_.nodes.size(); ++i) {
      listing_.nodes[i].scope = scopes_.scope(scope_numbers_[i]);
    }
    listing_.device = device_.str();
    return std::move(listing_);
  }

 private:
  void before_forward(const OpCall& call) override {
    if (is_backward_) return;
    call_ = call;
    scope_number_ = scopes_.ran(call.inputs);
    taken_.clear();
    is_forward_ = true;
    restart_watch();
  }

  void recorded(const TapeEntry& entry, std::span<const Variable* const> inputs) override {
    if (is_backward_) return;
    TapeNode node;
    node.number = entry.number;
    node.op = entry.node.name();
    node.formula = call_.formula;
    if (!call_.name.file().empty()) {
      node.source = std::string(call_.name.file()) + ":" + std::to_string(call_.name.line());
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      TapeInput input;
      input.tensor = info_of_input(inputs[i]->value());
      input.wanted = entry.inputs[i] >= 0;
      if (inputs[i]->leaf()) input.leaf = inputs[i]->leaf()->name;
      if (const auto maker = makers_.find(entry.inputs[i]); maker != makers_.end()) {
        input.node = maker->second;
      }
      node.inputs.push_back(std::move(input));
    }
    for (const std::int64_t slot : entry.outputs) makers_[slot] = entry.number;
    listing_.nodes.push_back(std::move(node));
    scope_numbers_.push_back(scope_number_);
    was_recorded_ = true;
  }

  void after_forward(std::span<const Variable> results) override {
    if (is_backward_) return;
    const std::int64_t time = nanoseconds();
    is_forward_ = false;
    if (!std::exchange(was_recorded_, false)) return;
    TapeNode& node = listing_.nodes.back();
    node.forward_nanoseconds = time;
    for (const Variable& result : results) node.outputs.push_back(TensorInfo::of(result.value()));
    for (const auto& [memory, bytes] : taken_) owners_[memory] = {node.number, bytes};
  }

  void before_backward(const TapeEntry& entry, std::span<const Tensor> gradients,
                       std::span<GradientSlot* const> inputs) override {
    if (depth_++ > 0) return;
    if (!std::exchange(is_backward_, true)) count_kept();
    if (looks_) {
      TapeNode& node = listing_.nodes[entry.number];
      for (const Tensor& gradient : gradients) {
        node.gradients.push_back(note_of(doubles_of(gradient)));
      }
      before_.clear();
      for (const GradientSlot* slot : inputs) {
        before_.push_back(slot->wanted() ? gathered(*slot) : Values());
      }
    }
    restart_watch();
  }

  void after_backward(const TapeEntry& entry, std::span<GradientSlot* const> inputs) override {
    if (--depth_ > 0) return;
    TapeNode& node = listing_.nodes[entry.number];
    node.backward_nanoseconds = nanoseconds();
    for (std::size_t i = 0; looks_ && i < inputs.size(); ++i) {
      if (!inputs[i]->wanted()) continue;
      const Values after = gathered(*inputs[i]);
      Values contribution = after;
      for (std::size_t j = 0; j < before_[i].size(); ++j) contribution[j] -= before_[i][j];
      node.inputs[i].before = note_of(before_[i]);
      node.inputs[i].contribution = note_of(contribution);
      node.inputs[i].after = note_of(after);
    }
  }

  // Kernels may take working memory on several threads; they are done before an op is.
  void allocated(const void* memory, std::int64_t bytes) override {
    if (is_forward_) taken_[memory] = bytes;
  }
  void released(const void* memory, std::int64_t) override {
    if (is_backward_) return;
    taken_.erase(memory);
    owners_.erase(memory);
  }

  void count_kept() {
    for (const auto& [memory, owner] : owners_)
      listing_.nodes[owner.first].kept_bytes += owner.second;
  }
  void restart_watch() {
    backend(device_).synchronize();
    watch_.restart();
  }
  std::int64_t nanoseconds() {
    backend(device_).synchronize();
    return std::llround(watch_.seconds() * 1e9);
  }

  Device device_;
  bool looks_;
  TapeListing listing_;
  ScopeFinder scopes_;
  std::vector<std::size_t> scope_numbers_;  // of nodes
  std::size_t scope_number_ = 0;            // of the op that runs
  OpCall call_{"", "", {}};
  bool is_forward_ = false, was_recorded_ = false, is_backward_ = false;
  int depth_ = 0;  // of backward passes in each other
  Stopwatch watch_;
  std::unordered_map<std::int64_t, std::int64_t> makers_;  // of slots: nodes
  std::unordered_map<const void*, std::int64_t> taken_;    // by the op that runs
  std::unordered_map<const void*, std::pair<std::int64_t, std::int64_t>> owners_;  // node, bytes
  std::vector<Values> before_;
};

Variable mean_loss(const Model& model, const Batch& batch, const TapeStep& step, Tap* tap) {
  Run run(step.seed, 1, tap);
  return model.loss(
      batch, {step.label_smoothing, 1.0 / static_cast<double>(batch.target_segments.rows())}, run);
}

/// Checks one op where it has been recorded, while its node is there.
class NodeListener final : public OpObserver {
 public:
  NodeListener(std::int64_t number, const GradientCheckOptions& options)
      : number_(number), options_(options) {}

  Tap* tap() { return &scopes_; }
  std::int64_t nodes() const { return nodes_; }
  NodeCheck take() {
    check_.scope = scopes_.scope(scope_number_);
    return std::move(check_);
  }

 private:
  void before_forward(const OpCall& call) override { last_ = scopes_.ran(call.inputs); }
  void recorded(const TapeEntry& entry, std::span<const Variable* const> inputs) override {
    ++nodes_;
    if (entry.number != number_) return;
    const OpObservation nobody(nullptr);
    scope_number_ = last_;
    check_.op = entry.node.name();
    std::vector<SampleInput> given;
    const auto [low, high] = range_of(check_.op);
    for (const Variable* input : inputs) {
      check_.inputs.push_back(info_of_input(input->value()));
      if (input->value().defined()) given.push_back({input->shape(), low, high});
    }
    const auto again = [&](const std::vector<Variable>& values) {
      std::vector<Variable> all;
      auto value = values.begin();
      for (const Variable* input : inputs) {
        all.push_back(input->value().defined() ? *value++ : Variable());
      }
      return entry.node.again(all);
    };
    check_.check = check_gradients(again, given, options_);
  }
  void after_forward(std::span<const Variable>) override {}
  void before_backward(const TapeEntry&, std::span<const Tensor>,
                       std::span<GradientSlot* const>) override {}
  void after_backward(const TapeEntry&, std::span<GradientSlot* const>) override {}

  /// What the op's own samples are drawn from.
  static std::pair<double, double> range_of(const std::string& name) {
    for (const OpInfo& op : all_ops()) {
      if (op.name != name) continue;
      const SampleInput& first = op.samples.front().inputs.front();
      return {first.low, first.high};
    }
    return {-1, 1};
  }

  std::int64_t number_, nodes_ = 0;
  const GradientCheckOptions& options_;
  ScopeFinder scopes_;
  std::size_t last_ = 0, scope_number_ = 0;
  NodeCheck check_;
};

}  // namespace

double TapeNode::gradient_norm() const {
  double squares = 0;
  for (const TensorNote& gradient : gradients) squares += gradient.norm * gradient.norm;
  return std::sqrt(squares);
}

TapeListing list_tape(Model& model, const Batch& batch, const TapeStep& step) {
  double loss = 0;
  const auto pass = [&](OpObserver* observer, Tap* tap) {
    model.parameters().clear_gradients();
    const OpObservation observation(observer);
    Tape tape;
    const Variable mean = mean_loss(model, batch, step, tap);
    loss = mean.value().item();
    tape.backward(mean);
  };
  const auto listed = [&](bool looks) {
    TapeListener listener(model.parameters().values().device(), looks);
    pass(&listener, listener.tap());
    return listener.take();
  };
  pass(nullptr, nullptr);
  const TapeListing timed = listed(false);
  TapeListing listing = listed(true);
  for (std::size_t i = 0; i < listing.nodes.size(); ++i) {
    listing.nodes[i].forward_nanoseconds = timed.nodes[i].forward_nanoseconds;
    listing.nodes[i].backward_nanoseconds = timed.nodes[i].backward_nanoseconds;
  }
  listing.loss = loss;
  return listing;
}

NodeCheck check_node(Model& model, const Batch& batch, std::int64_t number,
                     const GradientCheckOptions& options, const TapeStep& step) {
  NodeListener listener(number, options);
  const Tape tape;
  {
    const OpObservation observation(&listener);
    mean_loss(model, batch, step, listener.tap());
  }
  KETTE_CHECK(number >= 0 && number < listener.nodes(), "--check: expected a node from 0 to ",
              listener.nodes() - 1, ", given ", number);
  return listener.take();
}

}  // namespace kette
