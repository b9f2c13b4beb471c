// Requests to a server's interfaces, which tiny models serve: whatever comes is answered, and never as a fault of the
// server. An input is the content type, what stands behind "?", and the body.
#pragma once

#include "serve/api.h"
#include "tests/fuzz/targets.h"
#include "tests/fuzz/tiny_models.h"
#include "tests/serve/recorded_exchange.h"
#include "tests/serve/tiny_served.h"

namespace kette::fuzz {

inline Api& tiny_api() {
  static Api api(
      [] {
        const auto tokenizer = tiny_tokenizer({.byte_fallback = true});
        TransformerConfig translates = tiny_transformer(tokenizer->vocabulary());
        translates.max_length = 12;
        const auto folder = scratch() / "served";
        testing::save_tiny_models(folder, translates, tiny_gpt(), *tokenizer);
        return testing::serve_tiny_models(folder, 1);
      }(),
      {.limits = {.texts = 3, .characters = 40, .tokens = 2, .beam = 2, .n = 2}});
  return api;
}

/// The status that it is answered with.
inline int ask(const std::string& path, std::string_view input) {
  const auto given = parts(input, 3);
  HttpRequest request{.method = "POST", .path = path, .query = std::string(given[1])};
  request.headers.emplace_back("content-type", given[0]);
  request.body = given[2];
  testing::RecordedExchange exchange(std::move(request));
  tiny_api().handle(exchange);
  expect(exchange.is_answered, "an answer");
  expect(exchange.is_stream == exchange.has_ended, "a stream that ends");
  expect(exchange.given.status < 500, ("no fault, given " + exchange.given.body).c_str());
  expect(exchange.is_stream || Json::accept(exchange.given.body), "JSON as an answer");
  return exchange.given.status;
}

inline std::string json_request(const char* body) { return joined({"application/json", "", body}); }
inline std::string form_request(const char* query, const char* body) {
  return joined({"application/x-www-form-urlencoded", query, body});
}

/// The first of the seeds is one that is served.
inline std::vector<std::string> served(const std::string& path, std::vector<std::string> seeds) {
  expect(ask(path, seeds.front()) == 200, "a first seed that is served");
  return seeds;
}

}  // namespace kette::fuzz
