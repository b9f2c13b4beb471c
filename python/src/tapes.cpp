// kette.Tape: records between `with` and its end, and goes back once.
#include <map>

#include "autograd/tape.h"
#include "python/src/bindings.h"

namespace kette::python {
namespace {

/// A tape that exists while it is wanted. One that records is kept, whatever happens to its Python object: the thread
/// knows its address.
class PythonTape {
 public:
  PythonTape() = default;

  PythonTape& enter() {
    KETTE_CHECK(
        !tape_,
        "Tape: expected a new tape, given one that has recorded (make another for the next step)");
    tape_ = std::make_shared<Tape>();
    recording()[tape_.get()] = tape_;
    return *this;
  }
  void exit() {
    tape().stop();
    recording().erase(tape_.get());
  }
  Tape& tape() const {
    KETTE_CHECK(
        tape_ != nullptr,
        "Tape: expected one that has recorded, given a new one (with kt.Tape() as tape: ...)");
    return *tape_;
  }
  bool is_new() const { return tape_ == nullptr; }
  /// Ops written in Python may refer to the tape. While it records, others hold it as well.
  int traverse(visitproc visit, void* arg) const {
    return tape_.use_count() == 1 ? visit_ops_on(*tape_, visit, arg) : 0;
  }
  void clear() {
    if (tape_.use_count() == 1) tape_.reset();
  }

 private:
  static std::map<Tape*, std::shared_ptr<Tape>>& recording() {
    static auto* tapes = new std::map<Tape*, std::shared_ptr<Tape>>;  // outlives the interpreter
    return *tapes;
  }
  std::shared_ptr<Tape> tape_;
};

void backward(const PythonTape& self, const nb::object& output,
              const std::optional<Variable>& gradient) {
  const std::shared_ptr<void>
      alive;  // the tape is kept by its Python object, which the caller holds
  const Variable& from = nb::cast<const Variable&>(output);
  const nb::gil_scoped_release release;
  if (gradient) {
    self.tape().backward(from, gradient->value().to(from.value().dtype()));
  } else {
    self.tape().backward(from);
  }
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  return nb::inst_ready(self) ? nb::inst_ptr<PythonTape>(self)->traverse(visit, arg) : 0;
}
int clear(PyObject* self) {
  if (nb::inst_ready(self)) nb::inst_ptr<PythonTape>(self)->clear();
  return 0;
}
PyType_Slot tape_slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse)},
                            {Py_tp_clear, reinterpret_cast<void*>(clear)},
                            {0, nullptr}};

}  // namespace

void bind_tapes(nb::module_& m) {
  nb::class_<PythonTape>(
      m, "Tape", nb::type_slots(tape_slots),
      "Reverse-mode automatic differentiation. Between `with kt.Tape() as tape:` and its end every op on a parameter, or on "
      "what depends on one, is recorded on this thread; tape.backward(loss) then adds d loss / d parameter to each parameter's grad, once.")
      .def(nb::init<>())
      .def("__enter__", &PythonTape::enter, nb::rv_policy::reference_internal)
      .def("__exit__", [](PythonTape& self, const nb::args&) { self.exit(); })
      .def(
          "backward", &backward, "output"_a, "gradient"_a = nb::none(),
          "Goes through the recorded ops from the last to the first, and adds d output / d parameter to each parameter's grad. The output is a scalar, "
          "or has a gradient of its own shape. Only once: it frees the ops.")
      .def(
          "watch",
          [](const PythonTape& self, const nb::object& value) {
            return self.tape().watch(as_tensor(value).value());
          },
          "value"_a,
          "Tracks a value that is no parameter; gradient() has its gradient after backward().")
      .def(
          "gradient",
          [](const PythonTape& self, const Variable& watched) -> std::optional<Variable> {
            const Tensor gradient = self.tape().gradient(watched);
            if (!gradient.defined()) return {};
            return Variable(gradient);
          },
          "watched"_a, "The gradient of a watched value after backward(); None if none arrived.")
      .def("__len__", [](const PythonTape& self) { return self.is_new() ? 0 : self.tape().size(); })
      .def("__bool__", [](const PythonTape&) { return true; })
      .def("__repr__", [](const PythonTape& self) {
        return self.is_new() ? std::string("Tape()") : self.tape().str();
      });
}

}  // namespace kette::python
