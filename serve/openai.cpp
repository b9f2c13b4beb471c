// OpenAI's interface for completions
// (https://platform.openai.com/docs/api-reference/completions), used by many clients of language
// models.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <utility>

#include "serve/api.h"

namespace kette {
namespace {

const ServedGenerator& generator_named(const ServedModels& models, const std::string& name) {
  for (const auto& one : models.generators) {
    if (one->name() == name) return *one;
  }
  throw ApiError(404, "model: expected one of GET /v1/models, given " + dumped(name), "model");
}

/// Reads one or more prompts, as text or as token ids.
std::vector<std::vector<std::int32_t>> prompts_of(const Json& given, const ServedGenerator& model) {
  const auto wrong = [] {
    throw ApiError(400,
                   "prompt: expected a string, a list of strings, or ids, given something else",
                   "prompt");
  };
  const auto ids_of = [&](const Json& list) {
    std::vector<std::int32_t> ids;
    for (const Json& id : list) {
      const bool is_whole =
          id.is_number() && (id.is_number_integer() || id == std::floor(id.get<double>()));
      if (!is_whole) wrong();
      if (id < 0 || id >= model.tokenizer().vocabulary()) {
        throw ApiError(400,
                       "prompt: expected ids below " +
                           std::to_string(model.tokenizer().vocabulary()) + ", given " + dumped(id),
                       "prompt");
      }
      ids.push_back(id);
    }
    return ids;
  };
  if (given.is_null()) return {model.tokens_of("")};
  if (given.is_string()) return {model.tokens_of(given)};
  if (!given.is_array() || given.empty()) wrong();
  if (given.front().is_number()) return {ids_of(given)};
  std::vector<std::vector<std::int32_t>> prompts;
  for (const Json& one : given) {
    if (one.is_string()) {
      prompts.push_back(model.tokens_of(one));
    } else if (one.is_array() && !one.empty()) {
      prompts.push_back(ids_of(one));
    } else {
      wrong();
    }
  }
  return prompts;
}

std::vector<std::string> stops_of(Fields& fields) {
  if (const Json& given = fields.value("stop"); given.is_null() || given == Json::array())
    return {};
  bool is_list = false;
  std::vector<std::string> stops = fields.texts("stop", is_list);
  if (stops.size() > 4) {
    throw ApiError(400, "stop: expected at most 4, given " + std::to_string(stops.size()), "stop");
  }
  std::erase(stops, "");
  return stops;
}

/// Reads "stream_options".
bool tells_usage_of(const Json& options) {
  if (options.is_null()) return false;
  const Json tells = options.is_object() ? options.value("include_usage", Json()) : Json();
  const bool is_right = options.is_object() && options.size() <= options.count("include_usage") &&
                        (tells.is_null() || tells.is_boolean());
  if (!is_right) {
    throw ApiError(
        400, "stream_options: expected {\"include_usage\": true} or false, given another value",
        "stream_options");
  }
  return tells == true;
}

const char* reason(const Completion& completion) { return completion.is_cut ? "length" : "stop"; }

}  // namespace

void openai_completions(const ApiCall& call) {
  Fields fields(call.exchange.request(), false);
  const bool has_any = !call.models.generators.empty();
  const ServedGenerator& model = generator_named(
      call.models, fields.text("model", has_any ? call.models.generators.front()->name() : ""));
  auto prompts = prompts_of(fields.value("prompt"), model);
  CompletionCall wanted;
  wanted.max_tokens = fields.whole("max_tokens", wanted.max_tokens, 1, call.limits.tokens);
  wanted.n = fields.whole("n", 1, 1, call.limits.n);
  wanted.sampling.temperature = fields.number("temperature", 1, 0, 100);
  wanted.sampling.top_p = fields.number("top_p", 1, 1e-9, 1);
  wanted.sampling.top_k = fields.whole("top_k", 0, 0, model.tokenizer().vocabulary());
  static std::atomic<std::uint64_t> next_seed =
      static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  wanted.sampling.seed =
      fields.has("seed")
          ? static_cast<std::uint64_t>(fields.whole("seed", 0, 0, std::int64_t{1} << 53))
          : next_seed++ >> 11;
  fields.ignore({"seed"});
  fields.text("user", "");
  wanted.stop = stops_of(fields);
  const bool echo = fields.flag("echo", false), streams = fields.flag("stream", false);
  const bool tells_usage = tells_usage_of(fields.value("stream_options"));
  fields.number("frequency_penalty", 0, 0, 0);
  fields.number("presence_penalty", 0, 0, 0);
  fields.whole("best_of", 1, 1, 1);
  for (const char* none : {"suffix", "logit_bias", "logprobs"}) {
    if (fields.has(none)) throw ApiError(400, std::string(none) + ": expected none", none);
    fields.ignore({none});
  }
  fields.check_all_known();
  if (std::ssize(prompts) > call.limits.texts) {
    throw ApiError(400,
                   "prompt: expected at most " + std::to_string(call.limits.texts) + ", given " +
                       std::to_string(prompts.size()),
                   "prompt");
  }

  static std::atomic<std::uint64_t> next_id = 1;
  const std::string id = "cmpl-" + std::to_string(next_id++);
  const auto created = std::chrono::duration_cast<std::chrono::seconds>(
                           std::chrono::system_clock::now().time_since_epoch())
                           .count();
  const auto object = [&](Json choices) {
    return Json{{"id", id},
                {"object", "text_completion"},
                {"created", created},
                {"model", model.name()},
                {"choices", std::move(choices)}};
  };
  bool has_begun = false;
  const auto begin = [&] {  // as late as possible: before it, an error is an answer of its own
    if (std::exchange(has_begun, true)) return;
    call.exchange.begin_stream(
        {.type = "text/event-stream", .headers = {{"Cache-Control", "no-store"}}});
  };
  const auto send = [&](const Json& event) {
    begin();
    call.exchange.write("data: " + dumped(event) + "\n\n");
  };
  std::vector<std::string> echoed(prompts.size());
  OnText on_text;
  if (streams) {
    on_text = [&](std::int64_t text, const std::string& more) {
      const Json choice = {
          {"text", more}, {"index", text}, {"logprobs", nullptr}, {"finish_reason", nullptr}};
      send(object(Json::array({choice})));  // compilers differ in what {choice} is
    };
  }
  std::int64_t prompt_tokens = 0, tokens = 0;
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    prompt_tokens += std::ssize(prompts[i]);
    if (!echo) continue;
    echoed[i] = model.tokenizer().decode(prompts[i]);
    for (std::int64_t copy = 0; streams && copy < wanted.n; ++copy) {
      on_text(static_cast<std::int64_t>(i) * wanted.n + copy, echoed[i]);
    }
  }
  wanted.prompts = std::move(prompts);
  const std::vector<Completion> found = complete_counted(call, model, wanted, on_text);
  Json choices = Json::array();
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Completion& one = found[i];
    tokens += one.tokens;
    Json choice = {
        {"text", streams ? "" : echoed[i / static_cast<std::size_t>(wanted.n)] + one.text},
        {"index", i},
        {"logprobs", nullptr},
        {"finish_reason", reason(one)}};
    if (streams) {
      send(object(Json::array({std::move(choice)})));
    } else {
      choices.push_back(std::move(choice));
    }
  }
  const Json usage = {{"prompt_tokens", prompt_tokens},
                      {"completion_tokens", tokens},
                      {"total_tokens", prompt_tokens + tokens}};
  if (!streams) {
    Json json = object(std::move(choices));
    json["usage"] = usage;
    return call.answer(json);
  }
  if (tells_usage) {
    Json json = object(Json::array());
    json["usage"] = usage;
    send(json);
  }
  call.exchange.write("data: [DONE]\n\n");
  call.exchange.end_stream();
}

void openai_models(const ApiCall& call) {
  const auto of = [](const std::string& name) {
    return Json{{"id", name}, {"object", "model"}, {"created", 0}, {"owned_by", "kette"}};
  };
  const std::string prefix = "/v1/models/", path = call.exchange.request().path;
  if (path.starts_with(prefix)) {
    const std::string name = percent_decoded(path.substr(prefix.size()));
    return call.answer(of(generator_named(call.models, name).name()));
  }
  Json list = Json::array();
  for (const auto& one : call.models.generators) list.push_back(of(one->name()));
  call.answer({{"object", "list"}, {"data", list}});
}

}  // namespace kette
