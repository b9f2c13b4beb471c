// kette.Tape: records between `with` and its end, and goes back once.
#include <map>
#include <thread>

#include "autograd/tape.h"
#include "inspect/steps/tape_graph.h"
#include "python/src/bindings.h"

namespace kette::python {
namespace {

/// A tape that exists while it is wanted. One that records is kept, whatever happens to its Python object, since the
/// thread knows its address. Threads never share the work on a tape: the second one gets an Error.
class PythonTape {
 public:
  PythonTape& enter() {
    KETTE_CHECK(
        !tape_,
        "Tape: expected a new tape, given one that has recorded (make another for the next step)");
    tape_ = std::make_shared<Tape>();
    thread_ = std::this_thread::get_id();
    recording_ = std::make_shared<Recording>(tape_);
    recordings()[tape_.get()] = recording_;
    return *this;
  }
  void exit() {
    tape().stop();
    recording_->observation.reset();
    recording_->tape.reset();
    recordings().erase(tape_.get());
  }
  Tape& tape() const {
    KETTE_CHECK(
        tape_ != nullptr,
        "Tape: expected one that has recorded, given a new one (with kt.Tape() as tape: ...)");
    KETTE_CHECK(
        !is_busy_,
        "Tape: expected one that is not going back, given one whose backward() is under way");
    KETTE_CHECK(!tape_->is_recording() || thread_ == std::this_thread::get_id(),
                "Tape: expected the thread on which it records, given another one");
    return *tape_;
  }
  bool is_new() const { return tape_ == nullptr; }
  std::string drawn() const { return recording_ ? recording_->graph.svg() : ""; }

  void backward(const Variable& output, const std::optional<Variable>& gradient) {
    Tape& its = tape();
    is_busy_ = true;
    try {
      const GilRelease release;
      const OpObservation observation(&recording_->graph);
      if (gradient) {
        its.backward(output, gradient->value().to(output.value().dtype()));
      } else {
        its.backward(output);
      }
    } catch (...) {
      is_busy_ = false;
      throw;
    }
    is_busy_ = false;
  }

  /// Ops written in Python may refer to the tape. While it records, others hold it as well; while it goes back, it changes.
  int traverse(visitproc visit, void* arg) const {
    return tape_.use_count() == 1 && !is_busy_ ? visit_ops_on(*tape_, visit, arg) : 0;
  }
  void clear() {
    if (tape_.use_count() == 1) tape_.reset();
  }

 private:
  /// What the thread points to while it records.
  struct Recording {
    explicit Recording(std::shared_ptr<Tape> its)
        : tape(std::move(its)),
          graph(*tape),
          observation(std::make_unique<OpObservation>(&graph)) {}
    std::shared_ptr<Tape> tape;
    TapeGraph graph;
    std::unique_ptr<OpObservation> observation;
  };
  static std::map<Tape*, std::shared_ptr<Recording>>& recordings() {
    static auto* all = new std::map<Tape*, std::shared_ptr<Recording>>;  // outlives the interpreter
    return *all;
  }
  std::shared_ptr<Tape> tape_;
  std::shared_ptr<Recording> recording_;
  std::thread::id thread_;
  bool is_busy_ = false;  // read and written with the GIL held
};

}  // namespace

void bind_tapes(nb::module_& m) {
  nb::class_<PythonTape>(
      m, "Tape", collected<PythonTape>(),
      "Reverse-mode automatic differentiation. Between `with kt.Tape() as tape:` and its end every op on a parameter, or on "
      "what depends on one, is recorded on this thread; tape.backward(loss) then adds d loss / d parameter to each parameter's grad, once.")
      .def(nb::init<>())
      .def("__enter__", &PythonTape::enter, nb::rv_policy::reference_internal)
      .def("__exit__", [](PythonTape& self, const nb::args&) { self.exit(); })
      .def(
          "backward", &PythonTape::backward, "output"_a, "gradient"_a = nb::none(),
          "Goes through the recorded ops from the last to the first, and adds d output / d parameter to each parameter's grad. gradient: that of the output, "
          "of its shape; not needed for a scalar. Only once: it frees the ops.")
      .def(
          "watch",
          [](const PythonTape& self, const nb::object& value) {
            Tape& tape = self.tape();
            const Variable x = as_tensor(value);
            check_is_constant(x, "watch()", "tape.watch(x.detach())");
            return tape.watch(x.value());
          },
          "value"_a,
          "Tracks a constant; gradient() has its gradient after backward(). An Error for what a tape tracks, as its own "
          "gradient would end here: tape.watch(x.detach()).")
      .def(
          "gradient",
          [](const PythonTape& self, const Variable& watched) -> std::optional<Variable> {
            const Tensor gradient = self.tape().gradient(watched);
            if (!gradient.defined()) return {};
            return Variable(gradient);
          },
          "watched"_a,
          "The gradient of a watched value after backward(); None if none arrived. Those of other values are not kept.")
      .def("__len__", [](const PythonTape& self) { return self.is_new() ? 0 : self.tape().size(); })
      .def("__bool__", [](const PythonTape&) { return true; })
      .def(
          "_repr_html_",
          [](const PythonTape& self) -> std::optional<std::string> {
            const std::string drawn = self.drawn();
            if (drawn.empty()) return {};
            return "<div style='overflow-x: auto'>" + drawn + "</div>";
          },
          "In a notebook: a small tape as a graph, with the values of small tensors and, after backward(), their gradients.")
      .def("__repr__", [](const PythonTape& self) {
        return self.is_new() ? std::string("Tape()") : self.tape().str();
      });
}

}  // namespace kette::python
