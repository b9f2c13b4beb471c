#include "data/metrics/score_format.h"

#include <cstdio>

namespace kette {

std::string fixed_decimals(double number, int decimals) {
  const int length = std::snprintf(nullptr, 0, "%.*f", decimals, number);
  std::string text(static_cast<std::size_t>(length) + 1, '\0');
  std::snprintf(text.data(), text.size(), "%.*f", decimals, number);
  text.pop_back();
  return text;
}

std::string score_with_interval(double score, const std::optional<ScoreInterval>& interval,
                                int decimals) {
  const std::string text = fixed_decimals(score, decimals);
  if (!interval) return text;
  return text + " (μ = " + fixed_decimals(interval->mean, decimals) + " ± " +
         fixed_decimals(interval->half_width, decimals) + ")";
}

std::string score_signature(std::size_t references, const BootstrapOptions& bootstrap,
                            const std::string& metric_fields) {
  std::string signature = "nrefs:" + std::to_string(references);
  if (bootstrap.samples > 1) {
    signature += "|bs:" + std::to_string(bootstrap.samples);
    signature += "|seed:" + std::to_string(bootstrap.seed);
  }
  return signature + "|" + metric_fields + "|version:kette-" KETTE_VERSION;
}

}  // namespace kette
