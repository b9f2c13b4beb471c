// Options that would do nothing beside others, and files that would be lost: both are refused.
#include <doctest/doctest.h>

#include "data/files/text_file.h"
#include "decode/scorer.h"
#include "models/model_directory.h"
#include "models/transformer.h"
#include "tests/cli/call_kette.h"

using namespace kette;
using namespace kette::testing;

namespace {

/// The folder of a model from English to German, and back.
std::string tagged_model() {
  const SmallModel& small = SmallModel::get();
  static const Outcome trained =
      call_kette(train_arguments(small.folder(), "tagged",
                                 {"--src", small.file("train.de"), "--tgt", small.file("train.en"),
                                  "--languages", "de", "en", "--no-validate-bleu"}));
  REQUIRE_MESSAGE(trained.code == 0, trained.err);
  return small.file("tagged");
}

}  // namespace

TEST_CASE("conflicts: an option that would do nothing is refused with the one that it needs") {
  const SmallModel& small = SmallModel::get();
  const std::string model = small.model(), in = small.file("valid.en"),
                    ref = small.file("valid.de");
  const std::vector<std::string> translate = {"translate", "--model", model, "--input", in},
                                 evaluate = {"evaluate", "--model", model, "--src",
                                             in,         "--ref",   ref},
                                 trace = {"trace", "--preset", "tiny"};
  const std::vector<std::vector<std::string>> refused = {
      with(translate, {"--sample", "--beam", "3"}),
      with(translate, {"--sample", "--beam-kind", "full"}),
      with(translate, {"--sample", "--min-length", "3"}),
      with(evaluate, {"--context", "8"}),
      with(evaluate, {"--documents", "line"}),
      {"evaluate", "--model", model, "--text", in, "--ref", ref},
      {"evaluate", "--model", model, "--text", in, "--output", small.file("never")},
      {"evaluate", "--model", model, "--text", in, "--beam", "9"},
      {"evaluate", "--model", model, "--text", in, "--metric", "chrf"},
      {"evaluate", "--model", model, "--text", in, "--shortlist"},
      {"average", in, ref, "--last", "1", "--out", small.file("never")},
      {"generate", "--model", model, "--beam-kind", "full"},
      {"generate", "--model", model, "--length-penalty", "none"},
      {"generate", "--model", model, "--beam", "3", "--num", "5"},
      {"generate", "--model", model, "--beam", "1", "--length-penalty", "none"},
      {"tape", "--check", "3", "--out", small.file("never")},
      {"tape", "--node", "3", "--nodes"},
      {"tape", "--step", "--node", "3"},
      {"tape", "--tolerance", "1"},
      {"tape", "--to", "xx"},
      with(trace, {"--decode", "--beam", "3", "--to", "xx"}),
      {"bench", "train", "--preset", "char-cpu", "--write-batches", small.file("never")},
      {"bench", "train", "--batches", in, "--src", in, "--tgt", ref},
      {"bench", "train", "--batches", in, "--tokenizer", model},
      {"heads", "--model", model, "--prune", "1", "--src", in, "--tgt", ref},
      {"heads", "--model", model, "--src", in},
      {"heads", "--model", model, "--src", in, "--tgt", ref, "--windows", "2"},
      {"heads", "--model", model, "--text", in, "--beam", "2"},
      {"patch", "--model", model, "--pairs", in, "--count", "2"},
      {"bench", "translate", "--tokenizer", model},
      {"bench", "translate", "--pieces", "70"},
      {"evaluate", "--model", model, "--text", in, "--context", "8", "--stride", "9"},
      train_arguments(small.folder(), "never", {"--lora-rank", "2"}),
      {"train", "--text", in, "--out", small.file("never"), "--from", model, "--tokenizer",
       "sentencepiece"},
      with(trace, {"--prompt", "a"}),
      with(trace, {"--beam", "2"}),
      with(trace, {"--max-tokens", "2"}),
      with(trace, {"--decode", "--precision", "bf16"}),
      with(trace, {"--model", model}),
      {"trace", "--model", model, "--layers", "7"},
      {"trace", "--model", model, "--src", in, "--tgt", ref, "--text", in},
      {"trace", "--model", model, "--src", in, "--tgt", ref, "--decode"},
      {"bench", "train", "--preset", "char-cpu", "--src", in, "--tgt", ref},
      {"info", "--model", model, "--vocab", "7"},
      {"parse", "--model", model, "--punctuation", "gold"},
      with(evaluate, {"--metric", "chrf", "--tokenize", "none"}),
      train_arguments(small.folder(), "never", {"--from", model, "--lora-on", "query"}),
      train_arguments(small.folder(), "never", {"--from", model, "--lora-alpha", "3"}),
      train_arguments(small.folder(), "never", {"--from", model, "--dropout", "0.7"}),
      train_arguments(small.folder(), "never", {"--cutoff", "0.2"}),
      train_arguments(small.folder(), "never", {"--weights", "1", "--temperature", "2"}),
      train_arguments(small.folder(), "never", {"--consistency", "r_drop", "--cutoff", "0.2"}),
      train_arguments(small.folder(), "never", {"--from", model, "--vocab", "81"}),
      train_arguments(small.folder(), "never",
                      {"--tokenizer", model + "/tokenizer.model", "--vocab", "81"}),
      {"train", "--text", in, "--out", small.file("never"), "--vocab", "81"},
      train_arguments(small.folder(), "never", {"--record-every", "7"}),
      train_arguments(small.folder(), "never", {"--best-by", "score", "--no-validate-bleu"}),
      {"train", "--text", in, "--out", small.file("never"), "--best-by", "score"},
      train_arguments(small.folder(), "never", {"--force-data"})};
  for (const std::vector<std::string>& words : refused) {
    std::string line;
    for (const std::string& word : words) line += word + " ";
    CAPTURE(line);
    const Outcome outcome = call_kette(words);
    CAPTURE(outcome.err);
    CHECK(outcome.code == 2);
    CHECK(contains(outcome.err, "--"));
  }
  CHECK_FALSE(std::filesystem::exists(small.folder() / "never"));
  CHECK(call_kette(with(trace, {"--decode", "--precision", "bf16"})).says("which computes in f32"));
  CHECK(call_kette(train_arguments(small.folder(), "never", {"--from", model, "--dropout", "0.7"}))
            .says("--dropout: expected 0.3, as the model in " + model + " has, given 0.7"));
}

TEST_CASE("conflicts: - is standard output, and an earlier output is there until another one is") {
  const SmallModel& small = SmallModel::get();
  const ScratchFolder folder;
  const std::string out = (folder / "out").string();
  const std::vector<std::string> command = {"translate", "--model", small.model(), "--output"};
  RunOptions lines;
  lines.input = "the cat sees bread .\n";
  const Outcome plain = run_kette(with(command, {"-"}), lines);
  CHECK(plain.code == 0);
  CHECK(!plain.out.empty());
  write_file(out, "an earlier output that is longer than the next one\n");
  lines.input = std::string("a\0\n\0", 4);  // UTF-16
  CHECK(run_kette(with(command, {out}), lines).code == 1);
  CHECK(read_file(out).starts_with("an earlier"));
  lines.input = "the cat sees bread .\n";
  CHECK(run_kette(with(command, {out}), lines).code == 0);
  CHECK(read_file(out) == plain.out);
  lines.input = "";
  CHECK(run_kette(with(command, {out}), lines).code == 0);
  CHECK(read_file(out).empty());
}

TEST_CASE("conflicts: what is read is not written over") {
  const SmallModel& small = SmallModel::get();
  const ScratchFolder folder;
  const std::string both = (folder / "both").string(), again = (folder / "again").string();
  const std::string text = read_file(small.file("valid.en"));
  write_file(both, text);
  std::filesystem::create_hard_link(both, again);
  const auto refused = [&](const std::vector<std::string>& more, const RunOptions& options = {}) {
    const Outcome outcome = run_kette(with({"translate", "--model", small.model()}, more), options);
    CAPTURE(outcome.err);
    CHECK(outcome.code == 1);
    CHECK(outcome.says("expected another file than the one that is read, given the same"));
    CHECK(read_file(both) == text);
  };
  refused({"--input", both, "--output", both});
  refused({"--input", both, "--output", again});
  refused({"--input", small.file("valid.en"), "--prefix", both, "--output", both});
  RunOptions on_stdin;
  on_stdin.input_file = both;
  refused({"--output", both}, on_stdin);

  const std::vector<std::string> words = {"evaluate", "--model",  small.model(), "--beam",
                                          "1",        "--output", both};
  const std::string en = small.file("valid.en"), de = small.file("valid.de");
  for (const std::vector<std::string>& read :
       std::vector<std::vector<std::string>>{{"--src", both, "--ref", de},
                                             {"--src", en, "--ref", both},
                                             {"--src", en, "--ref", de, "--against", both}}) {
    CHECK(call_kette(with(words, read)).says("another file than the one that is read"));
    CHECK(read_file(both) == text);
  }
  const std::string config = small.model() + "/config.json", kept = read_file(config);
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"evaluate", "--model", small.model() + "/", "--src", en, "--ref", de, "--output",
            config},
           {"translate", "--model", small.model(), "--input", en, "--output", config},
           {"average", small.model() + "/model.safetensors", "--out", config}}) {
    const Outcome outcome = call_kette(command);
    CAPTURE(outcome.err);
    CHECK(outcome.code != 0);
    CHECK(outcome.says("expected a new file"));
    CHECK(read_file(config) == kept);
  }
  const Outcome nowhere = call_kette({"evaluate", "--model", small.model(), "--src", en, "--ref",
                                      de, "--output", "/nowhere/at/all"});
  CHECK(nowhere.code == 1);
  CHECK(nowhere.says("/nowhere/at/all: expected a file that can be written"));
}

TEST_CASE("conflicts: a page takes the place of an earlier one, and of nothing else") {
  const SmallModel& small = SmallModel::get();
  const ScratchFolder folder;
  const std::string log = small.model() + "/log.jsonl", before = read_file(log);
  const Outcome refused = call_kette({"plot", small.model(), "--out", log});
  CHECK(refused.code == 2);
  CHECK(refused.says("--out: expected a new file or an earlier page, given " + log));
  CHECK(read_file(log) == before);
  for (const std::string& nowhere :
       {folder.path().string(), (folder / "none/page.html").string()}) {
    const Outcome early = call_kette({"plot", small.model(), "--out", nowhere});
    CHECK(early.code == 2);
    CHECK(early.says("--out: expected a file"));
  }
  const std::string page = (folder / "page.html").string();
  write_file(page, "");
  for (int time = 0; time < 2; ++time) {
    CHECK(call_kette({"plot", small.model(), "--out", page}).code == 0);
    CHECK(read_file(page).starts_with("<!DOCTYPE html>"));
  }
}

TEST_CASE("conflicts: an empty line with a prefix is the prefix") {
  const SmallModel& small = SmallModel::get();
  write_file(small.file("some"), "the cat sees bread .\n\n");
  write_file(small.file("begun"), "die\ndie katze\n");
  const Outcome outcome = call_kette({"translate", "--model", small.model(), "--input",
                                      small.file("some"), "--prefix", small.file("begun")});
  CAPTURE(outcome.err);
  CHECK(contains(outcome.out, "\ndie katze\n"));
}

TEST_CASE("conflicts: a sweep trains with masks, and scores by the pseudo-perplexity") {
  const ScratchFolder folder;
  std::string text;
  for (int i = 0; i < 60; ++i) text += i % 3 == 0 ? "the cat sleeps .\n" : "a dog sees the cat .\n";
  write_file(folder / "text", text);
  const std::string path = (folder / "text").string();
  write_file(folder / "runs.toml",
             "text = \"" + path +
                 "\"\nobjective = \"masked\"\nvocab = 300\n"
                 "layers = 1\nwidth = 16\nhidden = 16\nheads = 2\ncontext = 16\nsteps = 2\n"
                 "batch-tokens = 64\nquiet = true\n[evaluate]\ntext = \"" +
                 path + "\"\n[one]\n");
  const Outcome swept = run_kette({"sweep", (folder / "runs.toml").string(), "--out",
                                   (folder / "out").string(), "--threads", "1", "--json"});
  CAPTURE(swept.err);
  REQUIRE(swept.code == 0);
  CHECK(swept.json()["runs"]["one"]["score"].get<double>() > 1);
}

TEST_CASE("conflicts: models of several languages are scored with the tag that they are told") {
  const SmallModel& small = SmallModel::get();
  const std::string model = tagged_model();
  const SavedModel<Transformer> saved = load_model<Transformer>(model);
  const TextLines source = read_lines(small.file("valid.en")),
                  target = read_lines(small.file("valid.de"));
  std::vector<std::vector<std::int32_t>> ids = saved.tokenizer->encode_all(source.views());
  for (auto& one : ids) one.insert(one.begin(), saved.tokenizer->expected_tag_of("de"));
  std::string scores;
  for (const SentenceScore& score :
       score_ids(*saved.model->for_decoding(), ids, saved.tokenizer->encode_all(target.views()))) {
    char line[32];
    std::snprintf(line, sizeof line, "%.6f\n", score.log_probability);
    scores += line;
  }
  const std::vector<std::string> score = {
      "score", "--model", model, "--src", small.file("valid.en"), "--tgt", small.file("valid.de")};
  CHECK(call_kette(with(score, {"--to", "de"})).out == scores);
  const Outcome untold = call_kette(score);
  CHECK(untold.code == 1);
  CHECK(untold.says("expected the one to translate to, of de, en, given none"));
  CHECK(call_kette(with(score, {"--to", "fr"})).says("fr"));
}

TEST_CASE(
    "conflicts: what looks inside models of several languages reads the tag that it is told") {
  const SmallModel& small = SmallModel::get();
  const std::string model = tagged_model(), sentence = "a man sleeps .";
  write_file(small.file("tagged.pairs"), "a man sleeps .\ta dog sleeps .\tein mann\tein hund\n");
  const std::string inputs = small.file("tagged.input");
  write_file(inputs, sentence + "\n");
  const Outcome translated =
      call_kette({"translate", "--model", model, "--input", inputs, "--to", "de", "--no-mend"});
  const Outcome explained =
      call_kette({"explain", "--model", model, sentence, "--to", "de", "--json"});
  REQUIRE_MESSAGE(explained.code == 0, explained.err);
  const auto json = explained.json();
  CHECK(json["text"].text() + "\n" == translated.out);
  CHECK(json["source"][0] == "<2de>");
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"explain", "--model", model, sentence},
           {"patch", "--model", model, "--pairs", small.file("tagged.pairs")},
           {"compare", model, model, sentence},
           {"trace", "--model", model, "--decode", "--prompt", sentence, "--no-limits"}}) {
    CAPTURE(command[0]);
    CHECK(call_kette(with(command, {"--to", "fr"}))
              .says("language: expected one of de, en, given fr"));
    if (command[0] != "patch") CHECK(call_kette(with(command, {"--to", "de"})).code == 0);
  }
  const std::vector<std::string> lens = {"lab",
                                         "lens",
                                         "--quick",
                                         "--model",
                                         model,
                                         "--src",
                                         small.file("valid.en"),
                                         "--tgt",
                                         small.file("valid.de")};
  const Outcome read = call_kette(with(lens, {"--to", "de"}));
  CHECK_MESSAGE(read.code == 0, read.err);
  CHECK(call_kette(lens).says("expected the one to translate to, of de, en, given none"));
  CHECK(call_kette({"lab", "align", "--quick", "--model", model, "--to", "fr"})
            .says("language: expected one of de, en, given fr"));
  CHECK(call_kette({"lab", "heads", "--quick", "--model", model})
            .says("lab heads: expected a model that translates to one language, given "));
  CHECK(call_kette({"lab", "heads", "--model", model, "--to", "de"}).code == 2);
}

TEST_CASE("conflicts: an average takes the place of an earlier one, and of nothing else") {
  const SmallModel& small = SmallModel::get();
  const std::string model = small.model();
  for (const std::string& file :
       {model + "/training.safetensors", model + "/model.safetensors", small.file("valid.en")}) {
    const std::string before = read_file(file);
    const Outcome mean = call_kette({"average", "--model", model, "--last", "2", "--out", file});
    CHECK(mean.code == 2);
    CHECK(mean.says("expected a new file or an earlier mean of such a model, given " + file));
    CHECK(read_file(file) == before);
  }
  const std::string input = model + "/checkpoints/step-8.safetensors", before = read_file(input);
  CHECK(call_kette({"average", "--model", model, "--last", "2", "--out", input}).code == 2);
  CHECK(read_file(input) == before);
  const ScratchFolder folder;
  const std::string mean = (folder / "mean").string();
  for (int i = 0; i < 2; ++i) {
    CHECK(call_kette({"average", "--model", model, "--last", "2", "--out", mean}).code == 0);
  }
  CHECK(call_kette({"average", mean, mean, "--out", mean}).code == 1);  // it is read
}

TEST_CASE("conflicts: an output has its name once it is whole") {
  const SmallModel& small = SmallModel::get();
  const ScratchFolder folder;
  const std::string out = (folder / "out").string(), unfinished = out + ".kette-unfinished";
  std::string lines;
  for (int i = 0; i < 5000; ++i) lines += "the cat\n";  // more than are translated at once
  RunOptions options;
  options.input = lines + "\xFF\n";
  const auto translate = [&](const std::vector<std::string>& more) {
    return run_kette(with({"translate", "--model", small.model(), "--beam", "1", "--max-length",
                           "2", "--no-mend", "--output", out},
                          more),
                     options);
  };
  write_file(out, "earlier\n");
  std::filesystem::permissions(
      out, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  const Outcome parted = translate({"--split", "lines", "--prefix", small.file("valid.en")});
  CHECK(parted.code == 1);  // a prefix for each of the first lines alone
  CHECK(read_file(out) == "earlier\n");
  const Outcome stopped = translate({"--on-error", "stop"});
  CHECK(stopped.code == 1);
  std::string written = read_file(out);
  CHECK(count_of(written, "\n") == 5000);
  CHECK_FALSE(std::filesystem::exists(unfinished));
  const Outcome skipped = translate({});
  CHECK(skipped.code == 1);
  written = read_file(out);
  CHECK(count_of(written, "\n") == 5001);
  CHECK(std::filesystem::status(out).permissions() ==
        (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
  // Killed between two parts: what there was, and what was done.
  options.input = lines + lines + lines + lines;
  options.signal = SIGKILL;
  options.signal_when = {unfinished};
  write_file(out, "earlier\n");
  CHECK(translate({}).code == 128 + SIGKILL);
  CHECK(read_file(out) == "earlier\n");
  CHECK(!read_file(unfinished).empty());
  options.signal = 0;
  options.input = "the cat\n";
  CHECK(translate({}).code == 0);
  CHECK_FALSE(std::filesystem::exists(unfinished));
  // Through a link to where it leads.
  std::filesystem::create_symlink(out, folder / "link");
  CHECK(run_kette({"translate", "--model", small.model(), "--output", (folder / "link").string()},
                  options)
            .code == 0);
  CHECK(std::filesystem::is_symlink(folder / "link"));
}

TEST_CASE("conflicts: translations take no place of a model's files") {
  const SmallModel& small = SmallModel::get();
  const std::string checkpoint = small.model() + "/checkpoints/step-4.safetensors",
                    elsewhere = small.file("elsewhere.safetensors");
  write_file(elsewhere, read_file(checkpoint));
  for (const std::string& file : {checkpoint, elsewhere, small.model() + "/config.json"}) {
    const std::string before = read_file(file);
    const Outcome outcome =
        call_kette({"translate", "--model", small.model(), "--checkpoint", elsewhere, "--input",
                    small.file("valid.en"), "--output", file});
    CHECK(outcome.code == 1);
    CHECK(outcome.says(file));
    CHECK(read_file(file) == before);
  }
}
