// The page of a server: with and without scripts, as people and their browsers have it.
#include <doctest/doctest.h>

#include <thread>

#include "data/tokenizers/byte_tokenizer.h"
#include "models/gpt.h"
#include "models/model_directory.h"
#include "serve/page.h"
#include "tests/cli/run_kette.h"
#include "tests/data/tiny_text.h"
#include "tests/inspect/browser.h"

using namespace kette;
using namespace kette::testing;

namespace {

class StubExchange final : public HttpExchange {
 public:
  explicit StubExchange(HttpRequest request) : request_(std::move(request)) {}
  const HttpRequest& request() const override { return request_; }
  void check() const override {}
  void answer(const HttpAnswer& answer) override { answered = answer; }
  void begin_stream(const HttpAnswer&) override {}
  void write(std::string_view) override {}
  void end_stream() override {}

  HttpAnswer answered{};

 private:
  HttpRequest request_;
};

/// A model that translates and one that writes, both with values of hardly any use.
std::shared_ptr<const ServedModels> small_models() {
  static const auto models = [] {
    static const ScratchFolder folder;
    const auto& small = dynamic_cast<const GptConfig&>(*gpt_family().small_models.front().second);
    GptConfig config = small;
    config.vocabulary = ByteTokenizer().vocabulary();
    Gpt gpt(config);
    gpt.materialize(1);
    save_description(folder.path(), config, ByteTokenizer());
    save_parameters(folder / kModelFile, gpt.parameters(), {});
    const std::vector<NamedFolder> folders = {{"en-de", SmallModel::get().model()},
                                              {"letters", folder.path()}};
    return std::make_shared<const ServedModels>(load_served_models(folders, {}, {.threads = 1}));
  }();
  return models;
}

HttpAnswer ask(Api& api, const std::string& method, const std::string& path,
               const std::string& query, const std::string& body = "") {
  HttpRequest request{method, path, query, {}, body};
  if (!body.empty()) {
    request.headers.emplace_back("content-type", "application/x-www-form-urlencoded");
  }
  StubExchange exchange(request);
  api.handle(exchange);
  return exchange.answered;
}

std::string header(const HttpAnswer& answer, const std::string& name) {
  for (const auto& [key, value] : answer.headers) {
    if (key == name) return value;
  }
  return "";
}

}  // namespace

TEST_CASE("page: forms are answered with the page, and what comes out is text") {
  Api api(small_models(), {});
  const HttpAnswer empty = ask(api, "GET", "/", "");
  CHECK(empty.status == 200);
  CHECK(empty.type == "text/html; charset=utf-8");
  CHECK(contains(empty.body, "English \u2192 German"));
  CHECK(contains(empty.body, "name=\"prompt\""));
  CHECK_FALSE(contains(empty.body, "name=\"api_key\" autocomplete"));
  CHECK_FALSE(contains(empty.body, "http:"));
  CHECK_FALSE(contains(empty.body, "https:"));
  const std::string rules = header(empty, "Content-Security-Policy");
  CHECK(rules.starts_with("default-src 'none'; "));
  CHECK_FALSE(contains(rules, "unsafe"));
  const std::size_t nonce = rules.find("script-src 'nonce-") + 18;
  CHECK(contains(empty.body, "<script nonce=\"" + rules.substr(nonce, 32) + "\">"));
  CHECK(rules != header(ask(api, "GET", "/", ""), "Content-Security-Policy"));
  CHECK(header(empty, "X-Content-Type-Options") == "nosniff");
  CHECK(header(empty, "Referrer-Policy") == "no-referrer");

  const HttpAnswer found = ask(
      api, "POST", "/", "",
      "model=en-de&alternatives=2&q=the+cat+sees+music+.%0D%0A%3Cscript%3Ealert(1)%3C%2Fscript%3E");
  CHECK(found.status == 200);
  CHECK(header(found, "Cache-Control") == "no-store");
  TranslationCall call{.texts = {"the cat sees music .\n<script>alert(1)</script>"}};
  call.search.n_best = 3;
  call.with_sentences = true;
  const TranslatedTexts::One expected =
      small_models()->translators.front()->translate(call, [] {}).texts.front();
  REQUIRE(expected.sentences.size() == 2);
  CHECK(expected.sentences[0].source == "the cat sees music .");
  CHECK(expected.sentences[1].source == "<script>alert(1)</script>");
  const TranslatedTexts::One address =
      small_models()
          ->translators.front()
          ->translate({.texts = {"the cat http://a.de/b sees ."}, .with_sentences = true}, [] {})
          .texts.front();
  REQUIRE(address.sentences.size() == 1);
  CHECK(address.sentences[0].source == "the cat http://a.de/b sees .");
  CHECK(address.sentences[0].plain == "the cat sees .");
  CHECK(address.sentences[0].text == address.text);
  CHECK(contains(address.text, "http://a.de/b"));
  CHECK_FALSE(expected.sentences[0].alternatives.empty());
  CHECK(contains(found.body, translation_html(expected, *small_models()->translators.front())));
  CHECK(
      contains(found.body, "href=\"./explain?model=en-de&amp;text=the%20cat%20sees%20music%20.\""));
  CHECK(contains(
      found.body,
      "dir=\"auto\">\nthe cat sees music .&#10;&lt;script&gt;alert(1)&lt;/script&gt;</textarea>"));
  CHECK_FALSE(contains(found.body, "<script>alert"));
  const HttpAnswer part = ask(api, "POST", "/", "", "model=en-de&part=1&q=the+cat");
  CHECK(part.body.starts_with("<div class=\"result\""));
  CHECK(contains(ask(api, "POST", "/", "", "model=en-de&part=1&q=+").body,
                 "The translation comes here."));

  const std::string seeded = "model=letters&max_tokens=5&seed=7&prompt=%3Cb%3E";
  const HttpAnswer written = ask(api, "POST", "/", "", seeded);
  CHECK(written.status == 200);
  CHECK(contains(written.body, "<span class=\"given\">&lt;b&gt;</span>"));
  CHECK(contains(written.body, "Seed 7. "));
  const auto answer_in = [](const std::string& page) {
    return page.substr(page.find("class=\"given\""), 200);
  };
  CHECK(answer_in(written.body) == answer_in(ask(api, "POST", "/", "", seeded).body));
}

TEST_CASE("page: doubts are marked and told, and so is what stands as it was") {
  TranslatedTexts::One found{"7 <i> b. <i> c b."};
  found.sentences = {{"7 x.", "7 <i> b.", "7 x.", {"<u>"}}, {"<i>", "<i>"}, {"c 8", "c b."}};
  found.sentences[1].notes.copied = true;
  found.sentences[2].notes.missing_numbers = {"8"};
  found.sentences[2].notes.is_short = found.sentences[2].notes.loops = true;
  found.sentences[0].notes.carried = 1;
  found.sentences[0].notes.unknown = {"<", "&"};
  const std::string html = translation_html(found, *small_models()->translators.front());
  CHECK(contains(html,
                 "dir=\"auto\">7 &lt;i&gt; b. <span class=\"kept\">&lt;i&gt;</span> "
                 "<span class=\"doubt\">c b.</span></div>"));
  CHECK(contains(html, "Carried over as it was: &lt;, &amp;, which the model does not know."));
  CHECK(contains(html, "<li>&lt;u&gt;</li>"));
  CHECK(contains(html, "A number of the source is missing: 8."));
  CHECK(contains(html, "It runs in circles."));
  CHECK(contains(html, "It is far shorter than its source."));
}

TEST_CASE("page: errors are words beside the form as it was, and keys are asked for") {
  Api api(small_models(), {.limits = {.characters = 10}});
  const HttpAnswer refused = ask(api, "POST", "/", "", "model=en-de&q=%3Ca%3E+cat+sees");
  CHECK(refused.status == 400);
  CHECK(contains(refused.body,
                 "role=\"alert\">text: expected at most 10 characters, given 12</div>"));
  CHECK(contains(refused.body, ">\n&lt;a&gt; cat sees</textarea>"));
  CHECK(
      ask(api, "POST", "/", "", "model=en-de&part=1&q=the+cat+sees").body ==
      "<div class=\"result error\" role=\"alert\">text: expected at most 10 characters, given 12</div>");
  CHECK(ask(api, "POST", "/", "", "model=fr-de&q=a").status == 404);
  CHECK(ask(api, "POST", "/", "", "model=letters&prompt=a&top_p=2").status == 400);
  CHECK(contains(ask(api, "GET", "/metrics", "").body,
                 "kette_requests_total{api=\"page\",code=\"400\"} 3"));
  CHECK(ask(api, "GET", "/else", "").status == 404);
  Api narrow(small_models(), {.limits = {.tokens = 3, .beam = 2}});
  const HttpAnswer many = ask(narrow, "POST", "/", "", "model=en-de&alternatives=2&q=the+cat");
  CHECK(many.status == 400);
  CHECK(contains(many.body, "alternatives: expected a number from 0 to 1, given 2"));
  CHECK_FALSE(contains(ask(narrow, "GET", "/", "").body, "<option value=\"2\""));
  const std::string writes = "part=1&model=letters&seed=7&prompt=ab";
  CHECK(ask(narrow, "POST", "/", "", writes).body ==
        ask(narrow, "POST", "/", "", writes + "&max_tokens=3").body);

  Api locked(small_models(), {.keys = {"secret"}});
  const HttpAnswer open = ask(locked, "GET", "/", "");
  CHECK(open.status == 200);
  CHECK(contains(open.body, "name=\"api_key\""));
  const HttpAnswer closed = ask(locked, "POST", "/", "", "model=en-de&q=the+cat&api_key=other");
  CHECK(closed.status == 403);
  CHECK(contains(closed.body, "expected a key that is known, given another"));
  CHECK_FALSE(contains(closed.body, "\"other\""));
  CHECK(ask(locked, "POST", "/", "", "model=en-de&q=the+cat&api_key=secret").status == 200);
  const HttpAnswer link = ask(locked, "GET", "/explain", "model=en-de&text=the+cat");
  CHECK(link.status == 403);
  CHECK(contains(link.body, "<form method=\"post\" action=\"./explain\">"));
  CHECK(contains(link.body, "name=\"text\" value=\"the cat\""));
  CHECK(ask(locked, "POST", "/explain", "", "model=en-de&text=the+cat&api_key=secret").status ==
        200);
}

TEST_CASE("page: a sentence leads to the page of kette explain") {
  Api api(small_models(), {});
  const HttpAnswer found =
      ask(api, "GET", "/explain", "model=en-de&text=the%20cat%20sees%20music%20.");
  CHECK(found.status == 200);
  CHECK(contains(found.body, "<h1>the cat sees music .</h1>"));
  CHECK(contains(found.body, "How en-de, a translation model"));
  const std::string rules = header(found, "Content-Security-Policy");
  const std::string nonce = rules.substr(rules.find("script-src 'nonce-") + 18, 32);
  CHECK(contains(found.body, "<script nonce=\"" + nonce + "\">"));
  CHECK_FALSE(contains(found.body, "<script>"));
  CHECK(header(found, "Cache-Control") == "no-store");
  const HttpAnswer text = ask(api, "GET", "/explain", "model=letters&text=abc");
  CHECK(text.status == 200);
  CHECK(contains(text.body, "How letters, a "));
  const HttpAnswer longer =
      ask(api, "GET", "/explain", "model=letters&text=" + std::string(129, 'a'));
  CHECK(longer.status == 400);
  CHECK(contains(longer.body, "expected at most 128 tokens, given 129 (take a part of the text)"));
  CHECK(ask(api, "GET", "/explain", "model=letters&text=a").status == 400);
  CHECK(ask(api, "GET", "/explain", "model=none&text=a").status == 404);
}

namespace {

/// Has a script of its own in each page, which the page's rules allow: a person's part.
class PersonExchange final : public HttpExchange {
 public:
  PersonExchange(HttpExchange& other, const std::string& script) : other_(other), script_(script) {}
  const HttpRequest& request() const override { return other_.request(); }
  void check() const override { other_.check(); }
  void answer(const HttpAnswer& answer) override {
    HttpAnswer with_script = answer;
    const std::string rules = header(answer, "Content-Security-Policy"),
                      start = "script-src 'nonce-";
    const std::size_t end = answer.body.rfind("</body>"), nonce = rules.find(start);
    if (request().method == "GET" && end != std::string::npos && nonce != std::string::npos) {
      with_script.body.insert(end, "<script nonce=\"" + rules.substr(nonce + start.size(), 32) +
                                       "\">" + script_ + "</script>");
    }
    other_.answer(with_script);
  }
  void begin_stream(const HttpAnswer& head) override { other_.begin_stream(head); }
  void write(std::string_view part) override { other_.write(part); }
  void end_stream() override { other_.end_stream(); }

 private:
  HttpExchange& other_;
  std::string script_;
};

/// A server whose visitors do what a script says.
class Visited {
 public:
  Visited(Api& api, const std::string& script)
      : Visited([&api](HttpExchange& exchange) { api.handle(exchange); }, script) {}
  Visited(const HttpServer::Handle& handle, const std::string& script)
      : server_(
            {},
            [handle, script](HttpExchange& exchange) {
              PersonExchange person(exchange, script);
              handle(person);
            },
            [](int status, const std::string& why) {
              return HttpAnswer{.status = status, .body = why};
            }),
        thread_([this] { server_.run(HttpServer::Seconds(2)); }) {}
  ~Visited() {
    server_.stop();
    thread_.join();
  }
  std::string address() const { return "http://127.0.0.1:" + std::to_string(server_.port()) + "/"; }

 private:
  HttpServer server_;
  std::thread thread_;
};

constexpr const char* kTypes = R"js(
  const typed = (name, text) => {
    const area = document.querySelector(`[name=${name}]`);
    area.value = text;
    area.dispatchEvent(new Event("input", { bubbles: true }));
    return area.form;
  };
)js";

}  // namespace

TEST_CASE("page: in a browser it translates as one types, and goes on with a text") {
  KETTE_NEEDS_BROWSER();
  Api api(small_models(), {.keys = {"secret"}});
  Visited visited(api, std::string(kTypes) + R"js(
    typed("api_key", "secret");
    typed("q", "the cat");
    typed("q", "the cat sees <b>music</b> .\nbread");
    document.querySelector("[name=max_tokens]").value = 9;
    document.querySelector("[name=seed]").value = 7;
    typed("prompt", "<b>").requestSubmit();
    HTMLFormElement.prototype.submit = function () {
      document.body.append([this.method, this.getAttribute("action"), new URLSearchParams(new FormData(this))].join(" "));
    };
    setTimeout(() => document.querySelector("a.explain").click(), 2000);
  )js");
  const Opened opened = open_address(visited.address());
  CHECK(opened.console.empty());
  CHECK(contains(opened.document, "<html lang=\"en\" class=\"live\">"));
  CHECK(contains(
      opened.document,
      "<p class=\"source\" lang=\"en\" dir=\"auto\">the cat sees &lt;b&gt;music&lt;/b&gt; .</p>"));
  CHECK(contains(opened.document, "text=the%20cat%20sees%20%3Cb%3Emusic%3C%2Fb%3E%20."));
  CHECK(contains(opened.document, "<span class=\"given\">&lt;b&gt;</span>"));
  CHECK(contains(opened.document, ". Seed 7. "));
  CHECK(contains(opened.document,
                 "post " + visited.address() + "explain model=en-de&amp;text=the+cat"));
  CHECK(contains(opened.document, "&amp;api_key=secret"));
  CHECK_FALSE(contains(opened.document, "aria-busy=\"true\""));

  Api strict(small_models(), {.limits = {.characters = 3}, .keys = {"secret"}});
  Visited refused(strict, std::string(kTypes) + "typed('api_key', 'secret'); typed('q', 'cats');");
  CHECK(
      contains(open_address(refused.address()).document, "expected at most 3 characters, given 4"));
  Api open(small_models(), {});
  Visited explained(open, "document.body.append('may run')");
  const Opened page = open_address(explained.address() + "explain?model=en-de&text=the+cat");
  CHECK(page.console.empty());
  CHECK(contains(page.document, "may run"));
  CHECK(contains(page.document, "<button type=\"button\">"));  // which a script makes
  Visited unknown(api, std::string(kTypes) + "typed('prompt', 'cats').requestSubmit();");
  CHECK(contains(open_address(unknown.address()).document, "expected a key, given none"));
}

TEST_CASE("page: in a browser a text that breaks off stays, and what is wrong stands below it") {
  KETTE_NEEDS_BROWSER();
  Api api(small_models(), {});
  const std::pair<std::string, std::string> ends[] = {
      {"event: error\ndata: {\"error\": {\"message\": \"too late\"}}\n\n", "too late"},
      {"", "The server's answer has broken off."}};
  for (const auto& one : ends) {
    const auto breaks_off = [&](HttpExchange& exchange) {
      if (exchange.request().method == "GET") return api.handle(exchange);
      exchange.begin_stream({.type = "text/event-stream"});
      exchange.write("data: {\"choices\": [{\"text\": \"cd\", \"finish_reason\": null}]}\n\n");
      exchange.write(one.first);
      exchange.end_stream();
    };
    Visited visited(breaks_off, std::string(kTypes) + "typed('prompt', 'ab').requestSubmit();");
    const std::string document = open_address(visited.address()).document;
    CHECK(contains(document, "<span class=\"given\">ab</span>cd</div>"));
    CHECK(contains(document, "Broken off. Seed "));
    CHECK(contains(document, ">" + one.second + "</div>"));
  }
}

TEST_CASE("page: it fits phones and desks, light and dark") {
  KETTE_NEEDS_BROWSER();
  // KETTE_PICTURES names a folder where the pictures stay, to be looked at.
  const ScratchFolder scratch;
  const char* named = std::getenv("KETTE_PICTURES");
  const std::filesystem::path folder = named ? std::filesystem::path(named) : scratch.path();
  Api api(small_models(), {});
  Visited visited(api, std::string(kTypes) + R"js(
    typed("q", "the cat sees music .\n" + "bread".repeat(60) + "\n7 <b>");
    setTimeout(() => document.body.append("wide " + (document.documentElement.scrollWidth > innerWidth)), 2000);
  )js");
  for (const std::string width : {"400", "1280"}) {
    for (const bool dark : {false, true}) {
      const std::filesystem::path picture = folder / (width + (dark ? "-dark.png" : "-light.png"));
      const std::string look = " --hide-scrollbars --window-size=" + width +
                               ",900 --blink-settings=preferredColorScheme=" + (dark ? "0" : "1");
      CHECK(contains(open_address(visited.address(), look).document, "wide false"));
      open_address(visited.address(), look + " --screenshot=" + picture.string());
      CHECK(read_file(picture).starts_with("\x89PNG"));
    }
  }
}
