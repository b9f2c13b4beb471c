// How good a validation finds a model, and what the files of parameters that training writes say of it.
#pragma once

#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "models/metadata.h"
#include "tensor/enum_names.h"

namespace kette {

/// A number besides the loss by which a validation judges the model.
struct Score {
  std::string name;   ///< in the log: "valid_bleu"
  std::string label;  ///< for people: "greedy BLEU"
  double value = 0;
};

/// What the best of several models is best in: the loss, the score that the task has by itself, or a metric of translations,
/// which then is their score (data/metrics/metrics.h).
inline constexpr const char *kByLoss = "loss", *kByScore = "score";
inline bool is_by_metric(const std::string& best_by) {
  return best_by != kByLoss && best_by != kByScore;
}
/// All names of them, in the order that help lists them.
std::vector<std::string> names_of_best_by();

struct ValidationResult {
  double loss = std::numeric_limits<double>::quiet_NaN();  ///< NaN without a validation
  std::optional<Score> score;

  /// Of which the best model has least. By a score that there is not, an Error.
  double cost(const std::string& best_by) const;
  std::string str() const;  ///< for people
  /// For a file of the parameters that were validated.
  void add_to(Metadata& metadata) const;
};

/// What a file says of the validation of its parameters, if it does.
std::optional<ValidationResult> validation_result_in(const std::filesystem::path& file);

/// The cost of the parameters in a file. Infinite without a file or a verdict, and for an average, which is worth
/// something else.
double cost_in(const std::filesystem::path& file, const std::string& best_by);
/// Makes a file of the one of these that costs least.
void copy_best(const std::vector<std::filesystem::path>& files, const std::string& best_by,
               const std::filesystem::path& to);

}  // namespace kette
