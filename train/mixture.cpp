#include "train/mixture.h"

#include "data/corpora/draws.h"
#include "tensor/error.h"

namespace kette {

void check_mixture(const std::vector<double>& weights, double temperature, const Stages& stages,
                   std::size_t texts) {
  KETTE_CHECK(weights.empty() || weights.size() == texts, "weights: expected one for each of the ",
              texts, " texts, given ", weights.size());
  KETTE_CHECK(weights.empty() || temperature == 1,
              "weights: expected weights or a temperature, given both");
  KETTE_CHECK(stages.empty() || (weights.empty() && temperature == 1),
              "stages: expected stages, weights or a temperature, given several of them");
  stages.check_texts(texts);
  KETTE_CHECK(temperature > 0, "temperature: expected more than 0, given ", temperature);
}

std::vector<std::vector<double>> shares_of_stages(const std::vector<double>& weights,
                                                  double temperature, const Stages& stages,
                                                  const std::vector<std::int64_t>& ends) {
  if (temperature != 1) return {tempered_shares(ends, temperature)};
  std::vector<std::vector<double>> shares;
  const auto add = [&](const std::vector<double>& of_texts) {
    shares.emplace_back();
    while (shares.back().size() < ends.size()) {
      shares.back().insert(shares.back().end(), of_texts.begin(), of_texts.end());
    }
  };
  if (!weights.empty()) add(weights);
  for (std::int64_t i = 0; i < stages.size(); ++i) add(stages[i].weights);
  return shares;
}

void add_mixture(const std::vector<double>& weights, double temperature,
                 RunFingerprint& fingerprint) {
  for (std::size_t i = 0; i < weights.size(); ++i) {
    fingerprint.add("weight " + std::to_string(i + 1), weights[i]);
  }
  if (temperature != 1) fingerprint.add("temperature", temperature);
}

}  // namespace kette
