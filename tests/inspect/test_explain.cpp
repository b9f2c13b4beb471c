// `kette explain` and the beam's tree, as a person would use them.
#include <doctest/doctest.h>

#include "data/files/json_text.h"
#include "decode/translator.h"
#include "inspect/passes/beam_tree.h"
#include "tests/cli/run_kette.h"
#include "tests/inspect/browser.h"
#include "tests/inspect/inspected_models.h"

using namespace kette;
using namespace kette::testing;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("beam tree: it finds what the search finds, and its branches hang together") {
  const OneThread one;
  const auto model = random_model(small_config());
  const auto ready = model->for_decoding();
  for (const BeamKind kind : {BeamKind::narrowing, BeamKind::full}) {
    for (const Ids& source : random_sentences(4, 611, 7)) {
      SearchOptions options;
      options.kind = kind;
      options.n_best = 3;
      options.extra_length = 6;
      TranslateOptions search;
      static_cast<SearchOptions&>(search) = options;
      const auto expected = translate_ids(*ready, {source}, search).front();
      Ids ended = source;
      ended.push_back(3);
      const BeamTree tree = beam_tree(*ready, SearchVocabulary::of(model->special(), true), options,
                                      {0, {ended, {}}, 2, std::ssize(source) + 6});
      REQUIRE(tree.n_best.size() == expected.size());
      CHECK(tree.n_best.front().tokens == expected.front().tokens);
      CHECK(tree.n_best.front().log_probability == expected.front().log_probability);
      Ids best;
      for (std::size_t step = 0; step < tree.steps.size(); ++step) {
        for (const BeamBranch& branch : tree.steps[step]) {
          CHECK((branch.parent >= 0) == (step > 0));
          if (step > 0) CHECK(tree.steps[step - 1][branch.parent].goes_on);
          if (branch.finished) CHECK_FALSE(branch.goes_on);
          if (branch.is_best && branch.token != 3) best.push_back(branch.token);
        }
      }
      CHECK(best == expected.front().tokens);
    }
  }
}

TEST_CASE("explain: a translation as tables, as JSON and as a page that a browser opens") {
  const SmallModel& small = SmallModel::get();
  const ScratchFolder folder;
  const std::string out = (folder / "page.html").string();
  const Outcome outcome = run_kette({"explain", "--model", small.model(), "the cat sees music .",
                                     "--out", out, "--json", "--beam", "3"});
  REQUIRE(outcome.code == 0);
  CHECK(contains(outcome.out, "what gave it the lead"));
  const Json json = parse_json(outcome.last_line(), "explain");
  RunOptions input;
  input.input = "the cat sees music .\n";
  const Outcome translated =
      run_kette({"translate", "--model", small.model(), "--beam", "3"}, input);
  CHECK(json["text"].get<std::string>() + "\n" == translated.out);
  CHECK(json["without_head"].size() == 6);  // two heads of three attentions
  CHECK(json["encoder_exits"].back() == json["text"]);
  double sum = 0;
  for (const Json& word : json["words"]) sum += word["log_probability"].get<double>();
  CHECK(sum == doctest::Approx(json["log_probability"].get<double>()));
  const std::string page = checked_page(out);
  CHECK(json["page_bytes"].get<std::size_t>() == page.size());

  KETTE_NEEDS_BROWSER();
  const Opened opened = open_page(page, R"(
      document.querySelector('.token.said').dispatchEvent(new MouseEvent('click'));
      const opened = document.querySelectorAll('details[open]').length;
      [...document.querySelectorAll('.switch button')][1].click();
      const shown = [...document.querySelectorAll('.view')].filter((view) => !view.hidden).map((view) => view.dataset.view);
      document.querySelector('.view:not([hidden]) .map').click();
      const note = document.querySelector('dialog[open]').textContent;
      document.body.prepend(element('output', { textContent: [opened, shown.join(), note].join(' ; ') }));)");
  CHECK(opened.console == "");
  CHECK(contains(opened.document, "<output>1 ; norms,norms,norms ; "));
  CHECK(contains(opened.document, "Without this head log P is"));
}

TEST_CASE("explain: a text that a language model reads") {
  const ScratchFolder folder;
  const auto path = [&](const char* name) { return (folder / name).string(); };
  std::string text;
  for (int i = 0; i < 200; ++i) text += "the cat sees the dog. ";
  write_file(path("text"), text);
  const Outcome trained = run_kette(
      {"train",       "--text",      path("text"), "--valid-text", path("text"), "--out",
       path("model"), "--tokenizer", "character",  "--layers",     "2",          "--width",
       "16",          "--heads",     "2",          "--hidden",     "32",         "--context",
       "32",          "--steps",     "4",          "--quiet",      "--threads",  "1"});
  INFO(trained.err);
  REQUIRE(trained.code == 0);
  const Outcome outcome = run_kette({"explain", "--model", path("model"), "--text", "the cat <b>&",
                                     "--out", path("page.html"), "--json"});
  INFO(outcome.err);
  CHECK(outcome.code == 1);  // the model has no character for that
  const Outcome good = run_kette({"explain", "--model", path("model"), "--text", "the cat sees",
                                  "--out", path("page.html"), "--json"});
  INFO(good.err);
  REQUIRE(good.code == 0);
  const Json json = parse_json(good.last_line(), "explain");
  CHECK(json["words"].size() == 12);
  CHECK(json["lens"].size() == 3);
  CHECK(json["source"].empty());
  const std::string page = checked_page(path("page.html"));
  CHECK(run_kette({"explain", "--model", path("model"), "the cat"})
            .says("is a language model, given a sentence"));
  CHECK(run_kette({"explain", "--model", path("model"), "--text", "t"})
            .says("expected a text of at least 2 tokens, given 1"));
  KETTE_NEEDS_BROWSER();
  CHECK(open_page(page).console == "");
}

TEST_CASE("explain: what makes no sense is refused") {
  const SmallModel& small = SmallModel::get();
  const auto explain = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"explain", "--model", small.model()});
    return run_kette(more);
  };
  CHECK(explain({}).code == 2);
  CHECK(explain({}).says("expected a sentence, or --text for a language model, given neither"));
  CHECK(explain({"a", "--text", "b"}).code == 2);
  CHECK(explain({"--text", "b"}).says("translates, given --text"));
  CHECK(explain({" "}).says("expected a sentence, given no tokens"));
  std::string words;
  for (int i = 0; i < 200; ++i) words += "the cat ";
  CHECK(explain({words}).says("expected at most 128 tokens"));
  CHECK(explain({"the cat", "--out", "/nowhere/page.html"}).code == 1);
}
