// `kette lexicon` and --shortlist: made, used, carried along, and refused where it does not fit.
#include <doctest/doctest.h>

#include "tests/cli/call_kette.h"

using namespace kette::testing;

namespace {

namespace fs = std::filesystem;

/// A copy of the small model, to put a lexicon in.
class ModelCopy {
 public:
  ModelCopy() {
    fs::copy(SmallModel::get().model(), folder_ / "model", fs::copy_options::recursive);
  }
  std::string path() const { return (folder_ / "model").string(); }
  fs::path lexicon() const { return folder_ / "model" / "lexicon.safetensors"; }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }

  Outcome make_lexicon(const std::vector<std::string>& more = {}) const {
    const SmallModel& small = SmallModel::get();
    return run({"lexicon", "--model", path(), "--src", small.file("train.en"), "--tgt",
                small.file("train.de"), "--threads", "1", "--json", "--quiet"},
               more);
  }
  Outcome translate(const std::vector<std::string>& more, const std::string& model = "") const {
    return run({"translate", "--no-mend", "--model", model.empty() ? path() : model, "--beam", "3",
                "--threads", "1", "--max-length", "12"},
               more);
  }

 private:
  static Outcome run(std::vector<std::string> arguments, const std::vector<std::string>& more) {
    arguments.insert(arguments.end(), more.begin(), more.end());
    RunOptions options;
    options.input = "the cat sees bread .\na man likes music .\n";
    return run_kette(arguments, options);
  }

  ScratchFolder folder_;
};

}  // namespace

TEST_CASE("lexicon: made of pairs, the same on any threads") {
  const ModelCopy model;
  const Outcome made = model.make_lexicon({"--best", "1000", "--frequent", "1000"});
  REQUIRE(made.code == 0);
  CHECK(fs::exists(model.lexicon()));
  const auto json = made.json();
  CHECK(json["pairs"] == 60);
  CHECK(json["vocabulary"] == 80);
  CHECK(json["pieces_of_a_sentence"] > 20);
  CHECK(json["pieces_of_a_sentence"] <= 80);
  CHECK(json["entries"] > 80);
  const std::string content = read_file(model.lexicon());
  REQUIRE(model.make_lexicon({"--best", "1000", "--frequent", "1000", "--threads", "2"}).code == 0);
  CHECK(read_file(model.lexicon()) == content);
}

TEST_CASE("--shortlist: translations have pieces of the lexicon, in every type of weights") {
  const ModelCopy model;
  REQUIRE(model.make_lexicon({"--best", "2", "--frequent", "3"}).code == 0);
  const Outcome plain = model.translate({}), few = model.translate({"--shortlist"});
  REQUIRE(few.code == 0);
  CHECK(few.out != plain.out);
  for (const char* weights : {"bf16", "int8"}) {
    CAPTURE(weights);
    CHECK(model.translate({"--shortlist", "--weights", weights}).code == 0);
  }
  const Outcome begun =
      model.translate({"--shortlist", "--prefix", SmallModel::get().file("valid.de")});
  CHECK(begun.out.find("die katze sieht brot .") == 0);
  // A directory in int8 takes the lexicon along.
  const std::string int8 = model.file("int8");
  REQUIRE(call_kette({"quantize", "--model", model.path(), "--out", int8}).code == 0);
  CHECK(model.translate({"--shortlist"}, int8).out ==
        model.translate({"--shortlist", "--weights", "int8"}).out);
  // Of an ensemble the first one's counts.
  const std::string without = SmallModel::get().model();
  CHECK(model.translate({"--shortlist", "--model", without}).code == 0);
  const Outcome none = model.translate({"--shortlist", "--model", model.path()}, without);
  CHECK(none.code == 1);
  CHECK(none.says("make one of the training data: kette lexicon --model " + without));

  const Outcome scored =
      call_kette({"evaluate", "--model", model.path(), "--src", SmallModel::get().file("valid.en"),
                  "--ref", SmallModel::get().file("valid.de"), "--shortlist", "--beam", "3",
                  "--max-length", "12", "--output", model.file("out"), "--threads", "1"});
  CHECK(scored.code == 0);
  CHECK(read_file(model.file("out")) == few.out);
}

TEST_CASE("--shortlist: no lexicon, a damaged one, and what does not go with it") {
  const ModelCopy model;
  const Outcome none = model.translate({"--shortlist"});
  CHECK(none.code == 1);
  CHECK(
      none.says("expected a lexicon for a shortlist, given none (make one of the training data: "
                "kette lexicon --model " +
                model.path()));
  REQUIRE(model.make_lexicon().code == 0);
  const std::string whole = read_file(model.lexicon());
  write_file(model.lexicon(), whole.substr(0, whole.size() - 3));
  const Outcome cut = model.translate({"--shortlist"});
  CHECK(cut.code == 1);
  CHECK(cut.says("lexicon.safetensors"));
  CHECK(model.translate({}).code == 0);
  write_file(model.lexicon(), whole);
  const Outcome drawn =
      call_kette({"translate", "--model", model.path(), "--shortlist", "--sample"});
  CHECK(drawn.code == 2);
  CHECK(drawn.says("--shortlist: expected a search, given --sample"));

  write_file(model.file("empty"), "");
  const Outcome empty = call_kette({"lexicon", "--model", model.path(), "--src",
                                    model.file("empty"), "--tgt", model.file("empty"), "--quiet"});
  CHECK(empty.code == 1);
  CHECK(empty.says("expected at least one line, given an empty file"));
  write_file(model.file("blank"), "\n\n");
  const Outcome blank = call_kette({"lexicon", "--model", model.path(), "--src",
                                    model.file("blank"), "--tgt", model.file("blank"), "--quiet"});
  CHECK(blank.code == 1);
  CHECK(blank.says("expected sentence pairs that pass the filters, given none"));
  const Outcome uneven =
      call_kette({"lexicon", "--model", model.path(), "--src", SmallModel::get().file("train.en"),
                  "--tgt", SmallModel::get().file("valid.de"), "--quiet"});
  CHECK(uneven.code == 1);
  CHECK(uneven.says("expected equally many lines, given 60 and 2"));
  const Outcome lonely = model.make_lexicon({"--languages", "de", "fr"});
  CHECK(lonely.code == 2);
  CHECK(lonely.says("--languages: expected one for each --src, 1, given 2"));
  CHECK(read_file(model.lexicon()) == whole);
}

TEST_CASE("bench translate --shortlist: measures a search among some tokens") {
  const Outcome outcome =
      call_kette({"bench", "translate", "--shortlist", "300", "--sentences", "3", "--length", "4",
                  "--steps", "1", "--warmup", "0", "--threads", "1", "--json"});
  REQUIRE(outcome.code == 0);
  CHECK(outcome.json()["shortlist"] == 300);
}
