// The HTTP interfaces of a server: LibreTranslate's, OpenAI's for completions, DeepL's, and those for
// monitoring.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "serve/fields.h"
#include "serve/limits.h"
#include "serve/metrics.h"
#include "serve/served_models.h"

namespace kette {

struct ApiOptions {
  ServeLimits limits{};
  std::vector<std::string> keys{};  ///< a client needs one of them; empty: no key is needed
  std::string allow_origin{};  ///< origin for CORS; "*": any; empty: only the server's own pages
  std::function<void(const std::string& line)> log{};  ///< gets a line for each request
  /// The engines add to them, too.
  std::shared_ptr<Metrics> metrics = std::make_shared<Metrics>();
};

/// What the handlers of an interface get.
struct ApiCall {
  HttpExchange& exchange;
  const ServedModels& models;
  const ServeLimits& limits;
  Metrics& metrics;
  std::function<void()> check;  ///< throws if the client is gone or its time is over
  bool needs_key = false;       ///< whether this server asks for keys

  void answer(const Json& json, int status = 200) const {
    exchange.answer({.status = status, .body = dumped(json)});
  }
};

class WatchedExchange;

class Api {
 public:
  Api(std::shared_ptr<const ServedModels> models, const ApiOptions& options);

  void handle(HttpExchange& exchange);
  /// The answer to a request that no interface has read.
  HttpAnswer refuse(int status, const std::string& why);
  /// Takes effect with the next request.
  void replace(std::shared_ptr<const ServedModels> models);
  std::shared_ptr<const ServedModels> models() const;
  /// From now on /ready answers 503, so that clients use other servers.
  void drain() { is_draining_ = true; }
  /// Every route, such as "POST /translate". A path that ends with / includes all paths below it.
  static std::vector<std::string> operations();

 private:
  struct Route;
  static const std::vector<Route>& routes();
  void dispatch(WatchedExchange& exchange, std::string& api);
  void check_key(const HttpRequest& request) const;
  void log(const HttpRequest& request, int status, double seconds) const;

  ApiOptions options_;
  std::atomic<bool> is_draining_ = false;
  mutable std::mutex mutex_;
  std::shared_ptr<const ServedModels> models_;
};

// One function for each interface: serve/libretranslate.cpp, deepl.cpp, openai.cpp, openapi.cpp.
void libretranslate_translate(const ApiCall& call);
void libretranslate_languages(const ApiCall& call);
void libretranslate_detect(const ApiCall& call);
void libretranslate_settings(const ApiCall& call);
void deepl_translate(const ApiCall& call);
void openai_completions(const ApiCall& call);
void openai_models(const ApiCall& call);
void describe(const ApiCall& call);

/// The name of a language: "en" -> "English". An unknown code is its own name.
std::string language_name(const std::string& code);
/// As DeepL has codes of languages: "pt_BR" -> "PT-BR".
std::string deepl_code(const std::string& language);
/// A source language, and the probability that a text is in it. They add up to 1 over all source
/// languages.
struct DetectedLanguage {
  std::string language;
  double confidence = 0;
};
/// The likeliest first. Empty if the server has no translator.
std::vector<DetectedLanguage> detect(const ServedModels& models, const std::string& text);
/// The languages of a request: as codes of models that may be meant, the best first, and as the client
/// has them, for errors. No sources: each text's is guessed.
struct AskedLanguages {
  std::vector<std::string> sources, targets;
  std::string source, target;
};
struct TranslatedFrom {
  TranslatedTexts::One text;
  DetectedLanguage language;  ///< the source
};
/// Each text by the translator from its language. A text that is guessed to be in the target language
/// already, from which nothing translates into it, stays as it is. An ApiError if there is no translator.
std::vector<TranslatedFrom> translate_all(const ApiCall& call, const AskedLanguages& asked,
                                          const TranslationCall& wanted);
/// The search of a request that wants so many alternatives, and says no beam.
SearchOptions search_for(const ServeLimits& limits, std::int64_t alternatives = 0);
/// Translates, or completes prompts, and counts the tokens in the metrics.
TranslatedTexts translate_counted(const ApiCall& call, const ServedTranslator& model,
                                  const TranslationCall& wanted);
std::vector<Completion> complete_counted(const ApiCall& call, const ServedGenerator& model,
                                         const CompletionCall& wanted, const OnText& on_text = {});
/// Of text in UTF-8.
std::int64_t characters_of(std::string_view text);
/// An ApiError if they are none, too many or too long, or no text.
void check_size(const std::vector<std::string>& texts, const char* name, const ServeLimits& limits);

}  // namespace kette
