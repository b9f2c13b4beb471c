#include "autograd/tape.h"

#include <algorithm>
#include <atomic>
#include <iomanip>
#include <mutex>
#include <sstream>
#include <utility>

#include "autograd/anomaly.h"
#include "autograd/input_slots.h"
#include "autograd/op_observer.h"
#include "autograd/scratch_gradients.h"
#include "tensor/observer.h"

namespace kette {
namespace {

thread_local Tape* recording = nullptr;
thread_local OpObservation* watching = nullptr;
std::atomic<std::uint64_t> tapes_made{0};
// Tapes of other threads may add to the same leaves. Recursive, as a checkpoint goes back within its node.
std::recursive_mutex adding_to_leaves;

}  // namespace

Tape::Tape() : serial_(++tapes_made), previous_(recording) {
  for (const Tape* outer = previous_; outer; outer = outer->previous_) {
    outer_.push_back(outer->serial_);
  }
  recording = this;
}
Tape::~Tape() {
  if (is_recording_) leave(*this);
}
Tape* Tape::current() { return recording; }

Tape* Tape::tracking(std::span<const Variable* const> values) {
  for (Tape* tape = recording; tape; tape = tape->previous_) {
    for (const Variable* value : values) {
      // What the innermost does not track is a constant, or of an outer tape, which may have ended.
      if (tape == recording ? tape->tracks(*value) : value->tape_ == tape->serial_) return tape;
    }
  }
  return nullptr;
}
Tape* Tape::tracking(const Variable& value) {
  const std::array<const Variable*, 1> values{&value};
  return tracking(values);
}

void Tape::stop() {
  if (!is_recording_) return;
  KETTE_CHECK(leave(*this),
              "tape: expected to stop on the thread that it records, and while recording is not "
              "paused, given another");
  is_recording_ = false;
}

/// Takes it out of this thread's tapes. Returns whether it was among them.
bool Tape::leave(const Tape& tape) {
  for (Tape** at = &recording; *at; at = &(*at)->previous_) {
    if (*at != &tape) continue;
    *at = tape.previous_;
    return true;
  }
  return false;
}

OpObserver* OpObserver::current() { return watching ? watching->observer_ : nullptr; }
OpObservation::OpObservation(OpObserver* observer)
    : observer_(observer), previous_(std::exchange(watching, this)) {}
OpObservation::~OpObservation() {
  OpObservation** at = &watching;
  while (*at && *at != this) at = &(*at)->previous_;
  if (*at) *at = previous_;
}

PauseRecording::PauseRecording() : paused_(recording) { recording = nullptr; }
PauseRecording::~PauseRecording() { recording = paused_; }

bool Tape::tracks(const Variable& value) const {
  if (value.leaf_) return !value.leaf_->frozen;
  if (value.tape_ == 0) return false;
  if (value.tape_ == serial_) return true;
  if (std::find(outer_.begin(), outer_.end(), value.tape_) != outer_.end()) {
    return false;  // a constant for the inner tape
  }
  fail(
      "tape: expected a value of the tape that is alive, given one of another; pass value.value() "
      "(in Python value.detach()) to use it as a constant, or within checkpoint() the value among its inputs");
}

std::int64_t Tape::slot_of(const Variable& value) {
  if (!tracks(value)) return -1;
  if (!value.leaf_) return value.slot_;
  const auto [found, is_new] =
      leaf_slots_.try_emplace(value.leaf_.get(), static_cast<std::int64_t>(slots_.size()));
  if (is_new) {
    ScratchGradients::meet(value.leaf_);
    slots_.emplace_back(value.leaf_);
    first_uses_.emplace_back(nodes_.size(), value.leaf_.get());
  }
  return found->second;
}

Variable Tape::watch(const Tensor& value) {
  watched_.push_back(static_cast<std::int64_t>(slots_.size()));
  slots_.emplace_back(value);
  return Variable(value, serial_, watched_.back());
}

Tensor Tape::gradient(const Variable& watched) const {
  KETTE_CHECK(watched.tape_ == serial_ && watched.slot_ >= 0,
              "gradient: expected a value of this tape, given another");
  KETTE_CHECK(std::binary_search(watched_.begin(), watched_.end(), watched.slot_),
              "gradient: expected a watched value (x = tape.watch(x)), given the result of an op, "
              "whose gradient is not kept");
  return slots_[watched.slot_].peek();
}

std::vector<Variable> Tape::append(std::unique_ptr<Node> node,
                                   std::span<const Variable* const> inputs,
                                   std::span<const Tensor> outputs) {
  KETTE_CHECK(!finished_, "tape: expected a tape before backward(), given one after it (",
              node->name(), "); make a new Tape for the next step");
  if (node->has_other_leaves()) first_with_others_ = std::min(first_with_others_, nodes_.size());
  Entry entry;
  for (const Variable* input : inputs) entry.inputs.push_back(slot_of(*input));
  entry.node = std::move(node);
  std::vector<Variable> results;
  for (const Tensor& output : outputs) {
    entry.outputs.push_back(static_cast<std::int64_t>(slots_.size()));
    entry.shapes.push_back(output.shape());
    slots_.emplace_back(output);
    results.push_back(Variable(output, serial_, entry.outputs.back()));
  }
  if (OpObserver* observer = OpObserver::current())
    observer->recorded({*this, *entry.node, size(), entry.inputs, entry.outputs}, inputs);
  nodes_.push_back(std::move(entry));
  return results;
}

void Tape::backward(const Variable& output) {
  KETTE_CHECK(output.value().elements() == 1, "backward: expected a scalar, given ", output.shape(),
              "; give the gradient of the output to start from another shape");
  const Tensor& value = output.value();
  backward(output, Tensor::full(value.shape(), 1.0, value.dtype(), value.device()));
}

void Tape::backward(const Variable& output, const Tensor& output_gradient) {
  backward({&output, 1}, {&output_gradient, 1});
}

void Tape::backward(std::span<const Variable> outputs, std::span<const Tensor> output_gradients) {
  KETTE_CHECK(!finished_,
              "backward: expected a tape that has not run, given one that has; "
              "its nodes are freed as they are passed");
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    KETTE_CHECK(
        tracks(outputs[i]),
        "backward: expected a value recorded on this tape, given one that depends on no parameter, or on frozen ones alone, "
        "or that was computed when this tape did not record it (compute all of the loss while the tape records; in Python, "
        "within `with kt.Tape() as tape:`)");
    const Tensor &value = outputs[i].value(), &given = output_gradients[i];
    KETTE_CHECK(given.shape() == value.shape(), "backward: expected a gradient of shape ",
                value.shape(), ", given ", given.shape());
    KETTE_CHECK(given.defined() && compute_dtype(given.dtype()) == compute_dtype(value.dtype()) &&
                    given.device() == value.device(),
                "backward: expected a gradient of ", name_of(value.dtype()), " on ",
                value.device().str(), ", given ", given.str());
  }
  finished_ = true;
  const PauseRecording pause;
  const Work work("backward");
  {
    const std::lock_guard lock(adding_to_leaves);
    for (std::size_t i = 0; i < outputs.size(); ++i)
      slots_[slot_of(outputs[i])].add(output_gradients[i]);
  }
  std::vector<GradientSlot*> inputs;
  std::vector<Tensor> upstream;
  GradientSlot unwanted;
  InputSlots slots;
  for (std::size_t at = nodes_.size(); at-- > 0;) {
    Entry& entry = nodes_[at];
    upstream.clear();
    bool arrived = false;
    for (const std::int64_t slot : entry.outputs) {
      upstream.push_back(slots_[slot].take());
      arrived = arrived || upstream.back().defined();
    }
    if (arrived) {
      inputs.clear();
      bool has_leaf = false;
      for (const std::int64_t slot : entry.inputs) {
        inputs.push_back(slot < 0 ? &unwanted : &slots_[slot]);
        has_leaf = has_leaf || inputs.back()->leaf();
      }
      std::unique_lock lock(adding_to_leaves, std::defer_lock);
      if (has_leaf) lock.lock();
      const TapeEntry seen{*this, *entry.node, static_cast<std::int64_t>(at), entry.inputs,
                           entry.outputs};
      OpObserver* observer = OpObserver::current();
      if (observer) observer->before_backward(seen, upstream, inputs);
      slots.assign(inputs);
      backward_of(entry, upstream, slots.given());
      slots.gather();
      if (observer) observer->after_backward(seen, inputs);
      check_backward(entry.node->name(), inputs);
    }
    entry.node.reset();
    if (at > first_with_others_) continue;
    for (; !first_uses_.empty() && first_uses_.back().first >= at; first_uses_.pop_back()) {
      if (tell_) tell_(*first_uses_.back().second);
    }
  }
  nodes_.clear();
}

void Tape::backward_of(Entry& entry, std::span<Tensor> gradients,
                       std::span<GradientSlot* const> inputs) {
  const auto failed = [&](const std::string& where, const Error& error) {
    fail(entry.node->name(), " backward", where, ": ", error.what());
  };
  try {
    entry.node->backward(gradients, inputs);
  } catch (const WrongGradient& error) {
    const auto slot = std::find(inputs.begin(), inputs.end(), error.slot);
    failed(" to its input " + std::to_string(slot - inputs.begin()), error);
  } catch (const Error& error) {
    std::string missing;
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      if (entry.outputs.size() > 1 && !gradients[i].defined()) {
        missing += " (the gradient of its output " + std::to_string(i) +
                   " is undefined: nothing depends on that)";
      }
    }
    failed(missing, error);
  }
}

std::string Tape::str() const {
  std::ostringstream text;
  for (std::size_t at = 0; at < nodes_.size(); ++at) {
    const Entry& entry = nodes_[at];
    std::string outputs;
    for (const std::int64_t output : entry.outputs) {
      outputs += (outputs.empty() ? "%" : ", %") + std::to_string(output);
    }
    text << std::setw(4) << at << "  " << std::left << std::setw(6) << outputs << "= "
         << std::setw(24) << entry.node->name() << std::right << '(';
    for (std::size_t i = 0; i < entry.inputs.size(); ++i) {
      text << (i ? ", " : "");
      if (entry.inputs[i] < 0) {
        text << "constant";
      } else if (const auto& leaf = slots_[entry.inputs[i]].leaf()) {
        text << leaf->name;
      } else {
        text << '%' << entry.inputs[i];
      }
    }
    text << ") ->";
    for (const Shape& shape : entry.shapes) text << ' ' << shape;
    text << '\n';
  }
  return text.str();
}

}  // namespace kette
