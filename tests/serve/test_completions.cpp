// OpenAI's interface for completions as its clients see it.
#include "decode/generator.h"
#include "tests/serve/api_of_tiny_models.h"

using namespace kette;
using namespace kette::testing;

namespace {

const std::string kPath = "/v1/completions";

/// As `kette generate` has them.
std::vector<std::string> generated(const std::string& prompt, const GenerateOptions& options) {
  const auto saved = load_model<Gpt>(tiny_models_folder() / "gpt");
  std::vector<std::string> texts;
  const auto ids =
      generate(Ensemble(*saved.model).for_decoding(), saved.tokenizer->encode(prompt), options);
  for (const auto& one : ids) texts.push_back(saved.tokenizer->decode(one));
  return texts;
}

GenerateOptions seeded(std::int64_t texts, std::int64_t max_tokens) {
  GenerateOptions options;
  options.seed = 7;
  options.temperature = 0.9;
  options.texts = texts;
  options.max_tokens = max_tokens;
  options.end_of_text = 256;
  return options;
}

Json request(const Json& more) {
  Json json = {
      {"model", "gpt"}, {"prompt", "ab"}, {"max_tokens", 12}, {"temperature", 0.9}, {"seed", 7}};
  if (!more.is_null()) json.update(more);
  return json;
}

/// As clients show bytes that are no UTF-8.
std::string shown(const std::string& text) { return Json::parse(dumped(text)); }

/// What stands behind "data: " in the events of a stream.
std::vector<std::string> events_of(const std::string& stream) {
  std::vector<std::string> events;
  for (std::size_t at = 0; at < stream.size();) {
    const std::size_t end = stream.find("\n\n", at);
    REQUIRE(end != std::string::npos);
    const std::string event = stream.substr(at, end - at);
    REQUIRE(event.starts_with("data: "));
    events.push_back(event.substr(6));
    at = end + 2;
  }
  return events;
}

}  // namespace

TEST_CASE("completions: what generate gives, to the bit") {
  AskedApi asked;
  const auto expected = generated("ab", seeded(3, 12));
  const Told told = asked.post(kPath, request({{"n", 3}}));
  REQUIRE(told.status == 200);
  const Json& choices = told.json.at("choices");
  REQUIRE(choices.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(choices.at(i).at("text") == shown(expected[i]));
    CHECK(choices.at(i).at("index") == i);
    CHECK(choices.at(i).at("logprobs").is_null());
  }
  CHECK(told.json.at("object") == "text_completion");
  CHECK(told.json.at("model") == "gpt");
  const Json& usage = told.json.at("usage");
  CHECK(usage.at("prompt_tokens") == 2);
  CHECK(usage.at("total_tokens") == 2 + usage.at("completion_tokens").get<int>());
}

TEST_CASE("completions: prompts of many kinds, and the end of a text") {
  AskedApi asked;
  const Json one = asked.post(kPath, request({})).json.at("choices");
  const std::string text = one.at(0).at("text");
  CHECK(asked.post(kPath, request({{"prompt", {97, 98}}})).json.at("choices") == one);
  CHECK(asked.post(kPath, request({{"prompt", Json::array({{97, 98}})}})).json.at("choices") ==
        one);
  CHECK(asked.post(kPath, request({{"prompt", {97, 98.0}}})).json.at("choices") == one);
  const Json two = asked.post(kPath, request({{"prompt", {"xy", "ab"}}})).json.at("choices");
  REQUIRE(two.size() == 2);
  CHECK(two.at(1).at("text") == text);
  CHECK(two.at(1).at("index") == 1);
  const Json without_model = {
      {"prompt", "ab"}, {"max_tokens", 12}, {"temperature", 0.9}, {"seed", 7}};
  CHECK(asked.post(kPath, without_model).json.at("choices") == one);
  CHECK(asked.post(kPath, request({{"prompt", nullptr}})).status == 200);
  CHECK(asked.post(kPath, request({{"prompt", ""}})).status == 200);

  const Json echo = asked.post(kPath, request({{"echo", true}})).json.at("choices");
  CHECK(echo.at(0).at("text") == "ab" + text);
  const Json cut = asked.post(kPath, request({{"max_tokens", 1}})).json;
  CHECK(cut.at("choices").at(0).at("finish_reason") == "length");
  CHECK(cut.at("usage").at("completion_tokens") == 1);
  const Json greedy = request({{"temperature", 0}, {"seed", nullptr}});
  CHECK(asked.post(kPath, greedy).json.at("choices") ==
        asked.post(kPath, greedy).json.at("choices"));
  CHECK(asked.post(kPath, request({{"prompt", std::string(500, 'a')}})).status == 200);
}

TEST_CASE("completions: a text ends before what is to stop it") {
  AskedApi asked;
  // With a model of random bytes some character of the text is whole, and told as it is.
  for (int seed = 0; seed < 20; ++seed) {
    const Json all = asked.post(kPath, request({{"seed", seed}})).json.at("choices").at(0);
    const std::string text = all.at("text");
    for (std::size_t at = 1; at < text.size(); ++at) {
      if (static_cast<unsigned char>(text[at]) >= 128) continue;
      const std::string stop(1, text[at]);
      for (const Json& stops : {Json(stop), Json{"none of it", stop}}) {
        const Json told =
            asked.post(kPath, request({{"seed", seed}, {"stop", stops}})).json.at("choices").at(0);
        CHECK(told.at("text") == text.substr(0, text.find(stop)));
        CHECK(told.at("finish_reason") == "stop");
      }
      break;
    }
  }
  const Json all = asked.post(kPath, request({})).json.at("choices");
  for (const Json& none : {Json(), Json(""), Json::array()}) {
    CHECK(asked.post(kPath, request({{"stop", none}})).json.at("choices") == all);
  }
}

TEST_CASE("completions: a stream tells the same, and what it took") {
  AskedApi asked;
  const Json more = {{"n", 2}, {"prompt", {"ab", "c"}}, {"echo", true}};
  const Json whole = asked.post(kPath, request(more)).json;
  Json wanted = request(more);
  wanted["stream"] = true;
  for (const bool with_usage : {false, true}) {
    wanted["stream_options"] = {{"include_usage", with_usage}};
    const Told told = asked.post(kPath, wanted);
    REQUIRE(told.is_stream);
    CHECK(told.answer.type == "text/event-stream");
    std::vector<std::string> events = events_of(told.answer.body);
    REQUIRE(events.size() > 8);
    CHECK(events.back() == "[DONE]");
    events.pop_back();
    if (with_usage) {
      const Json last = Json::parse(events.back());
      CHECK(last.at("usage") == whole.at("usage"));
      CHECK(last.at("choices").empty());
      events.pop_back();
    }
    std::vector<std::string> texts(4), reasons(4);
    for (const std::string& event : events) {
      const Json json = Json::parse(event);
      CHECK_FALSE(json.contains("usage"));
      const Json& choice = json.at("choices").at(0);
      const std::size_t index = choice.at("index");
      CHECK(reasons[index].empty());
      texts[index] += choice.at("text").get<std::string>();
      if (!choice.at("finish_reason").is_null()) reasons[index] = choice.at("finish_reason");
    }
    for (std::size_t i = 0; i < 4; ++i) {
      CHECK(texts[i] == whole.at("choices").at(i).at("text"));
      CHECK(reasons[i] == whole.at("choices").at(i).at("finish_reason"));
    }
  }
}

TEST_CASE("completions: an error is an answer before a stream begins, and an event in it") {
  ServeLimits limits = small_limits();
  limits.seconds = 1e-9;
  AskedApi late({.limits = limits});
  Json wanted = request({{"stream", true}});
  CHECK(late.post(kPath, wanted).status == 504);
  wanted["echo"] = true;  // which begins it
  const Told told = late.post(kPath, wanted);
  REQUIRE(told.is_stream);
  const std::string mark = "event: error\ndata: ";
  const std::size_t at = told.answer.body.find(mark);
  REQUIRE(at != std::string::npos);
  const Json error = Json::parse(told.answer.body.substr(at + mark.size()));
  CHECK(error.at("error").at("type") == "server_error");
  CHECK_FALSE(contains(told.answer.body, "[DONE]"));
}

TEST_CASE("completions: the usual number of tokens is no more than the server allows") {
  ServeLimits limits = small_limits();
  limits.tokens = 3;
  AskedApi asked({.limits = limits});
  Json wanted = request({});
  wanted.erase("max_tokens");
  const Told told = asked.post(kPath, wanted);
  REQUIRE(told.status == 200);
  CHECK(told.json.at("usage").at("completion_tokens").get<int>() <= 3);
}

TEST_CASE("completions: what is wrong with a request is said") {
  AskedApi asked;
  const auto fault = [&](const Json& more, int status = 400) {
    return asked.fault(kPath, request(more).dump(), status);
  };
  CHECK(fault({{"model", "none"}}, 404) == "model: expected one of GET /v1/models, given \"none\"");
  CHECK(fault({{"max_tokens", 21}}) == "max_tokens: expected a number from 1 to 20, given 21");
  CHECK(fault({{"n", 4}}) == "n: expected a number from 1 to 3, given 4");
  CHECK(fault({{"temperature", -1}}) == "temperature: expected a number from 0 to 100, given -1");
  CHECK(fault({{"top_p", 0}}).starts_with("top_p: expected a number from 1e-09 to 1"));
  CHECK(fault({{"top_k", 300}}) == "top_k: expected a number from 0 to 257, given 300");
  const std::int64_t large = (std::int64_t{1} << 53) + 1;  // which no double is
  CHECK(fault({{"seed", large}}).ends_with(", given 9007199254740993"));
  CHECK(fault({{"seed", "x"}}).starts_with("seed: expected a number"));
  CHECK(fault({{"best_of", 2}}) == "best_of: expected a number from 1 to 1, given 2");
  CHECK(fault({{"frequency_penalty", 0.5}}).starts_with("frequency_penalty: expected"));
  CHECK(fault({{"stop", {"a", "b", "c", "d", "e"}}}) == "stop: expected at most 4, given 5");
  CHECK(fault({{"stop", 1}}).starts_with("stop: expected a string or a list"));
  CHECK(fault({{"suffix", "x"}}) == "suffix: expected none");
  CHECK(fault({{"stream", "yes"}}) == "stream: expected true or false, given \"yes\"");
  for (const Json& wrong : {Json("x"), Json{{"include_usage", "x"}}, Json{{"other", true}}}) {
    CHECK(fault({{"stream_options", wrong}}).starts_with("stream_options: expected"));
  }
  const std::string prompt =
      "prompt: expected a string, a list of strings, or ids, given something else";
  for (const Json& wrong : {Json(1), Json::object(), Json::array(), Json{1, "a"}, Json{"a", 1},
                            Json{1.5}, Json{true}, Json::array({Json::array()})}) {
    CAPTURE(wrong.dump());
    CHECK(fault({{"prompt", wrong}}) == prompt);
  }
  CHECK(fault({{"prompt", {256, 257}}}) == "prompt: expected ids below 257, given 257");
  CHECK(fault({{"prompt", Json::array({-1})}}) == "prompt: expected ids below 257, given -1");
  CHECK(
      fault({{"prompt", Json::array({UINT64_MAX})}}).starts_with("prompt: expected ids below 257"));
  CHECK(fault({{"prompt", {"a", "b", "c", "d", "e"}}}) == "prompt: expected at most 4, given 5");
  CHECK(contains(fault({{"promt", "a"}}), "(did you mean prompt?)"));
  CHECK(asked.fault(kPath, "prompt=a", 415, "application/x-www-form-urlencoded") ==
        "expected application/json, given application/x-www-form-urlencoded");
  const Told told = asked.post(kPath, request({{"n", 0}}));
  CHECK(told.json.at("error").at("type") == "invalid_request_error");
  CHECK(told.json.at("error").at("param") == "n");
}

TEST_CASE("completions: the models that there are") {
  AskedApi asked;
  const Json list = asked.get("/v1/models").json;
  REQUIRE(list.at("data").size() == 1);
  CHECK(asked.get("/v1/models/gpt").json == list.at("data").at(0));
  CHECK(asked.get("/v1/models/%67pt").json == list.at("data").at(0));
  CHECK(asked.get("/v1/models/en-de").status == 404);
  CHECK(asked.get("/v1/models/").status == 404);
  CHECK(asked.get("/v1/models/%zz").status == 400);
}
