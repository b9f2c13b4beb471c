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

std::string CorpusScore::format(int decimals, bool with_signature) const {
  std::string text = with_signature ? name + "|" + signature : name;
  text += " = " + fixed_decimals(score, decimals);
  if (interval) {
    text += " (μ = " + fixed_decimals(interval->mean, decimals) + " ± " +
            fixed_decimals(interval->half_width, decimals) + ")";
  }
  return details.empty() ? text : text + " " + details;
}

CorpusScore corpus_score(const ScoreStatistics& statistics, const BootstrapOptions& bootstrap) {
  const Metric& metric = statistics.metric();
  const ScoreCounts sum = statistics.sum();
  CorpusScore result{metric.name, metric.score(sum), {}, "", ""};
  if (metric.details) result.details = metric.details(sum);
  const bool resample = bootstrap.samples > 1;
  if (resample) result.interval = interval_of(statistics.resampled(bootstrap));
  result.signature =
      score_signature(statistics, "bs", resample ? bootstrap.samples : 0, bootstrap.seed);
  return result;
}

std::string score_signature(const ScoreStatistics& statistics, const std::string& test, int draws,
                            std::uint64_t seed) {
  const std::optional<std::size_t> references = statistics.references();
  std::string signature = "nrefs:" + (references ? std::to_string(*references) : "var");
  if (draws > 0) {
    signature += "|" + test + ":" + std::to_string(draws) + "|seed:" + std::to_string(seed);
  }
  return signature + "|" + statistics.metric().fields + "|version:kette-" KETTE_VERSION;
}

}  // namespace kette
