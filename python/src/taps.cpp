#include "python/src/taps.h"

#include <algorithm>
#include <cstring>

#include "autograd/tape.h"

namespace kette::python {
namespace {

void expect_known(const std::string& pattern, const std::vector<std::string>& points) {
  const auto fits = [&](const std::string& point) { return matches(pattern, point); };
  if (std::none_of(points.begin(), points.end(), fits)) throw_unknown("point", pattern, points);
}

/// The value in the dtype, and on the device, of the one that it replaces; a number in its shape.
Variable like(const Variable& value, const Variable& replaced) {
  // A conversion would take it off the tape: what does not fit is an Error.
  if (Tape::tracking(value) != nullptr) return value;
  const Tensor &model = replaced.value(), &given = value.value();
  if (value.shape() == Shape{} && model.shape() != Shape{}) {
    return Tensor::full(model.shape(), given.item(), model.dtype(), model.device());
  }
  return given.to(model.dtype()).to(model.device());
}

}  // namespace

PythonTap::PythonTap(const nb::object& capture, const nb::object& replace,
                     const std::vector<std::string>& points) {
  if (nb::isinstance<nb::str>(capture)) {
    patterns_.push_back(nb::cast<std::string>(capture));
  } else if (!capture.is_none()) {
    if (!nb::try_cast(capture, patterns_)) {
      throw nb::type_error("capture: expected names of points, given another type");
    }
  }
  for (const std::string& pattern : patterns_) expect_known(pattern, points);
  if (replace.is_none()) return;
  if (!nb::isinstance<nb::dict>(replace)) {
    throw nb::type_error("replace: expected a dict of names of points, given another type");
  }
  for (const auto& [name, value] : nb::cast<nb::dict>(replace)) {
    if (!nb::isinstance<nb::str>(name)) {
      throw nb::type_error("replace: expected names of points as keys, given another type");
    }
    Replacement& one = replacements_.emplace_back();
    one.pattern = nb::cast<std::string>(name);
    expect_known(one.pattern, points);
    if (PyCallable_Check(value.ptr()) != 0 && !nb::isinstance<Variable>(value)) {
      one.callable = kept(nb::borrow(value));
    } else {
      one.value = as_tensor(nb::borrow(value));
    }
  }
}

bool PythonTap::wants(const std::string& point) const {
  const auto is_it = [&](const std::string& pattern) { return matches(pattern, point); };
  return std::any_of(patterns_.begin(), patterns_.end(), is_it) ||
         std::any_of(replacements_.begin(), replacements_.end(),
                     [&](const Replacement& one) { return is_it(one.pattern); });
}

/// Values that a function wrote to are put back, since a pass may have used them already. The written ones come as the
/// result if the function returned them.
Variable without_writes(const Variable& result, const Variable& value, const Tensor& before,
                        const std::string& point) {
  const Tensor& now = value.value();
  const Tensor host = now.to(Device{}), host_before = before.to(Device{});
  if (std::memcmp(host.raw(), host_before.raw(), host.bytes()) == 0) return result;
  const bool is_returned = result.value().raw() == now.raw();
  const Tensor written = is_returned ? now.clone() : Tensor();
  now.copy_from(before);
  if (!is_returned) return result;
  KETTE_CHECK(
      Tape::tracking(value) == nullptr, point,
      ": expected a new tensor in the place of a value on a Tape, given the value itself, written to "
      "(gradients would not know)");
  return written;
}

Variable PythonTap::replaced(const Replacement& replacement, const std::string& point,
                             const Variable& value) const {
  if (!replacement.callable) return like(replacement.value, value);
  const Tensor before = value.value().clone();
  const GilAcquire acquire;
  const nb::handle function(static_cast<PyObject*>(replacement.callable.get()));
  const nb::object result = function(point, value);
  if (result.is_none()) {
    throw nb::type_error(
        (point + ": expected a value of the function that replaces it, given None").c_str());
  }
  return without_writes(like(as_operand(result, value), value), value, before, point);
}

int PythonTap::traverse(visitproc visit, void* arg) const {
  for (const Replacement& one : replacements_) Py_VISIT(static_cast<PyObject*>(one.callable.get()));
  return 0;
}

void PythonTap::clear() {
  patterns_.clear();
  replacements_.clear();
}

Variable PythonTap::at(const std::string& point, const Variable& value) {
  Variable result = value;
  for (const Replacement& one : replacements_) {
    if (matches(one.pattern, point)) result = replaced(one, point, result);
  }
  const auto is_it = [&](const std::string& pattern) { return matches(pattern, point); };
  if (std::none_of(patterns_.begin(), patterns_.end(), is_it)) return result;
  const std::lock_guard lock(mutex_);
  const auto known = std::find_if(captured_.begin(), captured_.end(),
                                  [&](const auto& one) { return one.first == point; });
  if (known != captured_.end()) {
    known->second.push_back(result);
  } else {
    captured_.push_back({point, {result}});
  }
  return result;
}

}  // namespace kette::python
