#include "serve/api.h"

#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>

#include "data/files/utf8.h"
#include "serve/page.h"
#include "tensor/shortest.h"
#include "tensor/stopwatch.h"

namespace kette {
namespace {

/// Compares keys in constant time, so that the time does not show how much of a key is right.
bool equal(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const char other = i < b.size() ? b[i] : '\0';
    difference |= static_cast<unsigned char>(a[i] ^ other);
  }
  return difference == 0;
}

double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  double size = 0, resident = 0;
  file >> size >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

ApiError told_of(const std::exception& fault) {
  if (const auto* error = dynamic_cast<const ApiError*>(&fault)) return *error;
  if (const auto* busy = dynamic_cast<const HostBusy*>(&fault)) {
    ApiError error(429, "expected a request that can begin within " + shortest(busy->limit) +
                            " s, given one that would wait about " +
                            std::to_string(std::lround(busy->seconds)) + " s (try again later)");
    error.retry_after = busy->seconds - busy->limit;
    return error;
  }
  return {dynamic_cast<const Error*>(&fault) != nullptr ? 400 : 500, fault.what()};
}

HttpAnswer error_answer(const std::string& api, const ApiError& error) {
  HttpAnswer answer{.status = error.status};
  if (api == "openai") {
    const char* type = error.status == 401   ? "authentication_error"
                       : error.status == 404 ? "not_found_error"
                       : error.status == 429 ? "rate_limit_error"
                       : error.status >= 500 ? "server_error"
                                             : "invalid_request_error";
    answer.body = dumped({{"error",
                           {{"message", error.message},
                            {"type", type},
                            {"param", error.field.empty() ? Json() : Json(error.field)},
                            {"code", nullptr}}}});
  } else if (api == "deepl") {
    answer.body = dumped({{"message", error.message}});
  } else {
    answer.body = dumped({{"error", error.message}});
  }
  if (error.status == 429 || error.status == 503) {
    answer.headers.emplace_back(
        "Retry-After",
        std::to_string(static_cast<int>(std::ceil(std::max(1.0, error.retry_after)))));
  }
  if (error.status == 504) answer.headers.emplace_back("x-should-retry", "false");
  return answer;
}

}  // namespace

/// An exchange that adds headers to answers, and records the status and the time.
class WatchedExchange final : public HttpExchange {
 public:
  using Headers = std::vector<std::pair<std::string, std::string>>;
  WatchedExchange(HttpExchange& exchange, Headers headers)
      : exchange_(exchange), headers_(std::move(headers)) {}

  const HttpRequest& request() const override { return exchange_.request(); }
  void check() const override { exchange_.check(); }
  void answer(const HttpAnswer& answer) override {
    status_ = answer.status;
    exchange_.answer(with_headers(answer));
  }
  void begin_stream(const HttpAnswer& head) override {
    status_ = head.status;
    is_streaming_ = true;
    exchange_.begin_stream(with_headers(head));
  }
  void write(std::string_view part) override {
    if (seconds_to_first_ == 0) seconds_to_first_ = watch_.seconds();
    exchange_.write(part);
  }
  void end_stream() override { exchange_.end_stream(); }

  int status() const { return status_; }
  bool is_streaming() const { return is_streaming_; }
  double seconds() const { return watch_.seconds(); }
  /// Seconds until the first part of a stream; 0: there was none.
  double seconds_to_first() const { return seconds_to_first_; }

 private:
  HttpAnswer with_headers(HttpAnswer answer) const {
    answer.headers.insert(answer.headers.end(), headers_.begin(), headers_.end());
    return answer;
  }

  HttpExchange& exchange_;
  Headers headers_;
  Stopwatch watch_;
  int status_ = 0;
  bool is_streaming_ = false;
  double seconds_to_first_ = 0;
};

struct Api::Route {
  const char* method;
  const char* path;  ///< with / at the end: also all paths below it
  const char* api;
  void (*serve)(const ApiCall& call);
  bool is_open = false;  ///< whether it needs no key
};

const std::vector<Api::Route>& Api::routes() {
  static const std::vector<Route> routes = {
      {"GET", "/", "page", page_show, true},
      {"POST", "/", "page", page_answer},
      {"GET", "/explain", "page", page_explain},
      {"POST", "/explain", "page", page_explain},
      {"POST", "/translate", "libretranslate", libretranslate_translate},
      {"POST", "/detect", "libretranslate", libretranslate_detect},
      {"GET", "/languages", "libretranslate", libretranslate_languages, true},
      {"GET", "/frontend/settings", "libretranslate", libretranslate_settings, true},
      {"POST", "/v2/translate", "deepl", deepl_translate},
      {"POST", "/v1/completions", "openai", openai_completions},
      {"GET", "/v1/models", "openai", openai_models},
      {"GET", "/v1/models/", "openai", openai_models},
      {"GET", "/openapi.json", "watch", describe, true}};
  return routes;
}

std::vector<std::string> Api::operations() {
  std::vector<std::string> all = {"GET /health", "GET /ready", "GET /metrics"};
  for (const Route& route : routes()) {
    if (std::string_view(route.api) == "page") continue;  // not for programs
    all.push_back(std::string(route.method) + " " + route.path);
  }
  return all;
}

Api::Api(std::shared_ptr<const ServedModels> models, const ApiOptions& options)
    : options_(options) {
  options_.metrics->gauge("process_resident_memory_bytes", {}, resident_bytes);
  const auto sum = [this](std::int64_t EngineHost::Load::*what) {
    double total = 0;
    const auto all = this->models();
    for (const auto& one : all->translators) total += static_cast<double>(one->host().load().*what);
    for (const auto& one : all->generators) total += static_cast<double>(one->host().load().*what);
    return total;
  };
  options_.metrics->gauge("kette_waiting_texts", {},
                          [=] { return sum(&EngineHost::Load::waiting); });
  options_.metrics->gauge("kette_live_texts", {}, [=] { return sum(&EngineHost::Load::live); });
  options_.metrics->gauge("kette_shared_prompt_tokens", {},
                          [=] { return sum(&EngineHost::Load::shared_tokens); });
  options_.metrics->gauge("kette_live_rows", {}, [=] { return sum(&EngineHost::Load::rows); });
  replace(std::move(models));
}

void Api::replace(std::shared_ptr<const ServedModels> models) {
  const std::lock_guard lock(mutex_);
  models_.swap(models);  // the old ones end later, without the lock: their engines take a while
}

std::shared_ptr<const ServedModels> Api::models() const {
  const std::lock_guard lock(mutex_);
  return models_;
}

HttpAnswer Api::refuse(int status, const std::string& why) {
  options_.metrics->add("kette_requests_total",
                        {{"api", "none"}, {"code", std::to_string(status)}});
  if (options_.log) options_.log("- - " + std::to_string(status) + " - bytes - s");
  return error_answer("none", {status, why});
}

void Api::check_key(const HttpRequest& request) const {
  if (options_.keys.empty()) return;
  std::string key = request.header("authorization");
  for (const std::string_view scheme : {"bearer ", "deepl-auth-key "}) {
    if (lower_ascii(key).starts_with(scheme)) key = key.substr(scheme.size());
  }
  const bool is_openai = request.path.starts_with("/v1/");
  const bool has_fields =
      !request.body.empty() || request.header("content-type").find("json") == std::string::npos;
  // LibreTranslate, old DeepL clients and the page send the key in a field.
  if (key.empty() && !is_openai && has_fields) {
    const bool is_deepl = request.path.starts_with("/v2/");
    key = Fields(request).text(is_deepl ? "auth_key" : "api_key", "");
  }
  bool is_known = false;
  for (const std::string& one : options_.keys) is_known |= equal(one, key);
  if (is_known) return;
  throw ApiError(is_openai ? 401 : 403, key.empty()
                                            ? "expected a key, given none"
                                            : "expected a key that is known, given another");
}

void Api::handle(HttpExchange& exchange) {
  omp_set_num_threads(1);  // of this connection's thread; the engines use all cores
  WatchedExchange::Headers headers = {{"X-Content-Type-Options", "nosniff"}};
  if (!options_.allow_origin.empty()) {
    headers.emplace_back("Access-Control-Allow-Origin", options_.allow_origin);
    headers.emplace_back("Vary", "Origin");
  }
  WatchedExchange watched(exchange, std::move(headers));
  std::string api = "none";
  try {
    dispatch(watched, api);
  } catch (const ClientGone&) {
    options_.metrics->add("kette_cancelled_total", {{"api", api}});
    log(exchange.request(), 499, watched.seconds());  // as nginx calls it
    throw;
  }
  options_.metrics->add("kette_requests_total",
                        {{"api", api}, {"code", std::to_string(watched.status())}});
  options_.metrics->observe("kette_request_seconds", watched.seconds(), {{"api", api}});
  if (watched.seconds_to_first() > 0) {
    options_.metrics->observe("kette_time_to_first_token_seconds", watched.seconds_to_first());
  }
  log(exchange.request(), watched.status(), watched.seconds());
}

void Api::log(const HttpRequest& request, int status, double seconds) const {
  if (!options_.log) return;
  options_.log(request.method + " " + as_line(request.path.substr(0, 100)) + " " +
               std::to_string(status) + " " + std::to_string(request.body.size()) + " bytes " +
               std::to_string(seconds) + " s");
}

void Api::dispatch(WatchedExchange& exchange, std::string& api) {
  const HttpRequest& request = exchange.request();
  const std::string method = request.method == "HEAD" ? "GET" : request.method;
  const auto refuse = [&](const ApiError& error) {
    HttpAnswer answer = error_answer(api, error);
    if (exchange.is_streaming()) {
      exchange.write("event: error\ndata: " + answer.body + "\n\n");
      return exchange.end_stream();
    }
    if (api == "page") {
      const auto models = this->models();
      page_error(answer, request, {*models, options_.limits, !options_.keys.empty()},
                 error.message);
    }
    exchange.answer(answer);
  };
  const auto refuse_method = [&](const std::string& allowed) {
    HttpAnswer answer =
        error_answer(api, {405, "expected " + allowed + ", given " + as_line(method)});
    answer.headers.emplace_back("Allow", allowed.starts_with("GET") ? "HEAD, " + allowed : allowed);
    exchange.answer(answer);
  };
  try {
    if (method == "OPTIONS" &&
        !options_.allow_origin.empty()) {  // a preflight request of a browser
      return exchange.answer(
          {.status = 204,
           .type = "",
           .headers = {{"Access-Control-Allow-Methods", "GET, POST"},
                       {"Access-Control-Allow-Headers", "Authorization, Content-Type"},
                       {"Access-Control-Max-Age", "86400"}}});
    }
    if (request.path == "/health" || request.path == "/ready" || request.path == "/metrics") {
      api = "watch";
      if (method != "GET") return refuse_method("GET");
      if (request.path == "/metrics") {
        return exchange.answer(
            {.type = "text/plain; version=0.0.4", .body = options_.metrics->text()});
      }
      const bool is_ready = request.path == "/health" || !is_draining_;
      return exchange.answer({.status = is_ready ? 200 : 503,
                              .body = dumped({{"status", is_ready ? "ok" : "draining"}})});
    }
    std::string allowed;
    for (const Route& route : routes()) {
      const std::string_view path = route.path;
      const bool is_this = path.size() > 1 && path.ends_with('/') ? request.path.starts_with(path)
                                                                  : request.path == path;
      if (!is_this) continue;
      api = route.api;
      if (method != route.method) {
        allowed += (allowed.empty() ? "" : ", ") + std::string(route.method);
        continue;
      }
      if (!route.is_open) check_key(request);
      const auto models = this->models();
      const auto end =
          std::chrono::steady_clock::now() + std::chrono::duration<double>(options_.limits.seconds);
      const double limit = options_.limits.seconds;
      const auto check = [&exchange, end, limit] {
        exchange.check();
        if (std::chrono::steady_clock::now() > end) {
          throw ApiError(504,
                         "expected to be done within " + shortest(limit) + " s, given more to do");
        }
      };
      return route.serve(
          {exchange, *models, options_.limits, *options_.metrics, check, !options_.keys.empty()});
    }
    if (!allowed.empty()) return refuse_method(allowed);
    if (request.path.starts_with("/v1/")) api = "openai";
    if (request.path.starts_with("/v2/")) api = "deepl";
    throw ApiError(404, "expected a path of GET /openapi.json, given another one");
  } catch (const ClientGone&) {
    throw;
  } catch (const std::exception& fault) {
    refuse(told_of(fault));
  }
}

SearchOptions search_for(const ServeLimits& limits, std::int64_t alternatives) {
  SearchOptions search;
  search.n_best = 1 + alternatives;
  search.beam = std::max(std::min(search.beam, limits.beam), search.n_best);
  return search;
}

TranslatedTexts translate_counted(const ApiCall& call, const ServedTranslator& model,
                                  const TranslationCall& wanted) {
  TranslatedTexts found = model.translate(wanted, call.check);
  const auto add = [&](const char* counter, std::int64_t count) {
    call.metrics.add(counter, {}, static_cast<double>(count));
  };
  add("kette_source_tokens_total", found.source_tokens);
  add("kette_target_tokens_total", found.target_tokens);
  add("kette_doubtful_sentences_total", found.doubts);
  return found;
}

std::vector<Completion> complete_counted(const ApiCall& call, const ServedGenerator& model,
                                         const CompletionCall& wanted, const OnText& on_text) {
  std::vector<Completion> found = model.complete(wanted, on_text, call.check);
  for (const Completion& one : found) {
    call.metrics.add("kette_target_tokens_total", {}, static_cast<double>(one.tokens));
  }
  return found;
}

std::int64_t characters_of(std::string_view text) {
  return static_cast<std::int64_t>(characters_in(text));
}

void check_size(const std::vector<std::string>& texts, const char* name,
                const ServeLimits& limits) {
  if (texts.empty()) throw ApiError(400, std::string(name) + ": expected a text, given none", name);
  if (std::ssize(texts) > limits.texts) {
    throw ApiError(400,
                   std::string(name) + ": expected at most " + std::to_string(limits.texts) +
                       " texts, given " + std::to_string(texts.size()),
                   name);
  }
  std::int64_t characters = 0;
  for (const std::string& text : texts) {
    characters += characters_of(text);
    if (text.find('\0') == std::string::npos) continue;
    throw ApiError(400, std::string(name) + ": expected text, given one with a NUL", name);
  }
  if (characters > limits.characters) {
    throw ApiError(400,
                   std::string(name) + ": expected at most " + std::to_string(limits.characters) +
                       " characters, given " + std::to_string(characters),
                   name);
  }
}

}  // namespace kette
