// Masked language models from the command line: trained, asked, judged, compared, and what is refused.
#include <doctest/doctest.h>

#include <algorithm>

#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "tests/cli/call_kette.h"

using namespace kette::testing;

namespace {

/// A small model, trained once for all tests.
class MaskedModel {
 public:
  static const MaskedModel& get() {
    static const MaskedModel model;
    return model;
  }
  std::string path(const std::string& name = "model") const { return (folder_ / name).string(); }
  const Outcome& outcome() const { return outcome_; }
  Outcome train(const std::string& name, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"train"};
    // Rotary positions let a small model see neighbours soon.
    const std::pair<const char*, std::string> options[] = {{"--out", path(name)},
                                                           {"--text", path("text.txt")},
                                                           {"--objective", "masked"},
                                                           {"--documents", "line"},
                                                           {"--vocab", "300"},
                                                           {"--layers", "1"},
                                                           {"--width", "32"},
                                                           {"--hidden", "64"},
                                                           {"--heads", "4"},
                                                           {"--context", "16"},
                                                           {"--norm", "pre"},
                                                           {"--positions", "rotary"},
                                                           {"--dropout", "0"},
                                                           {"--attention-dropout", "0"},
                                                           {"--lr", "0.006"},
                                                           {"--warmup", "20"},
                                                           {"--batch-tokens", "480"},
                                                           {"--steps", "300"},
                                                           {"--validate-every", "150"},
                                                           {"--threads", "1"}};
    for (const auto& [option, value] : options) {
      const auto is_given = [&](const char* one) {
        return std::find(more.begin(), more.end(), one) != more.end();
      };
      const bool has_pieces = std::string(option) == "--vocab" && is_given("--tokenizer");
      if (is_given(option) || has_pieces) continue;
      arguments.insert(arguments.end(), {option, value});
    }
    arguments.emplace_back("--quiet");
    arguments.insert(arguments.end(), more.begin(), more.end());
    return call_kette(arguments);
  }

 private:
  MaskedModel() {
    std::string text;
    for (int i = 0; i < 200; ++i) {
      text += i % 2 == 0 ? "the cat sees the bread\n" : "a dog hears a bell\n";
    }
    write_file(folder_ / "text.txt", text);
    outcome_ = train("model", {"--whole-words", "--json"});
  }
  ScratchFolder folder_;
  Outcome outcome_;
};

Outcome fill(const std::vector<std::string>& more, const std::string& input = "") {
  std::vector<std::string> arguments = {"fill", "--model", MaskedModel::get().path(), "--threads",
                                        "1"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  RunOptions options;
  options.input = input;
  return run_kette(arguments, options);
}

}  // namespace

TEST_CASE("fill: training with masks says how many it finds, and the model fills gaps") {
  const Outcome& trained = MaskedModel::get().outcome();
  CAPTURE(trained.err);
  REQUIRE(trained.code == 0);
  const JsonView report = trained.json();
  CHECK(report.at("accuracy") > 0.5);
  CHECK(report.at("bleu").is_null());
  const Outcome one = fill({"the cat [MASK] the bread", "--top", "3", "--json"});
  CAPTURE(one.err);
  REQUIRE(one.code == 0);
  CHECK(one.out.starts_with("the cat sees the bread\n"));
  const JsonView said = one.json().at("texts").at(0);
  CHECK(said.at("text") == "the cat [MASK] the bread");
  CHECK(said.at("filled") == "the cat sees the bread");
  CHECK(said.at("masks").at(0).size() == 3);
  CHECK(said.at("masks").at(0).at(0).at("probability") >
        said.at("masks").at(0).at(1).at("probability"));
  const Outcome lines = fill({"--json"}, "a [MASK] hears a bell\nthe [MASK] sees the [MASK]\n");
  REQUIRE(lines.code == 0);
  CHECK(lines.json().at("texts").at(1).at("masks").size() == 2);
  // A line that cannot be filled is an empty one.
  std::string longer = "[MASK]";
  for (int i = 0; i < 30; ++i) longer += " cat";
  const Outcome faulty = fill({"--json"}, "no gap\nbad \xFF\n" + longer + "\na dog\n");
  CHECK(faulty.code == 1);
  CHECK(faulty.out.starts_with("no gap\n\n\na dog\n{"));
  CHECK(faulty.says("expected a text of at most 14 tokens"));
  CHECK(faulty.json().at("texts").size() == 4);
  CHECK(contains(faulty.json().at("texts").at(1).at("fault").text(), "UTF-8"));
  const Outcome without = fill({"--json"}, "no gap\n\n");
  CHECK(without.code == 0);
  CHECK(without.out.starts_with("no gap\n\n{"));
}

TEST_CASE("fill: words have spaces before them, also of a vocabulary that is not lossless") {
  const MaskedModel& model = MaskedModel::get();
  std::vector<std::string_view> lines;
  for (int i = 0; i < 100; ++i) {
    lines.insert(lines.end(), {"the cat sees the bread", "a dog hears a bell"});
  }
  kette::SentencePieceOptions options;
  options.vocabulary = 46;
  options.mask = true;
  std::filesystem::create_directory(model.path("words"));
  kette::SentencePieceTokenizer::train(lines, options)->save(model.path("words"));
  REQUIRE(model.train("of-words", {"--tokenizer", model.path("words"), "--whole-words"}).code == 0);
  const Outcome filled = call_kette({"fill", "--model", model.path("of-words"), "--threads", "1",
                                     "--json", "the cat [MASK] the bread"});
  REQUIRE(filled.code == 0);
  const JsonView said = filled.json().at("texts").at(0);
  const std::string piece = said.at("masks").at(0).at(0).at("piece").text();
  REQUIRE(piece.starts_with("\u2581"));
  CHECK(said.at("filled").text() == "the cat " + piece.substr(3) + " the bread");
}

TEST_CASE("fill: a text is judged by its pseudo-perplexity, and models are compared") {
  const MaskedModel& model = MaskedModel::get();
  const auto perplexity = [&](const std::string& text) {
    write_file(model.path("judged.txt"), text);
    const Outcome outcome = call_kette({"evaluate", "--model", model.path(), "--text",
                                        model.path("judged.txt"), "--documents", "line", "--json"});
    CAPTURE(outcome.err);
    REQUIRE(outcome.code == 0);
    return outcome.json().at("pseudo_perplexity").get<double>();
  };
  CHECK(perplexity("the cat sees the bread\n") < perplexity("bread the the sees cat\n"));
  CHECK(call_kette({"compare", model.path(), model.path(), "a dog"}).code == 0);
  CHECK(model.train("other", {"--seed", "2", "--steps", "2"}).code == 0);
  CHECK(call_kette({"compare", model.path(), model.path("other")}).code == 1);
  CHECK(contains(call_kette({"info", "--model", model.path(), "--points"}).out, "head/norm"));
}

TEST_CASE("fill: what makes no sense is refused in words") {
  const MaskedModel& model = MaskedModel::get();
  const auto refuses = [](const Outcome& outcome, int code, const char* text) {
    CAPTURE(outcome.err);
    CHECK(outcome.code == code);
    CHECK(outcome.says(text));
  };
  refuses(fill({"no gap"}), 1, "fill: expected a text with [MASK] in it");
  std::string longer = "[MASK]";
  for (int i = 0; i < 30; ++i) longer += " cat";
  refuses(fill({longer}), 1, "expected a text of at most 14 tokens");
  refuses(call_kette({"generate", "--model", model.path()}), 1,
          "expected a language model, given a masked language model; kette fill and");
  refuses(call_kette({"explain", "--model", model.path(), "--text", "a dog"}), 1,
          "expected a model that writes text, given a masked language model");
  refuses(call_kette({"evaluate", "--model", model.path(), "--text", model.path("text.txt"),
                      "--stride", "3"}),
          1, "--stride");
  refuses(call_kette({"train", "--out", model.path("x"), "--objective", "masked", "--src",
                      model.path("text.txt")}),
          2, "--objective: expected with --text beside it");
  refuses(model.train("x", {"--preset", "char"}), 2, "expected a preset of BERT");
  refuses(call_kette({"train", "--out", model.path("x"), "--text", model.path("text.txt"),
                      "--preset", "bert-tiny"}),
          2, "expected --objective masked beside it");
  refuses(call_kette({"train", "--out", model.path("x"), "--text", model.path("text.txt"),
                      "--whole-words"}),
          2, "--whole-words: expected --objective masked");
  refuses(model.train("x", {"--tokenizer", "byte"}), 1, "given byte without");
}
