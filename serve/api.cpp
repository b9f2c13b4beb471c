#include "serve/api.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>

#include "data/files/utf8.h"
#include "data/sentences/likely_language.h"

namespace kette {
namespace {

/// Compares keys in a time that does not tell how much of them is right.
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

}  // namespace

ApiError told_of(const std::exception& fault) {
  if (const auto* error = dynamic_cast<const ApiError*>(&fault)) return *error;
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
  if (error.status == 429 || error.status == 503) answer.headers.emplace_back("Retry-After", "1");
  if (error.status == 504) answer.headers.emplace_back("x-should-retry", "false");
  return answer;
}

struct Api::Route {
  const char* method;
  const char* path;  ///< one that ends with / is that of all below it
  const char* api;
  void (*serve)(const ApiCall& call);
  bool is_open = false;  ///< without a key
};

const std::vector<Api::Route>& Api::routes() {
  static const std::vector<Route> routes = {
      {"POST", "/translate", "libretranslate", libretranslate_translate},
      {"POST", "/detect", "libretranslate", libretranslate_detect},
      {"GET", "/languages", "libretranslate", libretranslate_languages},
      {"GET", "/frontend/settings", "libretranslate", libretranslate_settings},
      {"POST", "/v2/translate", "deepl", deepl_translate},
      {"POST", "/v1/completions", "openai", openai_completions},
      {"GET", "/v1/models", "openai", openai_models},
      {"GET", "/v1/models/", "openai", openai_models},
      {"GET", "/openapi.json", "watch", describe, true}};
  return routes;
}

std::vector<std::string> Api::operations() {
  std::vector<std::string> all = {"GET /health", "GET /ready", "GET /metrics"};
  for (const Route& route : routes()) all.push_back(std::string(route.method) + " " + route.path);
  return all;
}

Api::Api(std::shared_ptr<const ServedModels> models, const ApiOptions& options)
    : options_(options) {
  metrics_.gauge("process_resident_memory_bytes", {}, resident_bytes);
  const auto sum = [this](std::int64_t EngineHost::Load::*what) {
    double total = 0;
    const auto all = this->models();
    for (const auto& one : all->translators) total += static_cast<double>(one->host().load().*what);
    for (const auto& one : all->generators) total += static_cast<double>(one->host().load().*what);
    return total;
  };
  metrics_.gauge("kette_waiting_texts", {}, [=] { return sum(&EngineHost::Load::waiting); });
  metrics_.gauge("kette_live_texts", {}, [=] { return sum(&EngineHost::Load::live); });
  metrics_.gauge("kette_live_rows", {}, [=] { return sum(&EngineHost::Load::rows); });
  replace(std::move(models));
}

void Api::replace(std::shared_ptr<const ServedModels> models) {
  const std::lock_guard lock(mutex_);
  models_ = std::move(models);
}

std::shared_ptr<const ServedModels> Api::models() const {
  const std::lock_guard lock(mutex_);
  return models_;
}

HttpAnswer Api::refuse(int status, const std::string& why) {
  metrics_.add("kette_requests_total", {{"api", "none"}, {"code", std::to_string(status)}});
  return error_answer("none", {status, why});
}

void Api::check_key(const HttpRequest& request) const {
  if (options_.keys.empty()) return;
  std::string key = request.header("authorization");
  for (const std::string_view scheme : {"Bearer ", "DeepL-Auth-Key "}) {
    if (key.starts_with(scheme)) key = key.substr(scheme.size());
  }
  const bool is_openai = request.path.starts_with("/v1/");
  if (key.empty() && !is_openai) {  // as clients of LibreTranslate, and old ones of DeepL, send it
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
  const auto start = std::chrono::steady_clock::now();
  std::string api = "none";
  int status = 200;
  try {
    dispatch(exchange, api, status);
  } catch (const ClientGone&) {
    metrics_.add("kette_cancelled_total", {{"api", api}});
    throw;
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  metrics_.add("kette_requests_total", {{"api", api}, {"code", std::to_string(status)}});
  metrics_.observe("kette_request_seconds", seconds.count(), {{"api", api}});
  if (options_.log) {
    const HttpRequest& request = exchange.request();
    options_.log(request.method + " " + as_line(request.path.substr(0, 100)) + " " +
                 std::to_string(status) + " " + std::to_string(request.body.size()) + " bytes " +
                 std::to_string(seconds.count()) + " s");
  }
}

void Api::dispatch(HttpExchange& exchange, std::string& api, int& status) {
  const HttpRequest& request = exchange.request();
  const std::string method = request.method == "HEAD" ? "GET" : request.method;
  const auto refuse = [&](const ApiError& error) {
    status = error.status;
    exchange.answer(error_answer(api, error));
  };
  const auto refuse_method = [&](const std::string& allowed) {
    const bool reads = allowed == "GET";
    status = 405;
    HttpAnswer answer =
        error_answer(api, {405, "expected " + allowed + ", given " + as_line(method)});
    answer.headers.emplace_back("Allow", reads ? "GET, HEAD" : allowed);
    exchange.answer(answer);
  };
  try {
    if (request.path == "/health" || request.path == "/ready" || request.path == "/metrics") {
      api = "watch";
      if (method != "GET") return refuse_method("GET");
      if (request.path == "/metrics") {
        return exchange.answer({.type = "text/plain; version=0.0.4", .body = metrics_.text()});
      }
      const bool is_ready = request.path == "/health" || !is_draining_;
      status = is_ready ? 200 : 503;
      return exchange.answer(
          {.status = status, .body = dumped({{"status", is_ready ? "ok" : "draining"}})});
    }
    std::string allowed;
    for (const Route& route : routes()) {
      const std::string_view path = route.path;
      const bool is_this =
          path.ends_with('/') ? request.path.starts_with(path) : request.path == path;
      if (!is_this) continue;
      api = route.api;
      if (method != route.method) {
        allowed = route.method;
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
          throw ApiError(
              504, "expected to be done within " + std::to_string(limit) + " s, given more to do");
        }
      };
      return route.serve(
          {exchange, *models, options_.limits, metrics_, check, !options_.keys.empty()});
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

std::int64_t characters_of(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return !continues_utf8(c); });
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

std::vector<DetectedLanguage> detect(const ServedModels& models, const std::string& text) {
  std::vector<std::string> sources;
  for (const auto& one : models.translators) {
    if (std::find(sources.begin(), sources.end(), one->source()) == sources.end()) {
      sources.push_back(one->source());
    }
  }
  const std::string likely = likely_language({text});
  const bool is_served = std::find(sources.begin(), sources.end(), likely) != sources.end();
  std::vector<DetectedLanguage> all;
  const double even = sources.empty() ? 0 : 1 / static_cast<double>(sources.size());
  for (const std::string& source : sources) {
    all.push_back({source, is_served ? (source == likely ? 1.0 : 0.0) : even});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.confidence > b.confidence; });
  if (all.empty()) all.push_back({"en", 0});
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
