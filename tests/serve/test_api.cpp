// The interfaces for translation as their clients see them, and what all interfaces have in common.
#include <future>
#include <thread>

#include "decode/loaded_ensemble.h"
#include "decode/text_translator.h"
#include "tests/serve/api_of_tiny_models.h"

using namespace kette;
using namespace kette::testing;

namespace {

/// As `kette translate` has it.
std::vector<TranslatedText> translated(const std::vector<std::string>& texts,
                                       const SearchOptions& search) {
  const auto loaded = load_ensemble<Transformer>({{tiny_models_folder() / "en-de", {}}}, {});
  const Translator translator(loaded.models, loaded.tokenizer, loaded.types);
  TextTranslateOptions how;
  how.decoding.search = search;
  how.work.threads = 1;
  how.splitter = std::make_shared<const SentenceSplitter>("en");
  std::vector<SourceText> sources;
  for (const std::string& text : texts) sources.push_back({text});
  std::vector<TranslatedText> found;
  TextTranslator(translator, how).translate(sources, [&](std::int64_t, TranslatedText one) {
    found.push_back(std::move(one));
  });
  return found;
}

const std::vector<std::string> kTexts = {"the old man sees a bridge .", "a girl buys it .",
                                         "she finds two green bottles . the children paint it ."};

}  // namespace

TEST_CASE("api: /translate gives what the translator gives, to the bit") {
  AskedApi asked;
  for (const std::int64_t beam : {1, 5}) {
    SearchOptions search;
    search.beam = beam;
    const auto expected = translated(kTexts, search);
    const Told told =
        asked.post("/translate", Json{{"q", kTexts}, {"target", "de"}, {"beam", beam}});
    REQUIRE(told.status == 200);
    for (std::size_t i = 0; i < kTexts.size(); ++i) {
      CHECK(told.json.at("translatedText").at(i) == expected[i].text);
    }
  }
  SearchOptions search;
  search.beam = 4;
  search.n_best = 3;
  const auto expected = translated({kTexts[1]}, search);
  const Told told = asked.post(
      "/translate",
      Json{{"q", kTexts[1]}, {"source", "en"}, {"target", "de"}, {"alternatives", 2}, {"beam", 4}});
  REQUIRE(told.status == 200);
  CHECK(told.json.at("translatedText") == expected[0].text);
  CHECK_FALSE(told.json.contains("detectedLanguage"));
  const auto& n_best = expected[0].sentences.at(0).translation.n_best;
  std::vector<std::string> others;
  for (std::size_t i = 1; i < n_best.size(); ++i) {
    if (n_best[i].text != expected[0].text) others.push_back(n_best[i].text);
  }
  CHECK(told.json.at("alternatives") == others);
}

TEST_CASE("api: /translate reads forms, lists, HTML and texts with nothing in them") {
  AskedApi asked;
  const Told json = asked.post("/translate", Json{{"q", kTexts[0]}, {"target", "de"}});
  const Told form = asked.form("/translate", "q=the+old%20man+sees+a+bridge+.&target=de&api_key=");
  CHECK(json.status == 200);
  CHECK(form.json == json.json);
  CHECK(json.json.at("detectedLanguage") == Json{{"confidence", 100.0}, {"language", "en"}});
  const Told query = asked.ask(
      {.method = "POST", .path = "/translate", .query = "target=de&q=the+old+man+sees+a+bridge+."});
  CHECK(query.json == json.json);

  const Told list = asked.form("/translate", "q=a+girl+buys+it+.&q=it&target=de&alternatives=1");
  REQUIRE(list.status == 200);
  CHECK(list.json.at("translatedText").size() == 2);
  CHECK(list.json.at("alternatives").size() == 2);
  CHECK(list.json.at("alternatives").at(0).is_array());
  CHECK(list.json.at("detectedLanguage").size() == 2);

  const Told html = asked.post(
      "/translate",
      Json{{"q", "<p id=\"a\">a girl</p>\n<pre>x</pre>"}, {"target", "de"}, {"format", "html"}});
  REQUIRE(html.status == 200);
  const std::string page = html.json.at("translatedText");
  CHECK(page.starts_with("<p id=\"a\">"));
  CHECK(page.ends_with("</p>\n<pre>x</pre>"));

  for (const char* empty : {"", " ", "\n\n", " \r\n\t"}) {
    const Told told = asked.post("/translate", Json{{"q", empty}, {"target", "de"}});
    CHECK(told.status == 200);
    CHECK(told.json.at("translatedText") == empty);
  }
  const Told nulls = asked.post("/translate", Json{{"q", kTexts[0]},
                                                   {"target", "de"},
                                                   {"source", nullptr},
                                                   {"format", nullptr},
                                                   {"beam", nullptr},
                                                   {"api_key", nullptr}});
  CHECK(nulls.json == json.json);
}

TEST_CASE("api: what is wrong with a request to /translate is said") {
  AskedApi asked;
  const auto fault = [&](const std::string& body) { return asked.fault("/translate", body); };
  CHECK(fault("{}") == "q: expected a text, given none");
  CHECK(fault(R"({"q": [], "target": "de"})") == "q: expected a text, given none");
  CHECK(fault(R"({"q": "a"})") == "target: expected a language, given none");
  CHECK(fault(R"({"q": 5, "target": "de"})") ==
        "q: expected a string or a list of strings, given 5");
  CHECK(fault(R"({"q": ["a", {}], "target": "de"})") ==
        "q: expected a string or a list of strings, given {}");
  CHECK(fault(R"({"q": "a", "target": "fr"})") ==
        "target: expected languages of a model, en-de, given auto (here en) and fr");
  CHECK(fault(R"({"q": "a", "target": "de", "source": "xx"})") ==
        "target: expected languages of a model, en-de, given xx and de");
  CHECK(fault(R"({"q": "a", "target": ["de"]})") == "target: expected a string, given [\"de\"]");
  CHECK(fault(R"({"q": "a", "target": "de", "format": "pdf"})") ==
        "format: expected one of text, html, given \"pdf\"");
  CHECK(fault(R"({"q": "a", "target": "de", "alternatives": 10000})") ==
        "alternatives: expected a number from 0 to 3, given 10000");
  CHECK(fault(R"({"q": "a", "target": "de", "alternatives": -1})") ==
        "alternatives: expected a number from 0 to 3, given -1");
  CHECK(fault(R"({"q": "a", "target": "de", "beam": 1.5})") ==
        "beam: expected a whole number, given 1.5");
  CHECK(fault(R"({"q": "a", "target": "de", "beam": "2"})") ==
        "beam: expected a number from 1 to 6, given \"2\"");
  CHECK(
      fault(R"({"q": "a", "target": "de", "beam": 1e999})").starts_with("expected a JSON object"));
  CHECK(fault(R"({"q": "a", "target": "de", "taget": "de"})") ==
        "taget: expected one of alternatives, api_key, beam, format, q, secret, source, target, "
        "given another field (did you mean target?)");
  CHECK(fault(Json{{"q", std::string(201, 'x')}, {"target", "de"}}.dump()) ==
        "q: expected at most 200 characters, given 201");
  CHECK(asked.post("/translate", Json{{"q", "\u00fc" + std::string(199, ' ')}, {"target", "de"}})
            .status == 200);  // characters are no bytes
  CHECK(fault(R"({"q": ["a", "b", "c", "d", "e"], "target": "de"})") ==
        "q: expected at most 4 texts, given 5");
  CHECK(fault(R"({"q": "a\u0000b", "target": "de"})") == "q: expected text, given one with a NUL");
  CHECK(fault("{\"q\": \"a\xff\", \"target\": \"de\"}") ==
        "expected a JSON object, given another text");
  CHECK(fault(R"({"q": "\ud800", "target": "de"})") ==
        "expected a JSON object, given another text");
  CHECK(fault("[1]") == "expected a JSON object, given another text");
  CHECK(fault("") == "expected a JSON object, given another text");
  CHECK(contains(fault("{\"q\": " + std::string(100'000, '[')), "nests at most 16 deep"));

  const auto form = [&](const std::string& body, int status = 400) {
    return asked.fault("/translate", body, status, "application/x-www-form-urlencoded");
  };
  CHECK(form("q=%ff&target=de") == "q: expected text in UTF-8, given bytes that are none");
  CHECK(form("q=%zz&target=de") == "expected two hexadecimal digits behind each %, given others");
  CHECK(form("q=a&target=de&beam=two") == "beam: expected a number from 1 to 6, given \"two\"");
  CHECK(form("q=a&target=de&beam=9007199254740993") ==
        "beam: expected a number from 1 to 6, given 9007199254740993");
  CHECK(form("q=a&target=de&target=fr") == "target: expected a string, given [\"de\",\"fr\"]");
  CHECK(asked.fault("/translate", "q", 415, "text/plain") ==
        "expected application/json or a form, given text/plain");
}

TEST_CASE("api: no search is wider than the server allows") {
  ServeLimits limits = small_limits();
  limits.beam = 2;
  AskedApi narrow({.limits = limits});
  const auto wanted = [](std::int64_t alternatives) {
    return Json{{"q", "it"}, {"target", "de"}, {"alternatives", alternatives}};
  };
  CHECK(narrow.post("/translate", wanted(1)).status == 200);
  CHECK(narrow.fault("/translate", wanted(2).dump()) ==
        "alternatives: expected a number from 0 to 1, given 2");
  CHECK(search_for(limits, 1).beam == 2);
  limits.beam = 1;
  CHECK(search_for(limits).beam == 1);
  SearchOptions greedy;
  greedy.beam = 1;
  const auto expected = translated(kTexts, greedy);
  const Told told = AskedApi({.limits = limits})
                        .post("/v2/translate", Json{{"text", kTexts}, {"target_lang", "DE"}});
  REQUIRE(told.status == 200);
  for (std::size_t i = 0; i < kTexts.size(); ++i) {
    CHECK(told.json.at("translations").at(i).at("text") == expected[i].text);
  }
}

TEST_CASE("api: languages, detection and settings") {
  AskedApi asked;
  CHECK(asked.get("/languages").json ==
        Json::array({{{"code", "de"}, {"name", "German"}, {"targets", Json::array()}},
                     {{"code", "en"}, {"name", "English"}, {"targets", {"de"}}}}));
  CHECK(asked.post("/detect", Json{{"q", "she sees the bridge"}}).json ==
        Json::array({{{"confidence", 100.0}, {"language", "en"}}}));
  CHECK(asked.fault("/detect", "{}") == "q: expected a text, given none");
  const Json settings = asked.get("/frontend/settings").json;
  CHECK(settings.at("charLimit") == 200);
  CHECK(settings.at("keyRequired") == false);
  CHECK(settings.at("language").at("target").at("code") == "de");
}

TEST_CASE("api: DeepL's fields") {
  AskedApi asked;
  const Json two = {{"text", {kTexts[0], "a\nb"}}, {"target_lang", "DE"}};
  const Told told = asked.post("/v2/translate", two);
  REQUIRE(told.status == 200);
  const Json& list = told.json.at("translations");
  REQUIRE(list.size() == 2);
  CHECK(list.at(0).at("detected_source_language") == "EN");
  CHECK(list.at(0).at("billed_characters") == characters_of(kTexts[0]));
  CHECK(list.at(0).at("text") == translated({kTexts[0]}, {}).at(0).text);
  const Told form =
      asked.form("/v2/translate",
                 "text=the+old+man+sees+a+bridge+.&text=a%0Ab&target_lang=de&source_lang=en-GB&"
                 "preserve_formatting=1&split_sentences=1");
  CHECK(form.json == told.json);
  const auto split = [&](const char* how) {
    const Told one = asked.post(
        "/v2/translate",
        Json{{"text", {"she .\nit ."}}, {"target_lang", "DE"}, {"split_sentences", how}});
    REQUIRE(one.status == 200);
    const std::string text = one.json.at("translations").at(0).at("text");
    return std::count(text.begin(), text.end(), '\n');
  };
  CHECK(split("0") == 1);
  CHECK(split("1") == 1);
  CHECK(split("nonewlines") == 0);
  const Told html =
      asked.post("/v2/translate",
                 Json{{"text", "<b>it</b>"}, {"target_lang", "DE"}, {"tag_handling", "html"}});
  CHECK(contains(html.json.at("translations").at(0).at("text").get<std::string>(), "</b>"));

  const auto fault = [&](const std::string& body) { return asked.fault("/v2/translate", body); };
  CHECK(fault(R"({"target_lang": "DE"})") == "text: expected a text, given none");
  CHECK(fault(R"({"text": ["a"]})") == "target_lang: expected a language, given none");
  CHECK(fault(R"({"text": ["a"], "target_lang": "DE", "tag_handling": "xml"})") ==
        "tag_handling: expected html or none, given xml");
  CHECK(fault(R"({"text": ["a"], "target_lang": "DE", "formality": "more"})")
            .starts_with("formality: expected one of auth_key, "));
  CHECK(fault(R"({"text": ["a"], "target_lang": "DE", "split_sentences": "2"})") ==
        "split_sentences: expected one of 0, 1, nonewlines, given \"2\"");
  CHECK(fault(R"({"text": ["a"], "target_lang": "DE", "preserve_formatting": "yes"})") ==
        "preserve_formatting: expected true or false, given \"yes\"");
}

TEST_CASE("api: without a key that it knows, nobody is served where keys are asked for") {
  AskedApi asked({.limits = small_limits(), .keys = {"secret", "other"}});
  const std::string body = Json{{"q", "it"}, {"target", "de"}}.dump();
  const std::string json = "application/json";
  CHECK(asked.post("/translate", body).status == 403);
  CHECK(asked.post("/translate", body).json.at("error") == "expected a key, given none");
  CHECK(asked.post("/translate", body, json, "Bearer secre").status == 403);
  CHECK(asked.post("/translate", body, json, "Bearer secrets").status == 403);
  CHECK(asked.post("/translate", body, json, "Bearer secret").status == 200);
  CHECK(asked.post("/translate", body, json, "bearer other").status == 200);
  CHECK(asked.post("/translate", "", json).json.at("error") == "expected a key, given none");
  CHECK(asked.form("/translate", "q=it&target=de&api_key=secret").status == 200);
  CHECK(asked.form("/detect", "q=it&api_key=other").status == 200);
  CHECK(asked.form("/detect", "q=it&api_key=no").status == 403);
  const std::string deepl = Json{{"text", {"it"}}, {"target_lang", "DE"}}.dump();
  CHECK(asked.post("/v2/translate", deepl, json, "DeepL-Auth-Key secret").status == 200);
  const Told no = asked.post("/v2/translate", deepl, json, "DeepL-Auth-Key no");
  CHECK(no.status == 403);
  CHECK(no.json.at("message") == "expected a key that is known, given another");
  const Told openai = asked.get("/v1/models");
  CHECK(openai.status == 401);
  CHECK(openai.json.at("error").at("type") == "authentication_error");
  CHECK(asked.get("/frontend/settings").json.at("keyRequired") == true);
  for (const char* open : {"/health", "/ready", "/metrics", "/openapi.json", "/languages"}) {
    CHECK(asked.get(open).status == 200);
    CHECK(asked.ask({.method = "GET", .path = open, .headers = {{"content-type", json}}}).status ==
          200);
  }
}

TEST_CASE("api: other methods and paths, and what watches a server") {
  AskedApi asked;
  const auto allowed = [&](const std::string& method, const std::string& path) {
    const Told told = asked.ask({.method = method, .path = path});
    CHECK(told.status == 405);
    for (const auto& [name, value] : told.answer.headers) {
      if (name == "Allow") return value;
    }
    return std::string();
  };
  CHECK(allowed("GET", "/translate") == "POST");
  CHECK(allowed("DELETE", "/v1/completions") == "POST");
  CHECK(allowed("POST", "/v1/models") == "HEAD, GET");
  CHECK(allowed("PUT", "/v1/models/gpt") == "HEAD, GET");
  CHECK(allowed("POST", "/health") == "HEAD, GET");
  CHECK(asked.ask({.method = "HEAD", .path = "/languages"}).status == 200);
  CHECK(asked.get("/etc/passwd").json.at("error").is_string());
  CHECK(asked.get("/v1/none").json.at("error").at("type") == "not_found_error");
  CHECK(asked.get("/v2/none").json.at("message").is_string());
  for (const char* path : {"/none", "/v1/none", "/v2/none", "/translate/", "//translate"}) {
    CHECK(asked.get(path).status == 404);
  }

  CHECK(asked.get("/health").json == Json{{"status", "ok"}});
  CHECK(asked.get("/ready").status == 200);
  asked.api().drain();
  CHECK(asked.get("/ready").status == 503);
  CHECK(asked.get("/health").status == 200);
  const Told metrics = asked.get("/metrics");
  CHECK(metrics.answer.type == "text/plain; version=0.0.4");
  CHECK(contains(metrics.answer.body, "kette_requests_total{api=\"watch\",code=\"200\"} 3\n"));
  CHECK(contains(metrics.answer.body, "kette_requests_total{api=\"watch\",code=\"503\"} 1\n"));
  CHECK(contains(metrics.answer.body, "kette_requests_total{api=\"none\",code=\"404\"} 4\n"));
}

TEST_CASE("api: time that is over, and clients that go") {
  ServeLimits limits = small_limits();
  limits.seconds = 1e-9;
  AskedApi late({.limits = limits});
  const Told told = late.post("/v2/translate", Json{{"text", "it"}, {"target_lang", "DE"}});
  CHECK(told.status == 504);
  CHECK(told.answer.headers.at(0).first == "x-should-retry");

  AskedApi asked;
  RecordedExchange gone({.method = "POST",
                         .path = "/translate",
                         .headers = {{"content-type", "application/json"}},
                         .body = Json{{"q", "it"}, {"target", "de"}}.dump()});
  gone.is_gone = true;
  CHECK_THROWS_AS(asked.api().handle(gone), ClientGone);
  CHECK_FALSE(gone.is_answered);
  CHECK(contains(asked.get("/metrics").answer.body,
                 "kette_cancelled_total{api=\"libretranslate\"} 1"));
}

TEST_CASE("api: each request has a line in the log, also without an answer") {
  std::vector<std::string> lines;
  AskedApi asked(
      {.limits = small_limits(), .log = [&](const std::string& line) { lines.push_back(line); }});
  asked.post("/detect", Json{{"q", "it"}});
  RecordedExchange gone({.method = "POST", .path = "/translate", .body = "q=it&target=de"});
  gone.is_gone = true;
  CHECK_THROWS_AS(asked.api().handle(gone), ClientGone);
  CHECK(asked.api().refuse(413, "too long").status == 413);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].starts_with("POST /detect 200 10 bytes "));
  CHECK(lines[1].starts_with("POST /translate 499 14 bytes "));
  CHECK(lines[2] == "- - 413 - bytes - s");
}

TEST_CASE("api: models that were replaced hold up nobody while they end") {
  Api api(tiny_models(), {});
  std::thread other;
  bool is_answered = false;
  const auto end = [&](const ServedModels* models) {
    std::promise<void> promise;
    std::future<void> asked = promise.get_future();
    other = std::thread([&api, promise = std::move(promise)]() mutable {
      static_cast<void>(api.models());
      promise.set_value();
    });
    is_answered = asked.wait_for(std::chrono::seconds(5)) == std::future_status::ready;
    delete models;
  };
  api.replace(std::shared_ptr<const ServedModels>(new ServedModels, end));
  api.replace(tiny_models());
  other.join();
  CHECK(is_answered);
}
