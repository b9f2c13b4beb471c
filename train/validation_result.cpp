#include "train/validation_result.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "data/files/json_text.h"
#include "data/files/safetensors.h"
#include "data/metrics/metrics.h"
#include "models/average.h"

namespace kette {
namespace fs = std::filesystem;

std::vector<std::string> names_of_best_by() {
  std::vector<std::string> names = metric_names();
  names.insert(names.begin(), {kByLoss, kByScore});
  return names;
}

double ValidationResult::cost(const std::string& best_by) const {
  if (best_by == kByLoss) return loss;
  KETTE_CHECK(score, "best_by: expected a validation with a score, given one of the loss alone");
  KETTE_CHECK(!is_by_metric(best_by) || score->name == "valid_" + best_by,
              "best_by: expected a validation that is scored by ", best_by, ", given ",
              score->name);
  return lower_is_better(best_by) ? score->value : -score->value;
}

std::string ValidationResult::str() const {
  char part[80];
  std::snprintf(part, sizeof part, "loss %.4f, perplexity %.2f", loss, std::exp(loss));
  std::string line = part;
  if (score) {
    std::snprintf(part, sizeof part, ", %s %.2f", score->label.c_str(), score->value);
    line += part;
  }
  return line;
}

void ValidationResult::add_to(Metadata& metadata) const {
  metadata["valid_loss"] = Json(loss).dump();  // all of its digits
  if (score) metadata["valid_score"] = Json{score->name, score->label, score->value}.dump();
}

std::optional<ValidationResult> validation_result_in(const fs::path& file) {
  const Metadata metadata = SafetensorsFile::open(file).metadata();
  const auto loss = metadata.find("valid_loss"), score = metadata.find("valid_score");
  if (loss == metadata.end()) return std::nullopt;
  ValidationResult result{parse_json(loss->second, file.string()).get<double>(), {}};
  if (score != metadata.end()) {
    const Json parts = parse_json(score->second, file.string());
    result.score = {parts.at(0), parts.at(1), parts.at(2)};
  }
  return result;
}

double cost_in(const fs::path& file, const std::string& best_by) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  if (!fs::exists(file) || is_average(file)) return kNone;
  const std::optional<ValidationResult> result = validation_result_in(file);
  return result ? result->cost(best_by) : kNone;
}

void copy_best(const std::vector<fs::path>& files, const std::string& best_by, const fs::path& to) {
  const auto best =
      std::min_element(files.begin(), files.end(), [&](const fs::path& a, const fs::path& b) {
        return cost_in(a, best_by) < cost_in(b, best_by);
      });
  const SafetensorsFile stored = SafetensorsFile::open(*best, Checksum::crc32);
  std::vector<std::pair<std::string, Tensor>> tensors;
  for (const std::string& name : stored.names()) tensors.emplace_back(name, stored.tensor(name));
  write_safetensors(to, tensors, stored.metadata(), Checksum::crc32);
}

}  // namespace kette
