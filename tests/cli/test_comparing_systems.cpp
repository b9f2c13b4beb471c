// The command line of scores: TER, another system beside, minimum Bayes risk.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/cli/call_kette.h"
#include "tests/cli/refusals.h"

using namespace kette::testing;

namespace {

const char* const kReference = "the cat sat on the mat .\na dog barks at night .\nit rains today\n";

Outcome bleu(const std::vector<std::string>& more, const std::string& input) {
  const ScratchFolder folder;
  write_file(folder / "ref", kReference);
  std::vector<std::string> arguments = {"bleu", "--ref", (folder / "ref").string()};
  arguments.insert(arguments.end(), more.begin(), more.end());
  RunOptions options;
  options.input = input;
  return run_kette(arguments, options);
}

Outcome evaluate(const std::vector<std::string>& more) {
  const SmallModel& small = SmallModel::get();
  std::vector<std::string> arguments = {"evaluate",
                                        "--model",
                                        small.model(),
                                        "--src",
                                        small.file("valid.en"),
                                        "--ref",
                                        small.file("valid.de"),
                                        "--threads",
                                        "1"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return call_kette(arguments);
}

void check_usage(const Outcome& outcome, const std::string& message) {
  check_refused(outcome, message, 2);
}

}  // namespace

TEST_CASE("cli: ter and its options") {
  const std::string moved = "on the mat the cat sat .\na dog barks at night .\nIT rains today\n";
  const Outcome ter = bleu({"--metric", "ter", "--sentence-level", "--json"}, moved);
  CAPTURE(ter.err);
  CHECK(ter.code == 0);
  CHECK(ter.out.starts_with("14.2857\n0.0000\n0.0000\n"));  // one move in 7, 6 and 3 words
  CHECK(contains(ter.out, "TER|nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:"));
  CHECK(ter.json()["score"].get<double>() == doctest::Approx(100.0 / 16));
  const Outcome cased = bleu({"--metric", "ter", "--ter-case-sensitive", "--ter-no-punct",
                              "--ter-normalized", "--ter-asian", "--confidence"},
                             moved);
  CHECK(contains(cased.out, "|case:mixed|tok:tercom|norm:yes|punct:no|asian:yes|"));
  CHECK(contains(cased.out, " = 14.29 (μ = "));  // two edits in 6, 5 and 3 words

  check_usage(bleu({"--ter-normalized"}, moved),
              "--ter-normalized: expected --metric ter beside it, given --metric bleu");
  check_usage(bleu({"--metric", "ter", "--ter-asian"}, moved),
              "--ter-asian: expected --ter-normalized or --ter-no-punct");
  check_usage(bleu({"--metric", "ter", "--lowercase", "--ter-case-sensitive"}, moved),
              "--lowercase");
  check_usage(bleu({"--metric", "tre"}, moved), "did you mean ter?");
}

TEST_CASE("cli: the options of sacreBLEU, by its names and with its numbers") {
  const std::string near = "the cat sat on a mat .\na dog barked at night\nrains today\n";
  const auto score = [&](const std::vector<std::string>& more) {
    const Outcome outcome = bleu(with(more, {"--json"}), near);
    CAPTURE(outcome.err);
    REQUIRE(outcome.code == 0);
    return outcome.json();
  };
  const auto check = [&](const std::vector<std::string>& more, double expected,
                         const std::string& signature) {
    const JsonView json = score(more);
    CHECK(std::abs(json["score"].get<double>() - expected) < 1e-6);
    CHECK(json["signature"].text().starts_with(signature + "|version:"));
  };
  const std::string plus = "nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no";
  check({"--metric", "chrf++"}, 68.964310, plus);
  check({"--metric", "chrf++", "--chrf-char-order", "3", "--lowercase"}, 74.949112,
        "nrefs:1|case:lc|eff:yes|nc:3|nw:2|space:no");
  check({"--metric", "chrf", "--chrf-word-order", "2"}, 68.964310, plus);
  check({"--metric", "chrf", "--chrf-char-order", "3", "--chrf-beta", "3", "--chrf-whitespace",
         "--chrf-eps-smoothing"},
        81.399299, "nrefs:1|case:mixed|eff:no|nc:3|nw:0|space:yes");
  check({"--smooth-method", "add-k", "--smooth-value", "0.5", "--tokenize", "zh"}, 38.259284,
        "nrefs:1|case:mixed|eff:no|tok:zh|smooth:add-k[0.50]");

  const ScratchFolder folder;
  const std::string second = (folder / "second").string(),
                    model = (source_folder() / "tests/fixtures/hugging_face/marian/source.spm");
  write_file(second, "the cat is on the mat .\n\nit is raining\n");
  check({"--ref", second, "--metric", "ter"}, 30.769231,
        "nrefs:2|case:lc|tok:tercom|norm:no|punct:yes|asian:no");
  check({"--ref", second, "--metric", "ter", "--missing-references"}, 25,
        "nrefs:var|case:lc|tok:tercom|norm:no|punct:yes|asian:no");
  check({"--ref", second, "--missing-references", "--max-ngram-order", "2", "--effective-order",
         "--smooth-method", "floor", "--smooth-value", "0.01"},
        64.023176, "nrefs:var|case:mixed|eff:yes|tok:13a|smooth:floor[0.01]");
  CHECK(score({"--tokenize", "flores200", "--spm-model", model})["signature"].text().starts_with(
      "nrefs:1|case:mixed|eff:no|tok:flores200|smooth:exp|"));

  check_usage(bleu({"--tokenize", "flores200"}, near),
              "--tokenize: expected --spm-model beside flores200, the file of that SentencePiece");
  check_usage(bleu({"--spm-model", model}, near), "--spm-model: expected --tokenize flores101|");
  check_usage(bleu({"--spm-model", second, "--tokenize", "spm"}, near),
              "second: expected a SentencePiece model");
  check_usage(
      bleu({"--tokenize", "ja-mecab"}, near),
      "given ja-mecab, which takes MeCab and a dictionary that Kette has not (set the words");
  check_usage(bleu({"--tokenize", "intel"}, near), "did you mean intl?");
  check_usage(bleu({"--smooth-value", "1"}, near),
              "--smooth-value: expected --smooth-method floor or add-k beside it, given exp");
  check_usage(bleu({"--metric", "chrf", "--smooth-method", "floor"}, near),
              "--smooth-method: expected --metric bleu beside it, given --metric chrf");
  check_usage(bleu({"--chrf-beta", "1"}, near), "--chrf-beta: expected --metric chrf beside it");
  check_usage(bleu({"--metric", "chrf++", "--chrf-word-order", "1"}, near),
              "--chrf-word-order: expected --metric chrf beside it, given --metric chrf++");
  write_file(second, "\n\n\n");
  const Outcome none =
      call_kette({"bleu", "--ref", second, "--input", second, "--missing-references"});
  CHECK(none.code == 1);
  CHECK(none.says("BLEU: expected a reference of line 1, given none"));
}

TEST_CASE("cli: bleu beside another system") {
  const ScratchFolder folder;
  const std::string other = (folder / "other").string();
  write_file(other, "the cat sat\na dog at night .\nit rains\n");
  for (const char* metric : {"bleu", "chrf", "ter"}) {
    const Outcome both = bleu({"--against", other, "--metric", metric, "--json"}, kReference);
    CAPTURE(both.out);
    CHECK(both.code == 0);
    CHECK(contains(both.out, "\n" + other + ": "));
    CHECK(contains(both.out, " by paired bootstrap resampling (bs:1000|seed:12345), p = "));
    CHECK(contains(both.out, " by paired approximate randomisation (ar:10000|seed:12345)\n"));
    const JsonView against = both.json()["against"];
    CHECK(against["name"] == other);
    const bool lower_is_better = std::string(metric) == "ter";
    CHECK((against["difference"].get<double>() < 0) == lower_is_better);
    CHECK(against["bootstrap_p"].get<double>() > 0);
    CHECK(against["randomisation_p"].get<double>() < 1);  // about 1/4: three lines
  }
  const Outcome itself = bleu({"--against", other, "--json"}, read_file(other));
  CHECK(itself.json()["against"]["bootstrap_p"] == 1);
  CHECK(itself.json()["against"]["randomisation_p"] == 1);

  write_file(other, "one line\n");
  const Outcome few = bleu({"--against", other}, kReference);
  CHECK(few.code == 1);
  CHECK(few.says(other + ": expected 3 lines, as many as there are translations, given 1"));
  CHECK(bleu({"--against", (folder / "none").string()}, kReference).says("none"));
}

TEST_CASE("cli: evaluate beside a model or a file of translations") {
  const SmallModel& small = SmallModel::get();
  const Outcome model = evaluate({"--against", small.model(), "--json"});
  CAPTURE(model.err);
  CHECK(model.code == 0);
  CHECK(model.json()["against"]["randomisation_p"] == 1);
  const Outcome file = evaluate({"--against", small.file("valid.de"), "--json", "--metric", "ter"});
  CHECK(file.code == 0);
  CHECK(file.json()["against"]["score"] == 0);
  const Outcome wrong = evaluate({"--against", small.file("train.de")});
  CHECK(wrong.code == 1);
  CHECK(wrong.says(small.file("train.de") + ": expected 2 lines, as many as "));
  CHECK(evaluate({"--against", small.file("none")}).says(small.file("none")));
  check_usage(call_kette({"evaluate", "--model", small.model(), "--text", small.file("valid.de"),
                          "--against", small.model()}),
              "--against");
}

TEST_CASE("cli: minimum Bayes risk takes one of the best, or of the samples") {
  const SmallModel& small = SmallModel::get();
  RunOptions options;
  options.input = "the cat sees bread .\n\na man likes music .\n";
  const auto translate = [&](std::vector<std::string> more) {
    more.insert(more.begin(),
                {"translate", "--model", small.model(), "--threads", "1", "--no-mend"});
    return run_kette(more, options);
  };
  for (const char* metric : {"chrf", "bleu", "ter"}) {
    for (const bool sample : {false, true}) {
      std::vector<std::string> arguments = {"--n-best", "5"};
      if (sample) arguments.push_back("--sample");
      const Outcome all = translate(arguments);
      arguments.insert(arguments.end(), {"--mbr", metric});
      const Outcome chosen = translate(arguments);
      CAPTURE(chosen.err);
      CHECK(chosen.code == 0);
      CHECK(count_of(chosen.out, "\n") == 3);
      const std::string first = chosen.out.substr(0, chosen.out.find('\n'));
      CHECK(contains(all.out, "1 ||| " + first + " ||| "));
    }
  }
  check_usage(translate({"--mbr", "chrf"}), "--n-best");
  const Outcome alone = translate({"--mbr", "chrf", "--n-best", "1"});
  CHECK(alone.code == 2);
  CHECK(alone.says(
      "expected from 2 to 4096 translations of each line to choose from (n-best), given 1"));
  check_usage(translate({"--mbr", "tre", "--n-best", "2"}),
              "--mbr: expected bleu|chrf|chrf++|ter, given tre (did you mean ter?)");
  CHECK(evaluate({"--mbr", "chrf", "--n-best", "4"}).code == 0);
  CHECK(evaluate({"--mbr", "bleu", "--n-best", "4", "--sample", "--seed", "7"}).code == 0);
  CHECK(evaluate({"--sample"}).code == 0);
  check_usage(evaluate({"--n-best", "2"}), "--mbr");
}

TEST_CASE("cli: what is printed of a score is in its JSON, too") {
  const Outcome outcome =
      evaluate({"--confidence", "--json", "--against", SmallModel::get().file("valid.de")});
  REQUIRE_MESSAGE(outcome.code == 0, outcome.err);
  const JsonView json = outcome.json();
  CHECK(json["confidence"]["mean"].is_number());
  CHECK(json["confidence"]["half_width"] >= 0);
  CHECK(json["against"]["confidence"]["mean"].get<double>() == doctest::Approx(100));
  CHECK(json["precisions"].size() == 4);
  CHECK(json["brevity_penalty"] <= 1);
  CHECK(json["hyp_len"] > 0);
  CHECK(json["ref_len"] == 10);
  CHECK_FALSE(evaluate({"--json", "--metric", "chrf"}).json().contains("precisions"));
}
