// The interfaces of a server with tiny models, asked without sockets.
#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <utility>

#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "serve/api.h"
#include "tests/data/tiny_text.h"
#include "tests/serve/recorded_exchange.h"
#include "tests/serve/tiny_served.h"
#include "tests/support.h"

namespace kette::testing {

inline const std::filesystem::path& tiny_models_folder() {
  static const ScratchFolder folder;
  static const bool is_there = [] {
    TransformerConfig translates;
    translates.encoder_layers = translates.decoder_layers = 2;
    translates.width = translates.hidden = 16;
    translates.heads = 2;
    translates.max_length = 64;
    GptConfig writes;
    writes.layers = 2;
    writes.width = writes.hidden = 16;
    writes.heads = 2;
    writes.context = 32;
    const TinyText text = tiny_text();
    const TextLines source = text.source_lines(), target = text.target_lines();
    SentencePieceOptions options;
    options.vocabulary = 330;
    options.byte_fallback = true;
    options.normalization = SentencePieceOptions::Normalization::lossless;
    const auto tokenizer = SentencePieceTokenizer::train(joint(source, target), options);
    save_tiny_models(folder.path(), translates, writes, *tokenizer);
    return true;
  }();
  static_cast<void>(is_there);
  return folder.path();
}

inline std::shared_ptr<const ServedModels> tiny_models() {
  static const auto models = serve_tiny_models(tiny_models_folder(), 2);
  return models;
}

/// Small, that tests find them.
inline ServeLimits small_limits() {
  return {.texts = 4, .characters = 200, .tokens = 20, .beam = 6, .n = 3};
}

/// What a client is told.
struct Told {
  int status = 0;
  HttpAnswer answer;
  Json json;  ///< discarded if it is none
  bool is_stream = false;
};

class AskedApi {
 public:
  explicit AskedApi(ApiOptions options = {.limits = small_limits()},
                    std::shared_ptr<const ServedModels> models = tiny_models())
      : api_(std::move(models), options) {}

  Told ask(HttpRequest request) {
    RecordedExchange exchange(std::move(request));
    api_.handle(exchange);
    REQUIRE(exchange.is_answered);
    REQUIRE(exchange.is_stream == exchange.has_ended);
    return {exchange.given.status, exchange.given, Json::parse(exchange.given.body, nullptr, false),
            exchange.is_stream};
  }
  Told get(const std::string& path) { return ask({.method = "GET", .path = path}); }
  Told post(const std::string& path, const std::string& body,
            const std::string& type = "application/json", const std::string& key = "") {
    HttpRequest request{.method = "POST", .path = path, .headers = {{"content-type", type}}};
    if (!key.empty()) request.headers.emplace_back("authorization", key);
    request.body = body;
    return ask(std::move(request));
  }
  Told post(const std::string& path, const Json& json) { return post(path, json.dump()); }
  Told form(const std::string& path, const std::string& body) {
    return post(path, body, "application/x-www-form-urlencoded");
  }
  /// The text of the error that a client's fault is answered, in the form of its interface.
  std::string fault(const std::string& path, const std::string& body, int status = 400,
                    const std::string& type = "application/json") {
    const Told told = post(path, body, type);
    CAPTURE(body);
    CAPTURE(told.answer.body);
    CHECK(told.status == status);
    REQUIRE(told.json.is_object());
    const Json& error = told.json;
    if (path.starts_with("/v2/")) return error.at("message");
    if (path.starts_with("/v1/")) return error.at("error").at("message");
    return error.at("error");
  }
  Api& api() { return api_; }

 private:
  Api api_;
};

}  // namespace kette::testing
