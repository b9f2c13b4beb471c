// Gradient checks and forward mode of Python functions.
#include <nanobind/stl/pair.h>

#include <algorithm>

#include "autograd/hessian.h"
#include "autograd/ops/shaping.h"
#include "autograd/record.h"
#include "python/src/arguments.h"

namespace kette::python {
namespace {

/// Without the last line's end.
std::string text_of(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

/// The tensors of what a function returned: one, or a tuple or list of them.
std::vector<Variable> outputs_of(const nb::object& result) {
  std::vector<Variable> outputs;
  const auto add = [&](nb::handle one) {
    if (one.is_none())
      throw nb::type_error(
          "function: expected a tensor or a tuple of tensors from it, given None (is its return missing?)");
    outputs.push_back(as_tensor(nb::borrow(one)));
  };
  if (nb::isinstance<nb::tuple>(result) || nb::isinstance<nb::list>(result)) {
    for (const nb::handle one : result) add(one);
  } else {
    add(result);
  }
  KETTE_CHECK(!outputs.empty(), "function: expected at least one output, given none");
  return outputs;
}

/// Calls a Python function from C++. Its exceptions pass, NoTangent as the C++ one that checks know.
std::vector<Variable> called(const nb::object& function, const std::vector<Variable>& inputs) {
  const GilAcquire gil;
  nb::list arguments;
  for (const Variable& input : inputs) arguments.append(input);
  try {
    return outputs_of(function(*nb::tuple(arguments)));
  } catch (nb::python_error& error) {
    const nb::object no_tangent = nb::module_::import_("kette._kette").attr("NoTangent");
    if (!error.matches(no_tangent)) throw;
    throw NoTangent(nb::cast<std::string>(nb::str(error.value())));
  }
}

bool is_shape(nb::handle value) {
  if (!nb::isinstance<nb::tuple>(value)) return false;
  for (const nb::handle extent : value) {
    if (!PyIndex_Check(extent.ptr())) return false;
  }
  return true;
}

/// (3, 5), ((3, 5), low, high), or values.
SampleInput sample_input(nb::handle value) {
  if (is_shape(value)) return {.shape = nb::cast<Shape>(value)};
  if (nb::isinstance<nb::tuple>(value)) {
    if (nb::len(value) != 3 || !is_shape(value[0])) {
      throw nb::type_error(
          "inputs: expected a shape (3, 5), a shape with a range ((3, 5), low, high), or values (a "
          "tensor, an array, a list), given another tuple");
    }
    const double low = nb::cast<double>(value[1]), high = nb::cast<double>(value[2]);
    KETTE_CHECK(low < high, "inputs: expected a range, low below high, given ", low, " and ", high);
    return {.shape = nb::cast<Shape>(value[0]), .low = low, .high = high};
  }
  return given(as_tensor(nb::borrow(value)).value().clone());
}

std::vector<SampleInput> sample_inputs_of(const nb::object& inputs) {
  if (is_shape(inputs) && nb::len(inputs) > 0)
    throw nb::type_error("inputs: expected a list of inputs, given one shape (write [(3, 5)])");
  std::vector<SampleInput> result;
  for (const nb::handle one : inputs) result.push_back(sample_input(one));
  return result;
}

template <class Value>
void take(const nb::kwargs& options, const char* name, Value& into,
          std::vector<std::string>& known) {
  known.emplace_back(name);
  if (!options.contains(name)) return;
  if (!nb::try_cast(options[name], into)) {
    throw nb::type_error(
        (std::string(name) + ": expected another type, given a " + type_of(options[name])).c_str());
  }
}

struct Options {
  GradientCheckOptions check;
  std::int64_t order = 1;

  explicit Options(const nb::kwargs& given) {
    std::vector<std::string> known;
    std::string dtype = "f64", device = "cpu";
    bool is_fast = false;
    take(given, "dtype", dtype, known);
    if (dtype_named(dtype) == DType::f32) check = check.in_f32();
    KETTE_CHECK(dtype_named(dtype) == DType::f32 || dtype_named(dtype) == DType::f64,
                "dtype: expected f64 or f32, given ", dtype);
    take(given, "fast", is_fast, known);
    if (is_fast) check.directions = 2;
    take(given, "order", order, known);
    take(given, "tolerance", check.tolerance, known);
    take(given, "absolute", check.absolute, known);
    take(given, "adjoint_tolerance", check.adjoint_tolerance, known);
    take(given, "step", check.step, known);
    take(given, "seed", check.seed, known);
    take(given, "elements", check.elements, known);
    take(given, "directions", check.directions, known);
    take(given, "together", check.together, known);
    take(given, "tries_again", check.tries_again, known);
    take(given, "device", device, known);
    check.device = parse_device(device);
    KETTE_CHECK(order == 1 || order == 2, "order: expected 1 or 2, given ", order);
    KETTE_CHECK(check.step > 0 && check.step < 1, "step: expected a number between 0 and 1, given ",
                check.step);
    KETTE_CHECK(check.elements >= 0 && check.directions >= 0 && check.together >= 1,
                "gradcheck: expected elements and directions of 0 or more and at least 1 together, "
                "given ",
                check.elements, ", ", check.directions, " and ", check.together);
    for (const auto& [name, value] : given) {
      const std::string text = nb::cast<std::string>(name);
      if (std::find(known.begin(), known.end(), text) == known.end())
        throw_unknown("gradcheck: option", text, known);
    }
  }
};

constexpr const char* kOptions =
    "\n\nOptions: order (1; 2 checks second derivatives), dtype (\"f64\" or \"f32\"), device, seed (of inputs, weights and "
    "directions), elements (checked of each input, evenly spaced; 0: all), fast (along random directions, not element by "
    "element), directions (how many; 0: not fast). Of the differences: step, tries_again (with other steps, where an element fails), "
    "tolerance (relative to each element), absolute. Of the adjoint test: adjoint_tolerance, together (elements in one test).";

GradientCheck gradcheck(nb::object function, const nb::object& inputs, const nb::kwargs& options) {
  const Options o(options);
  // A class of ops instead of an op.
  if (PyType_Check(function.ptr()) && nb::hasattr(function, "forward")) function = function();
  const std::vector<SampleInput> samples = sample_inputs_of(inputs);
  const DifferentiableFunction call = [&](const std::vector<Variable>& in) -> Outputs {
    return called(function, in);
  };
  return computed([&] {
    return o.order == 1 ? check_gradients(call, samples, o.check)
                        : check_second_order(call, samples, o.check);
  });
}

/// The leaves of parameters: in a list, or in what has values().
std::vector<std::shared_ptr<Leaf>> leaves_of(const nb::object& parameters) {
  std::vector<std::shared_ptr<Leaf>> leaves;
  const nb::object all =
      nb::hasattr(parameters, "values") ? parameters.attr("values")() : parameters;
  for (const nb::handle one : all) {
    if (!nb::isinstance<Variable>(one))
      throw nb::type_error(("parameters: expected parameters, given a " + type_of(one)).c_str());
    const Variable& parameter = nb::cast<const Variable&>(one);
    KETTE_CHECK(parameter.leaf() != nullptr,
                "parameters: expected parameters, given another tensor (kt.parameter makes one)");
    leaves.push_back(parameter.leaf());
  }
  return leaves;
}

std::function<Variable()> loss_of(const nb::object& loss) {
  return [&loss] {  // the caller keeps it
    const std::vector<Variable> outputs = called(loss, {});
    KETTE_CHECK(outputs.size() == 1 && outputs[0].value().elements() == 1,
                "loss: expected one scalar, given ",
                outputs.size() == 1 ? outputs[0].shape().str()
                                    : std::to_string(outputs.size()) + " outputs");
    return outputs[0];
  };
}

/// Checks of several parameters, as one answer.
struct CheckedParameters {
  ParameterChecks checks;

  bool ok() const {
    return !checks.empty() && std::all_of(checks.begin(), checks.end(),
                                          [](const auto& check) { return check.second.ok(); });
  }
  std::string str() const {
    std::string text =
        checks.empty() ? "?: nothing can be said: expected parameters, given none" : "";
    for (const auto& [name, check] : checks)
      text += (text.empty() ? "" : "\n") + name + ": " + check.str();
    return text_of(text);
  }
};

CheckedParameters gradcheck_parameters(const nb::object& loss, const nb::object& parameters,
                                       const nb::kwargs& options) {
  const Options o(options);
  const auto leaves = leaves_of(parameters);
  for (const auto& leaf : leaves) {
    KETTE_CHECK(leaf->value.dtype() == o.check.dtype, leaf->name, ": expected a parameter of ",
                name_of(o.check.dtype), ", given ", leaf->value.str(),
                " (kt.parameter(values, dtype=\"f64\"), or dtype=\"f32\" here)");
  }
  const std::function<Variable()> call = loss_of(loss);
  return {computed([&] {
    return o.order == 1 ? check_parameter_gradients(call, leaves, o.check)
                        : check_parameters_second_order(call, leaves, o.check);
  })};
}

nb::dict gap_dict(const GradientGap& gap) {
  nb::dict d;
  d["gap"] = gap.gap;
  d["tolerance"] = gap.tolerance;
  d["expected"] = gap.expected;
  d["got"] = gap.got;
  d["where"] = gap.where;
  d["checked"] = gap.checked;
  d["below_noise"] = gap.below_noise;
  return d;
}

nb::dict check_dict(const GradientCheck& check) {
  nb::dict d;
  d["ok"] = check.ok();
  d["fault"] = check.fault;
  d["tells"] = check.tells();
  d["differences"] = gap_dict(check.differences);
  d["adjoint"] = check.adjoint ? nb::object(gap_dict(*check.adjoint)) : nb::none();
  d["no_adjoint"] = check.no_adjoint;
  return d;
}

void bind_results(nb::module_& m) {
  nb::class_<GradientCheck>(
      m, "GradientCheck",
      "What gradcheck() found: true if every element passed and something can be said of each input. str() is a line per test.")
      .def_prop_ro("ok", &GradientCheck::ok, "Whether every element passed, and tells.")
      .def_prop_ro(
          "gap", [](const GradientCheck& check) { return check.worst().gap; },
          "The worst element's distance, relative to what its rule allows; infinite for a fault.")
      .def_prop_ro(
          "where", [](const GradientCheck& check) { return check.worst().where; },
          "The worst element: \"input 0 [2, 1]\".")
      .def_prop_ro(
          "fault", [](const GradientCheck& check) { return check.fault; },
          "An error of another kind: two calls differ, an input was changed; or \"\".")
      .def_prop_ro(
          "tells", &GradientCheck::tells,
          "False if nothing can be said: no element was compared, or noise hides all the gradient of an input.")
      .def(
          "to_dict", &check_dict,
          "ok, fault, tells, differences and adjoint (gap, tolerance, expected, got, where, checked, below_noise).")
      .def(
          "expect",
          [](const GradientCheck& check) {
            KETTE_CHECK(check.ok(), "gradcheck: ", text_of(check.str()));
            return check;
          },
          "The check itself if it is ok; else an Error with its text.")
      .def("__bool__", &GradientCheck::ok)
      .def("__str__", [](const GradientCheck& check) { return text_of(check.str()); })
      .def("__repr__", [](const GradientCheck& check) { return text_of(check.str()); });
  nb::class_<CheckedParameters>(m, "ParameterChecks",
                                "What gradcheck_parameters() found: true if every check is ok.")
      .def_prop_ro("ok", &CheckedParameters::ok, "Whether there are checks, and all are ok.")
      .def_prop_ro(
          "checks", [](const CheckedParameters& all) { return all.checks; },
          "A pair (name, GradientCheck) for each parameter.")
      .def(
          "expect",
          [](const CheckedParameters& all) {
            KETTE_CHECK(all.ok(), "gradcheck: ", all.str());
            return all;
          },
          "The checks themselves if all are ok; else an Error with their text.")
      .def(
          "to_dict",
          [](const CheckedParameters& all) {
            nb::dict d;
            for (const auto& [name, check] : all.checks) d[name.c_str()] = check_dict(check);
            return d;
          },
          "GradientCheck.to_dict() of each parameter, by name.")
      .def("__len__", [](const CheckedParameters& all) { return all.checks.size(); })
      .def("__bool__", &CheckedParameters::ok)
      .def("__str__", &CheckedParameters::str)
      .def("__repr__", &CheckedParameters::str);
}

/// The results of a function, and their tangents (zeros where none arrived), as the function returns them.
nb::object jvp(const nb::object& function, const std::vector<ArrayLike>& inputs,
               const std::vector<ArrayLike>& tangents) {
  KETTE_CHECK(inputs.size() == tangents.size(), "jvp: expected a tangent for each of the ",
              inputs.size(), " inputs, given ", tangents.size());
  std::vector<Variable> moved;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Variable input = operand(inputs[i]);
    // A leaf has one tangent for all who use it, so another value of the same tape takes its place.
    const bool is_tracked = Tape::tracking(input) != nullptr;
    const Variable value = !input.leaf() ? input
                           : is_tracked  ? reshape(input, input.shape())
                                         : Variable(input.value());
    const Variable tangent = operand(tangents[i], value);
    KETTE_CHECK(tangent.value().dtype() == value.value().dtype(), "jvp: expected a tangent of ",
                name_of(value.value().dtype()), ", given ", tangent.value().str());
    moved.push_back(value.with_tangent(tangent));
  }
  nb::list arguments;
  for (const Variable& input : moved) arguments.append(input);
  const nb::object result = function(*nb::tuple(arguments));
  nb::list outputs, changes;
  for (const Variable& output : outputs_of(result)) {
    Variable tangent = output.tangent();
    const Tensor& value = output.value();
    if (!tangent.value().defined())
      tangent = Tensor::zeros(value.shape(), value.dtype(), value.device());
    outputs.append(output.has_tangent() && !output.leaf() ? output.with_tangent({}) : output);
    changes.append(tangent);
  }
  if (nb::isinstance<nb::tuple>(result) || nb::isinstance<nb::list>(result))
    return nb::make_tuple(nb::tuple(outputs), nb::tuple(changes));
  return nb::make_tuple(outputs[0], changes[0]);
}

std::vector<Variable> hvp(const nb::object& loss, const nb::object& parameters,
                          const std::vector<ArrayLike>& directions) {
  const auto leaves = leaves_of(parameters);
  KETTE_CHECK(leaves.size() == directions.size(), "hvp: expected a direction for each of the ",
              leaves.size(), " parameters, given ", directions.size());
  std::vector<Tensor> along;
  for (std::size_t i = 0; i < leaves.size(); ++i)
    along.push_back(operand(directions[i], Variable(leaves[i]->value)).value());
  const std::function<Variable()> call = loss_of(loss);
  const std::vector<Tensor> products =
      computed([&] { return hessian_vector_product(call, leaves, along); });
  return {products.begin(), products.end()};
}

}  // namespace

void bind_checks(nb::module_& m) {
  bind_results(m);
  static const std::string of_function =
      "Checks the gradient of a function (or of an Op) of tensors by differences and, where all "
      "ops have tangents, by the adjoint test. inputs: a list of shapes (3, 5), shapes with a range "
      "((3, 5), low, high), or values (whole numbers are constants). The function is called many times and must be deterministic; its exceptions pass." +
      std::string(kOptions);
  m.def("gradcheck", &gradcheck, "function"_a, "inputs"_a, "options"_a,
        nb::sig("def gradcheck(function: collections.abc.Callable[..., typing.Any], inputs: "
                "collections.abc.Sequence[typing.Any], **options: typing.Any) -> "
                "kette._kette.GradientCheck"),
        of_function.c_str());
  static const std::string of_parameters =
      "Checks the gradient of a scalar loss with respect to parameters as gradcheck() does, one parameter after the other. loss: called without arguments. Gradients of parameters stay as they are. "
      "parameters: a list, or a mapping of names to parameters." +
      std::string(kOptions);
  m.def("gradcheck_parameters", &gradcheck_parameters, "loss"_a, "parameters"_a, "options"_a,
        nb::sig("def gradcheck_parameters(loss: collections.abc.Callable[[], typing.Any], "
                "parameters: typing.Any, **options: typing.Any) -> kette._kette.ParameterChecks"),
        of_parameters.c_str());
  m.def("jvp", &jvp, "function"_a, "inputs"_a, "tangents"_a,
        nb::sig("def jvp(function: collections.abc.Callable[..., typing.Any], inputs: "
                "collections.abc.Sequence[typing.Any], tangents: "
                "collections.abc.Sequence[typing.Any]) -> tuple[typing.Any, typing.Any]"),
        "Forward mode: (outputs, tangents), the function's results and its Jacobian times the "
        "tangents, one for each input. NoTangent names an op without one. Baydin et al. 2018, "
        "section 3.1.");
  m.def("hvp", &hvp, "loss"_a, "parameters"_a, "directions"_a,
        nb::sig("def hvp(loss: collections.abc.Callable[[], typing.Any], parameters: typing.Any, "
                "directions: collections.abc.Sequence[typing.Any]) -> list[kette._kette.Tensor]"),
        "The Hessian of a scalar loss times a direction for each parameter. loss: called without "
        "arguments. Gradients of parameters stay as they are. Pearlmutter 1994.");
}

}  // namespace kette::python
