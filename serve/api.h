// The programming interfaces of a server: LibreTranslate's, OpenAI's for completions, DeepL's, and what watches it.
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
  std::vector<std::string> keys{};  ///< one of which a client must have; none: all may ask
  std::string allow_origin{};  ///< whose pages may ask, "*": anybody's; empty: only the server's
  std::function<void(const std::string& line)> log{};
  /// Engines may add to them, too.
  std::shared_ptr<Metrics> metrics = std::make_shared<Metrics>();
};

/// What a handler of an interface works with.
struct ApiCall {
  HttpExchange& exchange;
  const ServedModels& models;
  const ServeLimits& limits;
  Metrics& metrics;
  std::function<void()> check;  ///< throws when the client is gone or its time is over
  bool needs_key = false;       ///< as all of this server

  void answer(const Json& json, int status = 200) const {
    exchange.answer({.status = status, .body = dumped(json)});
  }
};

class WatchedExchange;

class Api {
 public:
  Api(std::shared_ptr<const ServedModels> models, const ApiOptions& options);

  void handle(HttpExchange& exchange);
  /// Of what no interface has seen.
  HttpAnswer refuse(int status, const std::string& why);
  /// From the next request on.
  void replace(std::shared_ptr<const ServedModels> models);
  std::shared_ptr<const ServedModels> models() const;
  /// No longer ready: other servers are to be asked.
  void drain() { is_draining_ = true; }
  /// All of the interfaces, as "POST /translate"; a path that ends with / is that of all below it.
  static std::vector<std::string> operations();

 private:
  struct Route;
  static const std::vector<Route>& routes();
  void dispatch(WatchedExchange& exchange, std::string& api);
  void check_key(const HttpRequest& request) const;

  ApiOptions options_;
  std::atomic<bool> is_draining_ = false;
  mutable std::mutex mutex_;
  std::shared_ptr<const ServedModels> models_;
};

// Each of an interface: serve/libretranslate.cpp, deepl.cpp, openai.cpp, openapi.cpp.
void libretranslate_translate(const ApiCall& call);
void libretranslate_languages(const ApiCall& call);
void libretranslate_detect(const ApiCall& call);
void libretranslate_settings(const ApiCall& call);
void deepl_translate(const ApiCall& call);
void openai_completions(const ApiCall& call);
void openai_models(const ApiCall& call);
void describe(const ApiCall& call);

/// "English" of "en"; what is not known is its own name.
std::string language_name(const std::string& code);
/// The translator from one language to another; source "auto": by the text. An ApiError if there is none.
const ServedTranslator& translator_for(const ServedModels& models, const std::string& source,
                                       const std::string& target,
                                       const std::vector<std::string>& texts);
/// A language that is translated from, and the probability that a text is in it, from 0 to 1, if it is in one of them.
struct DetectedLanguage {
  std::string language;
  double confidence = 0;
};
/// The likeliest first; none if nothing is translated.
std::vector<DetectedLanguage> detect(const ServedModels& models, const std::string& text);
/// Of text in UTF-8.
std::int64_t characters_of(std::string_view text);
/// An ApiError if they are none, too many or too long, or no text.
void check_size(const std::vector<std::string>& texts, const char* name, const ServeLimits& limits);

}  // namespace kette
