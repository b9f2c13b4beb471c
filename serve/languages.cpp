// Chooses the model for a request: by the languages that a client names, or guessed from the text.
#include <algorithm>
#include <cmath>

#include "data/files/utf8.h"
#include "data/sentences/likely_language.h"
#include "serve/api.h"

namespace kette {
namespace {

/// The log-probability of a text under a uniform distribution over the pieces of this vocabulary. A
/// text in a foreign language has more pieces. A character outside the vocabulary counts as several.
double log_likelihood(const Tokenizer& tokenizer, const std::string& text) {
  constexpr double kUnknown = 4;
  const std::int32_t unknown = tokenizer.special().unknown;
  double pieces = 0;
  try {
    for (const std::int32_t id : tokenizer.encode(text)) pieces += id == unknown ? kUnknown : 1;
  } catch (const Error&) {  // it cannot encode the text
    pieces = kUnknown * static_cast<double>(text.size());
  }
  return -pieces * std::log(static_cast<double>(tokenizer.vocabulary()));
}

/// The beginning of a text, which is enough to identify its language.
std::string beginning(const std::string& text) {
  constexpr std::size_t kEnough = 1000;
  std::size_t end = std::min(text.size(), kEnough);
  while (end < text.size() && end > 0 && continues_utf8(text[end])) --end;
  return text.substr(0, end);
}

}  // namespace

std::vector<DetectedLanguage> detect(const ServedModels& models, const std::string& text) {
  // Function words decide first, for languages whose words are known. Vocabularies decide the rest.
  constexpr double kFunctionWords = 10;
  const std::string start = beginning(text);
  const std::string likely = likely_language({start});
  std::vector<DetectedLanguage> all;
  for (const auto& one : models.translators) {
    const double value =
        log_likelihood(one->tokenizer(), start) + (one->source() == likely ? kFunctionWords : 0);
    const auto known = std::find_if(all.begin(), all.end(), [&](const DetectedLanguage& other) {
      return other.language == one->source();
    });
    if (known == all.end()) {
      all.push_back({one->source(), value});
    } else {
      known->confidence = std::max(known->confidence, value);
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.confidence > b.confidence; });
  double sum = 0;
  for (const DetectedLanguage& one : all) sum += std::exp(one.confidence - all.front().confidence);
  const double best = all.empty() ? 0 : all.front().confidence;
  for (DetectedLanguage& one : all) one.confidence = std::exp(one.confidence - best) / sum;
  return all;
}

const ServedTranslator& translator_for(const ServedModels& models, const std::string& source,
                                       const std::string& target,
                                       const std::vector<std::string>& texts) {
  std::string from = source;
  if (source == "auto") {
    std::string all;
    for (const std::string& text : texts) all += text + "\n";
    for (const DetectedLanguage& one : detect(models, all)) {
      const std::string& language = one.language;
      const bool translates = std::any_of(
          models.translators.begin(), models.translators.end(),
          [&](const auto& each) { return each->source() == language && each->target() == target; });
      if (!translates) continue;
      from = language;
      break;
    }
  }
  std::string pairs;
  for (const auto& one : models.translators) {
    if (one->source() == from && one->target() == target) return *one;
    pairs += (pairs.empty() ? "" : ", ") + one->source() + "-" + one->target();
  }
  throw ApiError(400,
                 "target: expected languages of a model, " + (pairs.empty() ? "none" : pairs) +
                     ", given " + as_line(source) + " and " + as_line(target),
                 "target");
}

}  // namespace kette
