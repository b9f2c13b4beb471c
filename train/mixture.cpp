#include "train/mixture.h"

#include "tensor/error.h"

namespace kette {

void check_mixture(const std::vector<double>& weights, double temperature, std::size_t texts) {
  KETTE_CHECK(weights.empty() || weights.size() == texts, "weights: expected one for each of the ",
              texts, " texts, given ", weights.size());
  KETTE_CHECK(weights.empty() || temperature == 1,
              "weights: expected weights or a temperature, given both");
  KETTE_CHECK(temperature > 0, "temperature: expected more than 0, given ", temperature);
}

void add_mixture(const std::vector<double>& weights, double temperature,
                 RunFingerprint& fingerprint) {
  for (std::size_t i = 0; i < weights.size(); ++i) {
    fingerprint.add("weight " + std::to_string(i + 1), weights[i]);
  }
  if (temperature != 1) fingerprint.add("temperature", temperature);
}

}  // namespace kette
