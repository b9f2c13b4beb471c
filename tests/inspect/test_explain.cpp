// `kette explain` and the beam's tree, as a person would use them.
#include <doctest/doctest.h>

#include <cmath>

#include "data/tokenizers/byte_tokenizer.h"
#include "decode/tree_parser.h"
#include "inspect/page/html.h"
#include "inspect/passes/explanation_report.h"
#include "inspect/passes/token_drawings.h"
#include "tests/cli/call_kette.h"
#include "tests/data/treebank.h"
#include "tests/inspect/browser.h"
#include "tests/inspect/inspected_models.h"
#include "tests/toy_trees.h"

using namespace kette;
using namespace kette::testing;

TEST_CASE("beam tree: it finds what the search finds, and its branches hang together") {
  const OneThread one;
  int dropped = 0;  // end marks among the worse half of a full beam's candidates
  for (const int vocabulary : {611, 12}) {
    TransformerConfig config = small_config();
    config.vocabulary = vocabulary;
    const auto model = random_model(config);
    const auto ready = model->for_decoding();
    for (const BeamKind kind : {BeamKind::narrowing, BeamKind::full}) {
      for (const Ids& source : random_sentences(4, vocabulary, 7)) {
        SearchOptions options;
        options.kind = kind;
        options.n_best = 3;
        options.extra_length = 6;
        const auto expected = translate_ids(*ready, {source}, options).front();
        Request request{0, source, {2}};
        request.source.push_back(3);
        request.banned = banned_in_translations(model->special(), true);
        const BeamTree tree =
            beam_tree(*ready, options, std::ssize(source) + 6, 3, std::move(request));
        REQUIRE(tree.n_best.size() == expected.size());
        CHECK(tree.n_best.front().tokens == expected.front().tokens);
        CHECK(tree.n_best.front().log_probability == expected.front().log_probability);
        Ids best;
        for (std::size_t step = 0; step < tree.steps.size(); ++step) {
          for (std::size_t place = 0; place < tree.steps[step].size(); ++place) {
            const BeamBranch& branch = tree.steps[step][place];
            if (place >= 5 && branch.token == 3) {
              CHECK(std::string(branch.fate()) == "dead");
              ++dropped;
            }
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
  CHECK(dropped > 0);
}

TEST_CASE("explain: of a parser the tree that it writes, whatever it finds likely") {
  const OneThread one;
  const TreeTokenizer::Shared tokenizer = toy_tree_tokenizer(trees_in(toy_trees(60, 3)));
  TransformerConfig config = small_config(NormOrder::pre);
  config.vocabulary = tokenizer->vocabulary();
  config.source_vocabulary = tokenizer->source_vocabulary();
  const auto model = random_model(config);
  const TreeParser parser(*model, tokenizer);
  const std::string line = "the cat ( sees ) a dog .";
  SearchOptions options = parse_options();
  options.beam = 3;
  const Parse parse = parser.parse({line}, options).front();
  const Explanation e = explain_translation(*model, tokenizer, line, options);
  CHECK(e.translation == tokenizer->decode(parse.hypothesis.tokens));
  CHECK(e.encoder_exits.back() == e.translation);
  for (const WithoutHead& without : e.without) {
    CHECK(words_of(tree_of(split_words(without.translation), split_words("a b c d e f g h")))
              .size() == 8);
  }
  CHECK_THROWS_WITH(explain_translation(*model, tokenizer, " ", options),
                    "explain: expected a sentence, given no tokens");
}

TEST_CASE("explain: every piece can be seen, and told from any other") {
  CHECK(shown_piece("said") == "said");
  CHECK(shown_piece(" said") == "\u2423said");
  CHECK(shown_piece("  ") == "\u2423\u2423");
  CHECK(shown_piece("\n\n") == "\u21B5\u21B5");
  CHECK(shown_piece("a\t\x7F") == "a\u2409\u2421");
  CHECK(shown_piece("") == "(end)");
  CHECK(shown_piece("\u2581M\u00E4n") == "\u2581M\u00E4n");  // pieces of SentencePiece as they are
  CHECK(shown_piece("\xE2\x82") == "\\xe2\\x82");            // a part of a character
}

TEST_CASE("explain: a translation as tables, as JSON and as a page that a browser opens") {
  const SmallModel& small = SmallModel::get();
  const ScratchFolder folder;
  const std::string out = (folder / "page.html").string();
  const Outcome outcome = call_kette({"explain", "--model", small.model(), "the cat sees music .",
                                      "--out", out, "--json", "--beam", "3"});
  REQUIRE(outcome.code == 0);
  CHECK(contains(outcome.out, "what gave it the lead"));
  const JsonView json = outcome.json();
  RunOptions input;
  input.input = "the cat sees music .\n";
  const Outcome translated =
      run_kette({"translate", "--no-mend", "--model", small.model(), "--beam", "3"}, input);
  CHECK(json["text"].text() + "\n" == translated.out);
  CHECK(json["without_head"].size() == 6);  // two heads of three attentions
  CHECK(json["encoder_exits"].back() == json["text"]);
  double sum = 0, apart = 0;
  for (const JsonView& word : json["words"]) sum += word["log_probability"].get<double>();
  CHECK(sum == doctest::Approx(json["log_probability"].get<double>()));
  const JsonView& first = json["words"][0];
  for (const std::string& part : first["logit_parts"].keys()) {
    apart += first["logit_parts"][part].get<double>() -
             first["runner_up_logit_parts"][part].get<double>();
  }
  CHECK(apart == doctest::Approx(first["log_probability"].get<double>() -
                                 first["runner_up_log_probability"].get<double>())
                     .epsilon(1e-3));
  const std::size_t words = json["words"].size();
  CHECK(json["beam"]["n_best"][0]["text"] == json["text"]);
  CHECK(json["beam"]["steps"][0].size() == 3);
  CHECK(json["beam"]["steps"][0][0]["parent"].is_null());
  CHECK(json["lens_guesses"].back()[0][0]["says"] == json["lens"].back()[0]);
  CHECK(json["lens_divergence"].back() == std::vector<double>(words, 0));
  CHECK(json["lens_entropy"].back()[0].get<double>() ==
        doctest::Approx(first["entropy"].get<double>()));
  CHECK_FALSE(json.contains("attention"));
  const Outcome with_maps = call_kette({"explain", "--model", small.model(), "the cat sees music .",
                                        "--json", "--beam", "3", "--maps"});
  REQUIRE(with_maps.code == 0);
  const JsonView heads = with_maps.json()["attention"];
  REQUIRE(heads.size() == 6);
  for (const JsonView& row : heads[5]["probabilities"]) {
    double all = 0;
    for (const JsonView& p : row) all += p.get<double>();
    CHECK(all == doctest::Approx(1));
  }
  CHECK(heads[5]["norms"].size() == words);
  CHECK(heads[5]["norms"][0].size() == json["source"].size());
  const std::string page = checked_page(out);
  // The parts that the terminal names are those that the page does.
  std::istringstream printed(outcome.out);
  std::size_t rows = 0;
  for (std::string line; std::getline(printed, line) && rows < words;) {
    const std::size_t parts = line.rfind("%  ");
    if (parts == std::string::npos) continue;
    CHECK(contains(page, ": " + line.substr(parts + 3) + "</summary>"));
    ++rows;
  }
  CHECK(rows == words);
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
  for (int i = 0; i < 200; ++i) text += "the cat sees\nthe dog. ";
  write_file(path("text"), text);
  const Outcome trained = call_kette(
      {"train",       "--text",      path("text"), "--valid-text", path("text"), "--out",
       path("model"), "--tokenizer", "character",  "--layers",     "2",          "--width",
       "16",          "--heads",     "2",          "--hidden",     "32",         "--context",
       "32",          "--steps",     "4",          "--quiet",      "--threads",  "1"});
  INFO(trained.err);
  REQUIRE(trained.code == 0);
  const Outcome outcome = call_kette({"explain", "--model", path("model"), "--text", "the cat <b>&",
                                      "--out", path("page.html"), "--json"});
  INFO(outcome.err);
  CHECK(outcome.code == 1);  // the model has no character for that
  const Outcome good = call_kette({"explain", "--model", path("model"), "--text", "the\ncat sees",
                                   "--out", path("page.html"), "--json"});
  INFO(good.err);
  REQUIRE(good.code == 0);
  const std::size_t table = good.out.find("\nsays "), end = good.out.find("\n\n", table);
  CHECK(std::count(good.out.begin() + std::ptrdiff_t(table), good.out.begin() + std::ptrdiff_t(end),
                   '\n') == 13);  // a line each
  CHECK(contains(good.out, "\n\u21B5  "));
  CHECK(contains(good.out, "\n\u2423  "));
  const JsonView json = good.json();
  CHECK(json["words"].size() == 12);
  CHECK(json["lens"].size() == 3);
  CHECK(json["source"].empty());
  CHECK(json["words"][4]["reads"] == "c");
  CHECK(json["words"][3]["reads"] == "\n");
  const std::string page = checked_page(path("page.html"));
  CHECK(contains(page, "<td class=\"text\">\u21B5</td>"));
  CHECK(contains(page, "\"\u2423\""));  // a label of the maps
  CHECK(call_kette({"explain", "--model", path("model"), "the cat"})
            .says("is a language model, given a sentence"));
  CHECK(call_kette({"explain", "--model", path("model"), "--text", "t"})
            .says("expected a text of at least 2 tokens, given 1"));
  KETTE_NEEDS_BROWSER();
  CHECK(open_page(page).console == "");
}

TEST_CASE("explain: what might follow a text is not judged as a part of it, nor said anew") {
  const OneThread one;
  const SharedTokenizer tokenizer = std::make_shared<ByteTokenizer>();
  GptConfig config = small_gpt();
  config.vocabulary = tokenizer->vocabulary();
  Gpt model(config);
  model.materialize(1);
  Explanation e = explain_text(model, tokenizer, "the cat", {}, 1);
  REQUIRE(e.known == 6);  // all but the first
  REQUIRE(e.predictions.size() == 7);
  e.predictions.back().log_probability = -1000;
  double least = 0;
  for (std::size_t i = 0; i < e.known; ++i) {
    least = std::min(least, e.predictions[i].log_probability);
  }
  const Report report = to_report(e, false);
  CHECK(contains(report.lead, "(" + fixed(100 * std::exp(least), 1) + " %); the whole text"));
  CHECK(contains(as_text(report), "least likely: change of log P\n"));
  CHECK_FALSE(contains(as_page(report), "What it would then say"));
}

TEST_CASE("explain: what makes no sense is refused") {
  const SmallModel& small = SmallModel::get();
  const auto explain = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"explain", "--model", small.model()});
    return call_kette(more);
  };
  CHECK(explain({}).code == 2);
  CHECK(explain({}).says("expected a sentence, or --text for a language model, given neither"));
  CHECK(explain({"a", "--text", "b"}).code == 2);
  CHECK(explain({"--text", "b"}).says("translates, given --text"));
  CHECK(explain({" "}).says("expected a sentence, given no tokens"));
  std::string words;
  for (int i = 0; i < 200; ++i) words += "the cat ";
  CHECK(explain({words}).says("expected at most 128 tokens"));
  CHECK(explain({"the cat", "--out", "/nowhere/page.html"}).code == 2);
  CHECK(explain({"the cat", "--maps"}).says("--maps: expected with --json beside it"));
}
