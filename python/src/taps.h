// Values of a pass, seen and replaced from Python (nn/tap.h).
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "nn/tap.h"
#include "python/src/bindings.h"

namespace kette::python {

/// Keeps the values at the points that were named, and puts others in the place of some. Names are patterns as of fnmatch;
/// * also matches /. Without a callable among the replacements a pass touches no Python.
class PythonTap final : public Tap {
 public:
  /// points: of the model; a KeyError for a pattern that matches none of them. capture: None, a str or several.
  /// replace: None, or a dict of patterns with a callable (name, value) -> value, a Tensor, an array, or a number.
  PythonTap(const nb::object& capture, const nb::object& replace,
            const std::vector<std::string>& points);

  bool is_empty() const { return patterns_.empty() && replacements_.empty(); }
  bool captures() const { return !patterns_.empty(); }
  bool wants(const std::string& point) const override;
  Variable at(const std::string& point, const Variable& value) override;

  /// In the order in which they were first seen; of a point that several passes have, one value each.
  using Captured = std::vector<std::pair<std::string, std::vector<Variable>>>;
  Captured take() { return std::exchange(captured_, {}); }

  /// For the garbage collector: the functions that replace values.
  int traverse(visitproc visit, void* arg) const;
  /// From now on it replaces and captures nothing.
  void clear();

 private:
  struct Replacement {
    std::string pattern;
    std::shared_ptr<void> callable;  ///< null: `value`
    Variable value;                  ///< of the shape of the point's, or a scalar
  };
  Variable replaced(const Replacement& replacement, const std::string& point,
                    const Variable& value) const;

  std::vector<std::string> patterns_;
  std::vector<Replacement> replacements_;
  std::mutex mutex_;
  Captured captured_;
};

}  // namespace kette::python
