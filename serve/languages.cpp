// Chooses the model for each text: by the languages that a client names, or guessed from the text.
#include <algorithm>
#include <cmath>

#include "data/files/unicode.h"
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

namespace {

const ServedTranslator* find(const ServedModels& models, const std::vector<std::string>& sources,
                             const std::vector<std::string>& targets) {
  for (const std::string& target : targets) {
    for (const std::string& source : sources) {
      for (const auto& one : models.translators) {
        if (one->source() == source && one->target() == target) return one.get();
      }
    }
  }
  return nullptr;
}

[[noreturn]] void throw_no_pair(const ServedModels& models, const std::string& source,
                                const std::string& target) {
  std::string pairs;
  for (const auto& one : models.translators) {
    pairs += (pairs.empty() ? "" : ", ") + one->source() + "-" + one->target();
  }
  throw ApiError(400,
                 "target: expected languages of a model, " + (pairs.empty() ? "none" : pairs) +
                     ", given " + as_line(source) + " and " + as_line(target),
                 "target");
}

bool has_letters(const std::string& text) {
  const std::u32string characters = decode_utf8(text);
  return std::any_of(characters.begin(), characters.end(), is_letter);
}

/// The likeliest language of a text. Without letters, or with several languages as likely, it may be in any of them: then
/// one that translates into a target. Empty without models.
DetectedLanguage guessed(const ServedModels& models, const std::string& text,
                         const std::vector<std::string>& targets) {
  const std::vector<DetectedLanguage> detected = detect(models, text);
  if (detected.empty()) return {};
  const bool may_be_any = !has_letters(text);
  for (const DetectedLanguage& one : detected) {
    const bool may_be_it = may_be_any || one.confidence == detected.front().confidence;
    if (may_be_it && find(models, {one.language}, targets)) return one;
  }
  return detected.front();
}

}  // namespace

std::vector<TranslatedFrom> translate_all(const ApiCall& call, const AskedLanguages& asked,
                                          const TranslationCall& wanted) {
  const ServedModels& models = call.models;
  const std::vector<std::string>& targets = asked.targets;
  std::vector<TranslatedFrom> all(wanted.texts.size());
  std::vector<const ServedTranslator*> translators;  // null: none is needed
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!asked.sources.empty()) {
      translators.push_back(find(models, asked.sources, targets));
      if (!translators.back()) throw_no_pair(models, asked.source, asked.target);
      all[i].language = {translators.back()->source(), 1};
      continue;
    }
    all[i].language = guessed(models, wanted.texts[i], targets);
    const std::string& language = all[i].language.language;
    translators.push_back(find(models, {language}, targets));
    if (translators.back()) continue;
    if (std::find(targets.begin(), targets.end(), language) == targets.end()) {
      const std::string here = language.empty() ? "" : " (here " + language + ")";
      throw_no_pair(models, asked.source + here, asked.target);
    }
    all[i].text.text = wanted.texts[i];
  }
  for (const auto& translator : models.translators) {
    std::vector<std::size_t> its;
    TranslationCall part = wanted;
    part.texts.clear();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (translators[i] != translator.get()) continue;
      its.push_back(i);
      part.texts.push_back(wanted.texts[i]);
    }
    if (its.empty()) continue;
    TranslatedTexts found = translate_counted(call, *translator, part);
    for (std::size_t i = 0; i < its.size(); ++i) all[its[i]].text = std::move(found.texts[i]);
  }
  return all;
}

}  // namespace kette
