// The result of a validation, which training also stores in the metadata of parameter files.
#pragma once

#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "models/metadata.h"
#include "tensor/enum_names.h"

namespace kette {

/// A quality measure of a validation besides the loss.
struct Score {
  std::string name;   ///< in the log: "valid_bleu"
  std::string label;  ///< for people: "greedy BLEU"
  double value = 0;
};

/// Criteria for the best model: the loss, the task's own score, or a translation metric by name, which then is the
/// score (data/metrics/metrics.h).
inline constexpr const char *kByLoss = "loss", *kByScore = "score";
inline bool is_by_metric(const std::string& best_by) {
  return best_by != kByLoss && best_by != kByScore;
}
/// The names of all criteria, in the order of the help text.
std::vector<std::string> names_of_best_by();

struct ValidationResult {
  double loss = std::numeric_limits<double>::quiet_NaN();  ///< NaN without a validation
  std::optional<Score> score;

  /// The value by criterion best_by; the best model has the lowest. Throws an Error without the score that it needs.
  double cost(const std::string& best_by) const;
  std::string str() const;  ///< for people
  /// Adds the result to the metadata of the validated parameters.
  void add_to(Metadata& metadata) const;
};

/// The result in the metadata of a parameter file, if there is one.
std::optional<ValidationResult> validation_result_in(const std::filesystem::path& file);

/// The cost of the parameters in a file. Infinite without a file or a result, and for an average of models.
double cost_in(const std::filesystem::path& file, const std::string& best_by);
/// Copies the file with the lowest cost.
void copy_best(const std::vector<std::filesystem::path>& files, const std::string& best_by,
               const std::filesystem::path& to);

}  // namespace kette
