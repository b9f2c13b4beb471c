// --tsv of the commands that read parallel text.
#include <doctest/doctest.h>

#include "data/corpora/prepared_pairs.h"
#include "data/files/safetensors.h"
#include "data/files/text_file.h"
#include "tests/cli/call_kette.h"
#include "tests/data/packings.h"
#include "tests/train/resumed_run.h"

using namespace kette::testing;

namespace {

/// The small corpus as files and as a table whose first column is a score.
class SmallTable {
 public:
  SmallTable() {
    write_small_corpus(folder.path());
    const kette::TextLines sources = kette::read_lines(folder / "train.en"),
                           targets = kette::read_lines(folder / "train.de");
    std::string table;
    for (std::int64_t i = 0; i < sources.size(); ++i) {
      table += "1.5\t" + std::string(sources[i]) + "\t" + std::string(targets[i]) + "\n";
    }
    write_file(folder / "train.tsv", xz(table));
  }
  std::string path(const std::string& name) const { return (folder / name).string(); }
  std::vector<std::string> columns(const char* which = "2,3") const {
    return {"--tsv", path("train.tsv"), "--columns", which};
  }
  /// Of the files without --src and --tgt.
  std::vector<std::string> train(const std::string& name,
                                 const std::vector<std::string>& more) const {
    return with(without(train_arguments(folder.path(), name), {"--src", "--tgt"}), more);
  }
  std::vector<float> parameters(const std::string& name) const {
    return parameters_in(folder / name);
  }

  ScratchFolder folder;
};

}  // namespace

TEST_CASE("--tsv: a model learns from a packed table what it learns from files, and resumes") {
  const SmallTable small;
  const Outcome of_files = call_kette(train_arguments(small.folder.path(), "files")),
                of_table = call_kette(small.train("table", small.columns()));
  CAPTURE(of_table.err);
  REQUIRE(of_files.code == 0);
  REQUIRE(of_table.code == 0);
  CHECK(small.parameters("table") == small.parameters("files"));
  CHECK(read_file(small.folder / "table/tokenizer.model") ==
        read_file(small.folder / "files/tokenizer.model"));
  CHECK(read_file(small.folder / "table/text.json") == read_file(small.folder / "files/text.json"));

  const Outcome resumed =
      call_kette({"train", "--out", small.path("table"), "--resume", "--steps", "12", "--quiet"});
  CAPTURE(resumed.err);
  CHECK(resumed.code == 0);
  const Outcome other =
      call_kette({"train", "--out", small.path("table"), "--resume", "--columns", "3,2"});
  CHECK(other.code == 1);
  CHECK(other.says("expected columns = 2,3, as in the run that is resumed, given 3,2"));
}

TEST_CASE("--tsv: tokenize, with files before it and more of it later, check and lexicon") {
  const SmallTable small;
  const std::string source = small.path("train.en"), target = small.path("train.de"),
                    pairs = small.path("pairs"), alone = small.path("alone");
  const std::vector<std::string> to = {"--vocab", "80", "--out", pairs, "--json"};
  const Outcome both =
      call_kette(with(with({"tokenize", "--src", source, "--tgt", target}, small.columns()), to));
  CAPTURE(both.err);
  REQUIRE(both.code == 0);
  const auto json = both.json();
  CHECK(json["texts"] == 2);
  CHECK(json["pairs"] == 120);
  const kette::ParallelCorpus corpus = kette::prepared_corpus(pairs, kette::load_tokenizer(pairs));
  for (std::int64_t pair = 0; pair < 60; ++pair) {
    CHECK(corpus.read(pair).source == corpus.read(60 + pair).source);
    CHECK(corpus.read(pair).target == corpus.read(60 + pair).target);
  }

  REQUIRE(
      call_kette({"tokenize", "--src", source, "--tgt", target, "--vocab", "80", "--out", alone})
          .code == 0);
  const Outcome appended =
      call_kette(with(with({"tokenize", "--append"}, small.columns()), {"--out", alone, "--json"}));
  CAPTURE(appended.err);
  REQUIRE(appended.code == 0);
  CHECK(appended.json()["texts"] == 2);
  const Outcome again =
      call_kette(with(with({"tokenize"}, small.columns("3,2")), {"--out", alone}));
  CHECK(again.says("(--append adds texts to them)"));

  const Outcome checked = call_kette(with({"check"}, small.columns()));
  CHECK(checked.code == 0);
  CHECK(contains(checked.out, "training: column 2 of " + small.path("train.tsv") +
                                  " and column 3 of " + small.path("train.tsv") + ", 60 pairs, "));

  const std::string model = small.path("model");
  std::filesystem::copy(SmallModel::get().model(), model, std::filesystem::copy_options::recursive);
  const std::vector<std::string> lexicon = {"lexicon", "--model", model, "--quiet"};
  REQUIRE(call_kette(with(lexicon, {"--src", source, "--tgt", target})).code == 0);
  const std::string of_files = read_file(model + "/lexicon.safetensors");
  REQUIRE(call_kette(with(lexicon, small.columns())).code == 0);
  CHECK(read_file(model + "/lexicon.safetensors") == of_files);
}

TEST_CASE("--tsv: options that make no sense, and lines with too few columns") {
  const SmallTable small;
  const auto refuses = [](const std::vector<std::string>& arguments, int code,
                          const std::string& message) {
    const Outcome outcome = call_kette(arguments);
    CAPTURE(outcome.err);
    CHECK(outcome.code == code);
    CHECK(outcome.says(message));
  };
  for (const char* columns : {"2", "2,", ",2", "0,1", "1,1", "1,-2", "1,2,3", "a,b", "1;2"}) {
    CAPTURE(columns);
    refuses(with({"check"}, small.columns(columns)), 2,
            "--columns: expected two different columns from 1 on, such as 1,2, given");
  }
  refuses({"check", "--src", "a", "--tgt", "b", "--columns", "2,1"}, 2,
          "--columns: expected --tsv beside it, given none");
  refuses({"lexicon", "--model", "m"}, 2, "--src: expected a file, given none (or a --tsv)");
  refuses({"tokenize", "--out", "x"}, 2, "expected --text, or --src and --tgt, or --tsv");
  refuses(small.train("model", with(small.columns(), {"--languages", "de", "fr"})), 2,
          "--languages: expected one for each text, 1, given 2");
  refuses(small.train("model", with(small.columns(), {"--weights", "1", "2"})), 2,
          "--weights: expected one for each text, 1, given 2");
  refuses({"train", "--text", "a", "--tsv", "b", "--out", "c"}, 2,
          "--tsv: expected for a translation model, given beside --text");
  refuses(small.train("model", with(small.columns(), {"--pairs", "p"})), 2,
          "--tsv: expected none beside --pairs");
  refuses(small.train("model", small.columns("2,4")), 1,
          "column 4 of " + small.path("train.tsv") +
              ":1: expected at least 4 columns, with a tab between two of them, given 3");
}
