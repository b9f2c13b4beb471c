// kette.ops: every op of the table (autograd/all_ops.h) as a function. Its docstring is the table's line.
#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <map>

#include "autograd/all_ops.h"
#include "python/src/arguments.h"

namespace kette::python {
namespace {

/// What arguments mean that the table only names.
constexpr std::pair<const char*, const char*> kArguments[] = {
    {"lengths=", "\n\nlengths: the rows of each sequence; without them all rows are one."},
    {"positions=", " positions: instead of those within the sequences, which begin at 0."},
    {"causal=", " causal: a query sees the keys up to its own alone."},
    {"group=",
     " group: heads of queries that share one head of keys and values (Ainslie et al. 2023)."},
    {"window=", " window: keys that a query sees, its own the last; 0: all. It needs causal."},
    {"alibi=", " alibi: scores fall with the distance (Press et al. 2022). It needs causal."},
    {"dropout=", " dropout: the rate; the same seed drops the same elements."},
    {"views=",
     "\n\nviews: (forward, reverse, second) of consistency training, where rows i and i + rows / 2 are two views of one token."},
};

template <class Function>
void def_unary(nb::module_& m, Variable (*apply)(const Variable&)) {
  def_op(
      m, Function::name,
      [apply](const ArrayLike& given) {
        const Variable x = operand(given);
        return computed([&] { return apply(x); });
      },
      "x"_a);
}

template <class Function>
void def_binary(nb::module_& m, Variable (*apply)(const Variable&, const Variable&)) {
  def_op(
      m, Function::name,
      [apply](const ArrayLike& given_a, const ArrayLike& given_b) {
        const auto both = operands(given_a, given_b);
        return computed([&] { return apply(both.first, both.second); });
      },
      "a"_a, "b"_a);
}

void bind_elementwise(nb::module_& m) {
  def_op(
      m, "affine",
      [](const ArrayLike& given, double factor, double offset) {
        const Variable x = operand(given);
        return computed([&] { return affine(x, factor, offset); });
      },
      "x"_a, "factor"_a, "offset"_a = 0.0);
  def_unary<Exp>(m, &exp);
  def_unary<Log>(m, &log);
  def_unary<Sqrt>(m, &sqrt);
  def_unary<Square>(m, &square);
  def_unary<Tanh>(m, &tanh);
  def_unary<Sigmoid>(m, &sigmoid);
  def_unary<Relu>(m, &relu);
  def_unary<Gelu>(m, &gelu);
  def_unary<NormalCdf>(m, &normal_cdf);
  def_unary<GeluErf>(m, &gelu_erf);
  def_unary<Silu>(m, &silu);
  def_binary<Add>(m, [](const Variable& a, const Variable& b) { return a + b; });
  def_binary<Subtract>(m, [](const Variable& a, const Variable& b) { return a - b; });
  def_binary<Multiply>(m, [](const Variable& a, const Variable& b) { return a * b; });
  def_binary<Divide>(m, [](const Variable& a, const Variable& b) { return a / b; });
  def_binary<Maximum>(m, &maximum);
  def_op(
      m, "lerp",
      [](const ArrayLike& given_a, const ArrayLike& given_b, double weight) {
        const auto both = operands(given_a, given_b);
        return computed([&] { return lerp(both.first, both.second, weight); });
      },
      "a"_a, "b"_a, "weight"_a);
}

/// One tensor, or a list of them, or several.
Variable joined_rows(const nb::args& given) {
  std::vector<Variable> all;
  const bool is_list = given.size() == 1 &&
                       (nb::isinstance<nb::list>(given[0]) || nb::isinstance<nb::tuple>(given[0]));
  for (const nb::handle one : is_list ? nb::iter(given[0]) : nb::iter(given)) {
    const ArrayLike value{nb::borrow(one)};
    all.push_back(all.empty() ? operand(value) : operand(value, all.front()));
  }
  KETTE_CHECK(!all.empty(), "concatenate: expected at least one tensor, given none");
  return computed([&] {
    // In halves, so that each element moves a few times only.
    while (all.size() > 1) {
      std::vector<Variable> half;
      for (std::size_t i = 0; i + 1 < all.size(); i += 2)
        half.push_back(concatenate(all[i], all[i + 1]));
      if (all.size() % 2 == 1) half.push_back(all.back());
      all = std::move(half);
    }
    return all.front();
  });
}

void bind_shaping(nb::module_& m) {
  def_op(
      m, "reshape",
      [](const ArrayLike& given, const Shape& shape) {
        const Variable x = as_tensor(given.given);
        return computed([&] { return reshape(x, shape); });
      },
      "x"_a, "shape"_a);
  def_op(
      m, "slice",
      [](const ArrayLike& given, std::int64_t begin, std::int64_t end) {
        const Variable x = as_tensor(given.given);
        return computed([&] { return slice(x, begin, end); });
      },
      "x"_a, "begin"_a, "end"_a);
  def_op(m, "concatenate", &joined_rows, "tensors"_a,
         nb::sig("def concatenate(*tensors: kette._kette.Tensor | numpy.typing.ArrayLike) -> "
                 "kette._kette.Tensor"));
  def_op(
      m, "transpose",
      [](const ArrayLike& given) {
        const Variable x = operand(given);
        return computed([&] { return transpose(x); });
      },
      "x"_a);
  m.def(
      "columns",
      [](const ArrayLike& given, std::int64_t begin, std::int64_t end) {
        const Variable x = operand(given);
        return computed([&] { return columns(x, begin, end); });
      },
      "x"_a, "begin"_a, "end"_a,
      "Columns begin to end - 1 of each row: [rows, width] -> [rows, end - begin].");
}

Variable reduced(const Variable& x, const std::optional<int>& axis, bool keepdims, bool is_mean) {
  return nb::cast<Variable>(nb::cast(x).attr(is_mean ? "mean" : "sum")(axis, keepdims));
}

void bind_reductions(nb::module_& m) {
  def_op(
      m, "sum",
      [](const ArrayLike& x, std::optional<int> axis, bool keepdims) {
        return reduced(operand(x), axis, keepdims, false);
      },
      "x"_a, "axis"_a = nb::none(), "keepdims"_a = false);
  m.def(
      "mean",
      [](const ArrayLike& x, std::optional<int> axis, bool keepdims) {
        return reduced(operand(x), axis, keepdims, true);
      },
      "x"_a, "axis"_a = nb::none(), "keepdims"_a = false,
      "The mean over an axis; without one, over all elements, a scalar.");
  m.def(
      "sum_to",
      [](const ArrayLike& given, const Shape& shape) {
        const Variable x = operand(given);
        return computed([&] { return sum_to(x, shape); });
      },
      "x"_a, "shape"_a,
      "The sum over the axes that the shape lacks, or in which it has extent 1: [4, 5] to (5,) or (4, 1).");
  def_op(
      m, "max",
      [](const ArrayLike& given) {
        const Variable x = operand(given);
        return computed([&] { return max_last(x); });
      },
      "x"_a);
}

void bind_table(nb::module_& m) {
  m.def(
      "op_table",
      [] {
        nb::list table;
        for (const OpInfo& op : all_ops()) {
          nb::dict line;
          line["name"] = op.name;
          line["signature"] = op.signature;
          line["formula"] = op.formula;
          line["about"] = op.about;
          line["source"] = op.source;
          table.append(line);
        }
        return table;
      },
      nb::sig("def op_table() -> list[dict[str, str]]"),
      "Every differentiable op: name, signature, formula, what it does, and the source line of its definition.");
}

}  // namespace

std::string docstring_of_op(const std::string& name) {
  static const auto* ops = [] {
    auto* all = new std::map<std::string, OpInfo>;
    for (OpInfo& op : all_ops()) all->emplace(op.name, std::move(op));
    return all;
  }();
  const OpInfo& op = ops->at(name);
  std::string arguments;
  for (const auto& [argument, meaning] : kArguments) {
    if (op.signature.find(argument) != std::string::npos) arguments += meaning;
  }
  return op.about + arguments + "\n\n    " + op.formula + "\n\nSource: " + op.source;
}

void bind_ops(nb::module_& m) {
  bind_elementwise(m);
  bind_shaping(m);
  bind_reductions(m);
  bind_row_ops(m);
  bind_attention_ops(m);
  bind_table(m);
}

}  // namespace kette::python
