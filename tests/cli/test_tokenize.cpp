// `kette tokenize` as scripts see it.
#include <doctest/doctest.h>

#include "data/corpora/token_file.h"
#include "data/files/safetensors.h"
#include "tests/cli/call_kette.h"
#include "tests/cli/run_bash.h"
#include "tests/data/planted_corpus.h"
#include "tests/train/resumed_run.h"

using namespace kette::testing;

TEST_CASE("cli: tokenize writes ids and says how many") {
  const ScratchFolder folder;
  const std::string a = (folder / "a").string(), b = (folder / "b").string();
  const std::string out = (folder / "ids").string();
  write_file(folder / "a", "one\ntwo\n");
  write_file(folder / "b", "three\n");
  const Outcome outcome = call_kette({"tokenize", "--text", a, b, "--tokenizer", "byte",
                                      "--documents", "line", "--out", out, "--json"});
  CAPTURE(outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK(outcome.out.starts_with(out + ": 14 tokens of 11 bytes in 3 documents, 0.79 bytes"));
  const auto json = outcome.json();
  CHECK(json["documents"] == 3);
  CHECK(json["tokens"] == 14);
  CHECK(json["bytes"] == 11);
  CHECK(json["vocabulary"] == 257);
  const kette::TokenFile file = kette::TokenFile::open(out);
  CHECK(file.copy(0, 5) == std::vector<std::int32_t>{'o', 'n', 'e', 256, 't'});
  CHECK(json["tokenizer"] == file.info().tokenizer);
}

TEST_CASE("cli: tokenize refuses tokenizers, files and folders that it cannot use") {
  const ScratchFolder folder;
  const std::string text = (folder / "text").string(), out = (folder / "ids").string();
  write_file(folder / "text", "text\n");
  const auto run = [&](const std::string& tokenizer, const std::string& file) {
    return call_kette({"tokenize", "--text", file, "--tokenizer", tokenizer, "--out", out});
  };
  const Outcome unknown = run("bite", text);
  CHECK(unknown.code == 2);
  CHECK(unknown.says("--tokenizer: expected byte, KIND:DIR"));
  const Outcome no_files = run(folder.path().string(), text);
  CHECK(no_files.code == 1);
  CHECK(no_files.says("expected a folder with the files of a tokenizer"));
  CHECK(run("gpt2:" + folder.path().string(), text).code == 1);
  const Outcome no_text = run("byte", (folder / "none").string());
  CHECK(no_text.code == 1);
  CHECK(no_text.says("none: expected a text file"));
  CHECK(call_kette({"tokenize", "--text", text, "--tokenizer", "byte", "--out", out, "--documents",
                    "lines"})
            .code == 2);
  CHECK(!std::filesystem::exists(out));

  // Nor in the place of anything but earlier ids.
  write_file(out, "precious\n");
  const Outcome taken = run("byte", text);
  CHECK(taken.code == 2);
  CHECK(taken.says("--out: expected a new file or earlier ids, given " + out));
  CHECK(read_file(out) == "precious\n");
  write_file(out, "");
  CHECK(run("byte", text).code == 0);
  CHECK(run("byte", text).code == 0);
}

TEST_CASE(
    "kette tokenize: a file of tokens takes no other documents, a parser's tokenizer no text") {
  const ScratchFolder folder;
  const std::string text = (folder / "text").string(), tokens = (folder / "tokens").string();
  write_file(text, "a b\nb a\n");
  CHECK(call_kette({"tokenize", "--text", text, "--tokenizer", "byte", "--out", tokens}).code == 0);
  const Outcome refused = call_kette({"train", "--text", tokens, "--tokenizer", "byte",
                                      "--documents", "line", "--out", (folder / "model").string()});
  CHECK(refused.code == 1);
  CHECK(refused.says("(leave --documents line out)"));
  write_file(folder / "config.json", "{\"architectures\": [\"MarianMTModel\"]}");
  CHECK(call_kette({"translate", "--model", folder.path().string()})
            .says("given one of Hugging Face (kette import makes a model directory of it)"));
}

namespace {

/// What a small model becomes on these texts, in a folder of this name beside the small corpus.
std::vector<float> trained_on(const std::filesystem::path& folder, const std::string& name,
                              const std::vector<std::string>& texts) {
  const auto arguments =
      without(train_arguments(folder, name), {"--src", "--tgt", "--vocab", "--max-length"});
  const Outcome outcome = call_kette(with(arguments, texts));
  CAPTURE(outcome.err);
  CHECK(outcome.code == 0);
  return parameters_in(folder / name);
}

}  // namespace

TEST_CASE("cli: a model learns the same from prepared pairs as from their texts") {
  const ScratchFolder folder;
  write_small_corpus(folder.path());
  const std::string source = (folder / "train.en").string(),
                    target = (folder / "train.de").string(), pairs = (folder / "pairs").string();
  const std::vector<std::string> prepare = {"tokenize", "--src",         source, "--tgt",
                                            target,     "--vocab",       "80",   "--out",
                                            pairs,      "--shard-lines", "25",   "--json"};
  const Outcome prepared = call_kette(prepare);
  CAPTURE(prepared.err);
  REQUIRE(prepared.code == 0);
  CHECK(
      prepared.out.starts_with(pairs + ": 60 pairs in 3 shards; 60 sentence pairs read, 60 kept"));
  CHECK(prepared.json()["shards"] == 3);
  // As one that was killed leaves it.
  std::filesystem::remove(folder / "pairs" / "pairs.json");
  std::filesystem::rename(folder / "pairs" / "text-1-00002.tokens",
                          folder / "pairs" / ".text-1-00002.tokens.kette-unfinished-1-1");
  CHECK(call_kette(prepare).code == 0);
  CHECK(call_kette(prepare).code == 0);  // which has nothing to do

  const auto trained = [&](const std::string& name, const std::vector<std::string>& texts) {
    return trained_on(folder.path(), name, texts);
  };
  const auto from_pairs = trained("from-pairs", {"--pairs", pairs});
  CHECK(from_pairs == trained("from-text", {"--src", source, "--tgt", target, "--tokenizer",
                                            pairs + "/tokenizer.model"}));
  CHECK(read_file(folder / "from-pairs" / "text.json") ==
        read_file(folder / "from-text" / "text.json"));
  CHECK_FALSE(std::filesystem::exists(folder / "from-pairs" / "train.tokens"));

  const Outcome refused = call_kette(train_arguments(folder.path(), "other", {"--pairs", pairs}));
  CHECK(refused.code == 2);
  CHECK(refused.says("expected none beside --pairs"));
  auto other = prepare;
  other[2] = target;
  CHECK(call_kette(other).says("(--append adds texts to them)"));
  *(std::find(other.begin(), other.end(), "--out") + 1) = folder.path().string();
  CHECK(call_kette(other).says("expected a new folder, or one of kette tokenize"));
  CHECK(call_kette({"tokenize", "--src", source, "--out", pairs}).code == 2);
}

TEST_CASE("cli: tokenize leaves out what check finds, by the same names") {
  const ScratchFolder folder;
  write_planted(folder.path());
  const std::vector<std::string> prepare = {"tokenize",
                                            "--src",
                                            (folder / "train.en").string(),
                                            "--tgt",
                                            (folder / "train.de").string(),
                                            "--vocab",
                                            "300",
                                            "--out",
                                            (folder / "pairs").string(),
                                            "--shard-lines",
                                            "100",
                                            "--quiet"};
  const Outcome outcome =
      call_kette(with(prepare, {"--filter", "encoding", "duplicate", "overlap-normalised",
                                "--test-src", (folder / "valid.en").string(), "--test-tgt",
                                (folder / "valid.de").string(), "--json"}));
  CAPTURE(outcome.err);
  REQUIRE(outcome.code == 0);
  const auto json = outcome.json();
  const auto& findings = json["left_out"][0]["findings"];
  REQUIRE(findings.size() == 3);
  CHECK(findings[0]["finding"] == "duplicate");
  CHECK(findings[0]["pairs"] == 12);
  CHECK(findings[0]["samples"].size() == 10);
  CHECK(findings[1]["pairs"] == 4);
  CHECK(findings[2]["samples"][1]["line"] == 21);
  CHECK(json["pairs"] == 900 - 12 - 4 - 2 - 3);
  CHECK(
      contains(outcome.out, "12 of 900 pairs (1.33 %) repeat an earlier pair, such as\n  line 10"));
  CHECK(contains(outcome.out, "left out of " + (folder / "train.en").string() + " and "));
  CHECK(contains(outcome.out, "  2 that are in the training and in held-out text, but for case"));

  CHECK(
      call_kette(prepare).says("expected the pairs that it has to be without duplicate, encoding"));
  const auto refused = [&](const std::vector<std::string>& more, const std::string& why) {
    const Outcome other = call_kette(with(prepare, more));
    CHECK(other.code == 2);
    CHECK(other.says(why));
  };
  refused({"--filter", "dupes"}, "--filter: expected one of duplicate, empty");
  refused({"--filter", "overlap"},
          "expected texts that are held out beside an overlap, given none");
  refused({"--test-src", "a"}, "--test-tgt: expected one for each --test-src, 1, given 0");
}

TEST_CASE(
    "cli: several folders of prepared pairs, each with its languages, are their texts together") {
  const ScratchFolder folder;
  write_small_corpus(folder.path());
  const auto path = [&](const char* name) { return (folder / name).string(); };
  write_file(folder / "more.en", "the dog hears music .\nthe cat finds water .\n");
  write_file(folder / "more.fr", "le chien entend la musique .\nle chat trouve l'eau .\n");
  const auto prepare = [&](const std::vector<std::string>& more) {
    const Outcome outcome = call_kette(with({"tokenize"}, more));
    CAPTURE(outcome.err);
    CHECK(outcome.code == 0);
  };
  prepare({"--src", path("train.en"), path("more.en"), "--tgt", path("train.de"), path("more.fr"),
           "--languages", "de", "fr", "--vocab", "90", "--out", path("pairs")});
  prepare({"--src", path("more.en"), "--tgt", path("more.fr"), "--languages", "fr", "--tokenizer",
           path("pairs/tokenizer.model"), "--out", path("again")});
  const auto from_pairs =
      trained_on(folder.path(), "from-pairs",
                 {"--pairs", path("pairs"), path("again"), "--weights", "1", "3", "2"});
  CHECK(from_pairs == trained_on(folder.path(), "from-text",
                                 {"--src", path("train.en"), path("more.en"), path("more.en"),
                                  "--tgt", path("train.de"), path("more.fr"), path("more.fr"),
                                  "--languages", "de", "fr", "fr", "--tokenizer",
                                  path("pairs/tokenizer.model"), "--weights", "1", "3", "2"}));
  const std::vector<std::string> translate = {"translate", "--model", path("from-pairs"), "--input",
                                              path("more.en")};
  CHECK(call_kette(with(translate, {"--to", "fr"})).code == 0);
  CHECK(call_kette(translate).says("expected the one to translate to, of de, fr, given none"));
}

TEST_CASE("cli: a language model learns the same from a folder of shards as from its texts") {
  const ScratchFolder folder;
  std::string text;
  for (int i = 0; i < 400; ++i) text += "line " + std::to_string(i * i) + " of a text\n";
  write_file(folder / "a.txt", text);
  write_file(folder / "b.txt", "one more\nand another\n");
  const std::string a = (folder / "a.txt").string(), b = (folder / "b.txt").string(),
                    shards = (folder / "shards").string();
  const std::vector<std::string> prepare = {"tokenize",      "--text", a,       "--vocab", "300",
                                            "--documents",   "line",   "--out", shards,    "--json",
                                            "--shard-bytes", "1500"};
  const Outcome prepared = call_kette(prepare);
  CAPTURE(prepared.err);
  REQUIRE(prepared.code == 0);
  const auto json = prepared.json();
  CHECK(json["documents"] == 400);
  CHECK(json["shards"] == 6);
  CHECK(contains(prepared.out, ", 6 shards\n"));
  // As one that was killed leaves it; the vocabulary stays.
  std::filesystem::remove(folder / "shards" / "tokens.json");
  std::filesystem::rename(folder / "shards" / "text-1-00002.tokens",
                          folder / "shards" / ".text-1-00002.tokens.kette-unfinished-1-1");
  CHECK(call_kette(prepare).code == 0);
  auto more = prepare;
  more[2] = b;
  more.push_back("--append");
  const Outcome appended = call_kette(more);
  CAPTURE(appended.err);
  CHECK(appended.code == 0);
  CHECK(appended.json()["documents"] == 402);
  CHECK(std::distance(std::filesystem::directory_iterator(folder / "shards"), {}) == 6 + 1 + 2);

  const auto trained = [&](const std::string& name, const std::vector<std::string>& texts) {
    std::vector<std::string> arguments = {"train", "--steps",
                                          "3",     "--context",
                                          "16",    "--width",
                                          "16",    "--heads",
                                          "2",     "--layers",
                                          "1",     "--quiet",
                                          "--out", (folder / name).string()};
    const Outcome outcome = call_kette(with(arguments, texts));
    CAPTURE(outcome.err);
    CHECK(outcome.code == 0);
    return parameters_in(folder / name);
  };
  const auto from_shards = trained("from-shards", {"--text", shards});
  CHECK(from_shards ==
        trained("from-text", {"--text", a, b, "--documents", "line", "--tokenizer", shards}));
  trained("own", {"--text", a, "--tokenizer", "sentencepiece", "--vocab", "300"});
  CHECK(read_file(folder / "own" / "tokenizer.model") ==
        read_file(folder / "shards" / "tokenizer.model"));
  trained("mixed", {"--text", shards, a, "--tokenizer", shards, "--weights", "1", "3"});
  const std::string model = (folder / "from-shards").string();
  const auto scored = [&](const std::vector<std::string>& texts) {
    return call_kette(with({"evaluate", "--model", model, "--json", "--text"}, texts)).last_line();
  };
  CHECK(scored({shards}) == scored({a, b, "--documents", "line"}));

  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& said) {
    const Outcome outcome = call_kette(arguments);
    CAPTURE(outcome.err);
    CHECK(outcome.code != 0);
    CHECK(outcome.says(said));
  };
  const std::string out = (folder / "never").string();
  refused({"train", "--text", shards, "--tokenizer", "character", "--out", out},
          "--tokenizer: expected none beside a folder of tokens");
  refused({"train", "--text", shards, "--weights", "1", "2", "--out", out},
          "--weights: expected one for each --text, 1, given 2");
  refused({"train", "--pairs", shards, "--valid-src", a, "--valid-tgt", a, "--out", out},
          "(kette train --text takes it)");
  refused({"train", "--text", folder.path().string(), "--out", out},
          "expected a folder of tokens, which kette tokenize --text makes, given none");
  refused({"tokenize", "--text", b, "--out", shards, "--documents", "line"},
          "(--append adds texts to them)");
  refused({"tokenize", "--src", a, "--tgt", a, "--out", shards}, "given one of tokens");
  refused({"tokenize", "--text", b, "--out", folder.path().string(), "--tokenizer", "byte"},
          "expected a new folder, or one of kette tokenize, given one with");
  refused({"tokenize", "--text", b, "--out", shards, "--append", "--vocab", "280"},
          "--vocab: expected none, or the 300 pieces of the vocabulary in " + shards +
              ", given 280; choose another --out");
  refused({"tokenize", "--text", b, "--out", shards, "--append", "--mask-piece"},
          "--mask-piece: expected none beside the vocabulary in " + shards);
  refused({"tokenize", "--text", b, "--out", out}, "--tokenizer is required with --text");
  CHECK_FALSE(std::filesystem::exists(out));
  // A name that ends in / is a folder's, any other a file's.
  CHECK(call_kette({"tokenize", "--text", b, "--tokenizer", "byte", "--out", out + "/"}).code == 0);
  CHECK(std::filesystem::exists(folder / "never" / "text-1-00001.tokens"));
  CHECK(trained("from-bytes", {"--text", out, a, "--tokenizer", "byte"}).size() > 0);
}

TEST_CASE("cli: shards of a large text take no more memory than those of a small one") {
  const ScratchFolder folder;
  std::string text;
  while (text.size() < (std::size_t{4} << 20)) text += "a line that says very little\n";
  write_file(folder / "small", text);
  std::string large;
  for (int i = 0; i < 12; ++i) large += text;
  write_file(folder / "large", large);
  const auto peak = [&](const std::string& name) {
    const Outcome outcome =
        call_kette({"tokenize", "--text", (folder / name).string(), "--tokenizer", "byte", "--out",
                    (folder / name).string() + "-out/", "--shard-bytes", "4000000", "--json"});
    REQUIRE(outcome.code == 0);
    return outcome.json()["peak_rss_mib"].get<double>();
  };
  CHECK(peak("large") < peak("small") + 16);
  // Nor more files at a time than a shell allows.
  const Outcome many = run_bash("ulimit -Sn 30; '" + kette_binary() + "' tokenize --text '" +
                                (folder / "small").string() +
                                "' --tokenizer byte --documents line --shard-bytes 99999 --out '" +
                                (folder / "many").string() + "'");
  CAPTURE(many.out);
  CHECK(many.code == 0);
  CHECK(contains(many.out, ", 41 shards"));
}
