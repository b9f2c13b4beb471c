#include "python/src/arguments.h"

#include <array>

#include "nn/positions.h"
#include "tensor/suggestion.h"

namespace kette::python {
namespace {

constexpr std::array<std::pair<const char*, Activation>, 5> kActivations = {
    {{"none", Activation::none},
     {"relu", Activation::relu},
     {"gelu", Activation::gelu},
     {"gelu_erf", Activation::gelu_erf},
     {"silu", Activation::silu}}};

/// Whether the value has no dtype of its own.
bool is_plain(const nb::object& value) {
  return is_number(value) || PyList_Check(value.ptr()) || PyTuple_Check(value.ptr());
}

}  // namespace

Variable operand(const ArrayLike& value) {
  Variable x = as_tensor(value.given);
  if (is_plain(value.given) && x.value().dtype() == DType::i32) x = x.value().to(DType::f32);
  return x;
}

Variable operand(const ArrayLike& value, const Variable& other) {
  const Tensor& like = other.value();
  if (!is_plain(value.given) || is_number(value.given)) return as_operand(value.given, other);
  return as_tensor(value.given).value().to(like.dtype()).to(like.device());
}

Variable operand(const std::optional<ArrayLike>& value, const Variable& other) {
  return value ? operand(*value, other) : Variable();
}

std::pair<Variable, Variable> operands(const ArrayLike& a, const ArrayLike& b) {
  if (is_plain(a.given) && !is_plain(b.given)) {
    const Variable y = operand(b);
    return {operand(a, y), y};
  }
  const Variable x = operand(a);
  return {x, operand(b, x)};
}

Segments segments_of(const Lengths& lengths, const Variable& rows) {
  const std::int64_t count = rows.shape().rank() > 0 ? rows.value().rows() : 1;
  if (!lengths) return Segments::from_lengths({count});
  for (const std::int64_t length : *lengths) {
    KETTE_CHECK(length >= 0 && length <= count, "lengths: expected lengths from 0 to ", count,
                ", the number of rows, given ", length);
  }
  return Segments::from_lengths(*lengths);
}

Tensor ids_of(const char* op, const ArrayLike& ids) {
  Tensor values = as_tensor(ids.given).value();
  if (values.elements() == 0) values = values.to(DType::i32);  // [] says nothing of its type
  KETTE_CHECK(values.dtype() == DType::i32, op, ": expected whole numbers (ids, positions), given ",
              values.str());
  KETTE_CHECK(values.shape().rank() <= 1, op, ": expected one id or position per row, given ",
              values.str());
  // backward() reads memory by them, which Python may have written to since.
  return nb::isinstance<Variable>(ids.given) ? values.clone() : values;
}

Tensor positions_of(const char* op, const std::optional<ArrayLike>& positions,
                    const Lengths& lengths, const Variable& rows) {
  KETTE_CHECK(!positions || !lengths, op, ": expected positions or lengths, given both");
  if (positions) return ids_of(op, *positions);
  return row_positions(segments_of(lengths, rows)).to(rows.value().device());
}

Activation activation_named(const std::string& name) {
  std::vector<std::string> known;
  for (const auto& [text, activation] : kActivations) {
    if (name == text) return activation;
    known.emplace_back(text);
  }
  fail("activation: expected one of ", joined(known), ", given ", name, did_you_mean(name, known));
}

DropoutMask mask_of(double rate, std::uint64_t seed) {
  return rate == 0 ? DropoutMask() : DropoutMask(rate, {seed, 0});
}

}  // namespace kette::python
