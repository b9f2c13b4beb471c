// Two models side by side: where their settings, their values and what they compute part, and what that
// points to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/model.h"

namespace kette {

/// Of two tensors of one shape, element by element.
struct ValueDifference {
  double largest = 0;         ///< absolute; NaN where one of two is and the other is not
  double relative = 0;        ///< the largest, over the largest absolute value of the first
  std::uint64_t ulps = 0;     ///< the most f32 numbers from one value to the other
  std::int64_t elements = 0;  ///< that are not the same to the bit
};
ValueDifference difference_of(const Tensor& a, const Tensor& b);

/// A parameter, or a point of a pass.
struct ComparedValues {
  std::string name, shape;
  std::optional<ValueDifference> difference;
  std::string why_not{};  ///< there is none: "only in the first", "[2, 3] and [3, 2]"

  bool is_equal(double tolerance) const {
    return difference && difference->largest <= tolerance &&
           (tolerance > 0 || difference->elements == 0);
  }
};

struct ComparedSetting {
  std::string name, a, b;
};

struct ModelComparison {
  double tolerance = 0;
  std::vector<ComparedSetting> settings;   ///< of config.json, those that differ
  std::vector<ComparedValues> parameters;  ///< all of them
  std::vector<ComparedValues> points;      ///< in the order of a pass
  std::vector<std::string> causes;         ///< what the pattern points to

  /// Where they part for the first time; past the end: nowhere.
  std::size_t first_parting() const;
  std::int64_t different_parameters() const;
  /// What they hold and what they compute, to the tolerance.
  bool is_equal() const { return different_parameters() == 0 && first_parting() == points.size(); }
};

/// text: read by both, as a batch of the first. Both are of one kind, in f32.
ModelComparison compare_models(const Model& a, const Model& b, const Batch& text, double tolerance);

/// Some random tokens that both know.
Batch random_text(const Model& a, const Model& b);

struct Report;
/// a, b: what the two are called.
Report to_report(const ModelComparison& comparison, const std::string& a, const std::string& b);

}  // namespace kette
