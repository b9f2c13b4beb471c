// Compares two models: their settings, their values and their activations, and the likely causes of differences.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/model.h"

namespace kette {

/// The difference of two tensors of one shape.
struct ValueDifference {
  double largest = 0;         ///< the largest |a - b|; NaN if only one of two values is NaN
  double relative = 0;        ///< largest / the largest absolute value of the first tensor
  std::uint64_t ulps = 0;     ///< the largest difference in f32 ulps
  std::int64_t elements = 0;  ///< the number of elements with different bits
};
ValueDifference difference_of(const Tensor& a, const Tensor& b);

/// A parameter, or a point of a forward pass.
struct ComparedValues {
  std::string name, shape;
  std::optional<ValueDifference> difference;
  std::string why_not{};  ///< why there is no difference: "only in the first", "[2, 3] and [3, 2]"

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
  std::vector<ComparedSetting> settings;   ///< settings of config.json that differ
  std::vector<ComparedValues> parameters;  ///< all of them
  std::vector<ComparedValues> points;      ///< in the order of a pass
  std::vector<std::string> causes;         ///< likely causes of the differences

  /// The index of the first point that differs; points.size(): none.
  std::size_t first_parting() const;
  std::int64_t different_parameters() const;
  /// Whether parameters and activations are equal to the tolerance.
  bool is_equal() const { return different_parameters() == 0 && first_parting() == points.size(); }
};

/// text: a batch for the first model; both read it. The models must be of one kind and in f32.
ModelComparison compare_models(const Model& a, const Model& b, const Batch& text, double tolerance);

/// Random tokens of both vocabularies.
Batch random_text(const Model& a, const Model& b);

struct Report;
/// a, b: the models' names. rows: the most of a table in the text.
Report to_report(const ModelComparison& comparison, const std::string& a, const std::string& b,
                 std::int64_t rows);

}  // namespace kette
