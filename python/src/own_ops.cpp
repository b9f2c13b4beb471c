// Ops written in Python (kette.Op): a node of the tape that holds the Python object, and calls it with the GIL held.
#include <algorithm>
#include <set>
#include <unordered_map>

#include "autograd/record.h"
#include "python/src/arguments.h"

namespace kette::python {
namespace {

/// The object with what it needs to run; released with the GIL.
class PythonOp {
 public:
  explicit PythonOp(const nb::object& op)
      : op_(kept(op)), name_(kept_text(op, "name")), formula_(kept_text(op, "formula")) {}

  const char* name() const { return name_; }
  const char* formula() const { return formula_; }
  nb::object object() const { return nb::borrow(static_cast<PyObject*>(op_.get())); }
  bool has(const char* method) const {
    const nb::object it = nb::getattr(object(), method, nb::none());
    return !it.is_none();
  }

  /// op.method(*arguments), as a list; a single result is a list of one. An exception passes, with a note.
  std::vector<nb::object> call(const char* method, const std::vector<nb::object>& arguments) const {
    nb::list list;
    for (const nb::object& argument : arguments) list.append(argument);
    nb::object result;
    try {
      if (!has(method)) {
        throw nb::type_error(
            (std::string(name_) + ": expected a class with a method " + method + "(), given none")
                .c_str());
      }
      result = object().attr(method)(*nb::tuple(list));
    } catch (nb::python_error& error) {
      const std::string note = "in " + std::string(method) + "() of the op " + name_;
      const nb::object value = nb::borrow(error.value());
      if (nb::hasattr(value, "add_note")) value.attr("add_note")(note);
      throw;
    }
    std::vector<nb::object> results;
    if (nb::isinstance<nb::tuple>(result) || nb::isinstance<nb::list>(result)) {
      for (const nb::handle one : result) results.push_back(nb::borrow(one));
    } else {
      results.push_back(std::move(result));
    }
    return results;
  }

  /// A tensor of what a method returned.
  Variable tensor(const char* method, const nb::object& value, const Tensor& like) const {
    if (value.is_none()) {
      throw nb::type_error((std::string(name_) + ": expected a tensor from " + method +
                            "(), given None (is its return missing?)")
                               .c_str());
    }
    return like.defined() ? operand(ArrayLike{value}, Variable(like)) : as_tensor(value);
  }

 private:
  /// Lives as long as the process: pages and errors keep names by their address.
  static const char* kept_text(const nb::object& op, const char* attribute) {
    static auto* texts = new std::set<std::string>;
    nb::object text = nb::getattr(op, attribute, nb::none());
    if (std::string(attribute) == "name" && !(nb::isinstance<nb::str>(text) && nb::len(text) > 0))
      text = op.type().attr("__name__");
    return texts->insert(nb::isinstance<nb::str>(text) ? nb::cast<std::string>(text) : "")
        .first->c_str();
  }

  std::shared_ptr<void> op_;
  const char *name_, *formula_;
};

nb::object or_python_none(const Variable& x) {
  return x.value().defined() ? nb::cast(x) : nb::none();
}

class PythonNode;
/// The nodes of each tape; read and written with the GIL held.
std::unordered_map<const Tape*, std::unordered_map<const PythonNode*, PyObject*>>& nodes_on() {
  static auto* nodes = new std::remove_reference_t<decltype(nodes_on())>;
  return *nodes;
}

class PythonNode final : public Tape::Node {
 public:
  PythonNode(const Tape* tape, PythonOp op, const std::vector<Tensor>& outputs, std::size_t inputs)
      : tape_(tape), op_(std::move(op)), inputs_(inputs) {
    nodes_on()[tape_][this] = op_.object().ptr();
    for (const Tensor& output : outputs)
      outputs_.push_back({output.shape(), output.dtype(), output.device()});
  }
  ~PythonNode() override {
    if (!nb::is_alive()) return;
    const GilAcquire gil;
    const auto here = nodes_on().find(tape_);
    here->second.erase(this);
    if (here->second.empty()) nodes_on().erase(here);
  }
  const char* name() const override { return op_.name(); }

  void backward(std::span<Tensor> gradients, std::span<GradientSlot* const> inputs) override {
    const GilAcquire gil;
    std::vector<nb::object> given;
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      const Output& like = outputs_[i];
      Tensor gradient = gradients[i];
      if (!gradient.defined()) gradient = Tensor::zeros(like.shape, like.dtype, like.device);
      given.push_back(nb::cast(Variable(std::move(gradient))));
    }
    const std::vector<nb::object> results = op_.call("backward", given);
    KETTE_CHECK(results.size() == inputs_, "expected ", inputs_,
                " gradients, one for each input (or None), given ", results.size());
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (results[i].is_none() || !inputs[i]->wanted()) continue;
      inputs[i]->add(op_.tensor("backward", results[i], given_like(given[0])).value());
    }
  }
  std::vector<Variable> again(std::span<const Variable> inputs) const override {
    const GilAcquire gil;
    nb::list list;
    for (const Variable& input : inputs) list.append(or_python_none(input));
    const nb::object result = op_.object()(*nb::tuple(list));
    if (nb::isinstance<Variable>(result)) return {nb::cast<Variable>(result)};
    return nb::cast<std::vector<Variable>>(result);
  }

 private:
  struct Output {
    Shape shape;
    DType dtype;
    Device device;
  };
  static Tensor given_like(const nb::object& gradient) {
    return nb::cast<const Variable&>(gradient).value();
  }

  const Tape* tape_;
  PythonOp op_;
  std::size_t inputs_;
  std::vector<Output> outputs_;
};

/// The tangents of the results: of composed(), or of jvp().
void add_tangents(const PythonOp& op, const std::vector<Variable>& inputs,
                  std::vector<Variable>& results) {
  std::vector<nb::object> arguments;
  std::vector<Variable> tangents;
  const auto check_count = [&](const char* method) {
    KETTE_CHECK(tangents.size() == results.size(), op.name(), ": expected ", results.size(),
                " tensors from ", method, "(), as forward() gives, given ", tangents.size());
  };
  if (op.has("composed")) {
    for (const Variable& input : inputs) arguments.push_back(or_python_none(input));
    for (const nb::object& again : op.call("composed", arguments))
      tangents.push_back(op.tensor("composed", again, {}).tangent());
    check_count("composed");
  } else if (op.has("jvp")) {
    for (const Variable& input : inputs) {
      if (Tape::tracking(input) != nullptr) {
        throw NoTangent(std::string(op.name()) +
                        ": expected an op with composed() for second derivatives, given one with "
                        "jvp(), which is a constant for a tape");
      }
      Variable tangent = input.tangent();
      const Tensor& value = input.value();
      if (!tangent.value().defined() && value.defined())
        tangent = Tensor::zeros(value.shape(), value.dtype(), value.device());
      arguments.push_back(or_python_none(tangent));
    }
    const kette::detail::PauseTangents pause;
    const std::vector<nb::object> given = op.call("jvp", arguments);
    for (std::size_t i = 0; i < given.size(); ++i) {
      tangents.push_back(
          op.tensor("jvp", given[i], i < results.size() ? results[i].value() : Tensor()));
    }
    check_count("jvp");
  } else {
    throw NoTangent(std::string(op.name()) +
                    ": expected an op that has a tangent (jvp() or composed()), given one without");
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    KETTE_CHECK(!tangents[i].value().defined() || tangents[i].shape() == results[i].shape(),
                op.name(), ": expected a tangent of shape ", results[i].shape(), ", given ",
                tangents[i].shape());
    results[i] = results[i].with_tangent(tangents[i]);
  }
}

/// What forward() computes of the inputs as constants.
std::vector<Tensor> outputs_of(const PythonOp& op, const std::vector<Variable>& inputs,
                               bool& is_one) {
  const PauseRecording no_tape;
  const kette::detail::PauseTangents no_tangents;
  std::vector<nb::object> arguments;
  Tensor like;
  for (const Variable& input : inputs) {
    if (!like.defined()) like = input.value();
    arguments.push_back(or_python_none(Variable(input.value())));
  }
  const std::vector<nb::object> given = op.call("forward", arguments);
  KETTE_CHECK(!given.empty(), op.name(), ": expected at least one output of forward(), given none");
  std::vector<Tensor> outputs;
  for (const nb::object& one : given) outputs.push_back(op.tensor("forward", one, like).value());
  is_one = outputs.size() == 1;
  return outputs;
}

nb::object apply_op(const nb::object& object, const nb::args& given) {
  const PythonOp op(object);
  std::vector<Variable> inputs;
  Variable first;
  for (const nb::handle one : given) {
    Variable input;
    if (!one.is_none()) {
      const bool has_like = first.value().defined();
      input = has_like ? as_operand(nb::borrow(one), first) : as_tensor(nb::borrow(one));
    }
    if (!first.value().defined()) first = input;
    inputs.push_back(std::move(input));
  }
  std::vector<const Variable*> pointers;
  for (const Variable& input : inputs) pointers.push_back(&input);
  kette::detail::check_devices(op.name(), pointers);
  OpObserver* observer = OpObserver::current();
  if (observer) observer->before_forward({OpName(op.name(), "", 0), op.formula(), pointers});
  bool is_one = false;
  const std::vector<Tensor> outputs = outputs_of(op, inputs, is_one);
  for (const Tensor& output : outputs) check_forward(op.name(), pointers, output);
  std::vector<Variable> results(outputs.begin(), outputs.end());
  if (Tape* tape = Tape::tracking(pointers)) {
    results = tape->append(std::make_unique<PythonNode>(tape, op, outputs, inputs.size()), pointers,
                           outputs);
  }
  const bool has_tangent = std::any_of(inputs.begin(), inputs.end(),
                                       [](const Variable& input) { return input.has_tangent(); });
  if (has_tangent && !kette::detail::PauseTangents::paused) add_tangents(op, inputs, results);
  if (observer) observer->after_forward(results);
  if (is_one) return nb::cast(results[0]);
  nb::list all;
  for (const Variable& result : results) all.append(result);
  return nb::tuple(all);
}

}  // namespace

int visit_ops_on(const Tape& tape, visitproc visit, void* arg) {
  const auto here = nodes_on().find(&tape);
  if (here == nodes_on().end()) return 0;
  for (const auto& [node, op] : here->second) Py_VISIT(op);
  return 0;
}

void bind_own_ops(nb::module_& m) {
  nb::exception<NoTangent>(m, "NoTangent", m.attr("Error")).doc() =
      "Forward mode reached an op without a tangent. The text names it.";
  m.def("_apply_op", &apply_op, "op"_a, "inputs"_a,
        nb::sig("def _apply_op(op: object, *inputs: object) -> typing.Any"),
        "Applies an op written in Python to its inputs; kette.Op calls it.");
}

}  // namespace kette::python
