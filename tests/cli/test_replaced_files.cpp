// What stands where a command is to write: it is replaced only by its like, for else it would be lost.
#include <doctest/doctest.h>

#include <filesystem>

#include "tests/cli/call_kette.h"
#include "tests/cli/refusals.h"

using namespace kette::testing;
namespace fs = std::filesystem;

namespace {

/// A command that is to leave the file as it is, and to say so as an error of usage.
void check_stays(const std::vector<std::string>& words, const std::string& file,
                 const std::string& content, const std::string& said) {
  write_file(file, content);
  check_refused(call_kette(words), said, 2);
  CHECK(read_file(file) == content);
}

}  // namespace

TEST_CASE("replaced files: --json= takes the place of earlier JSON, not of a log or a corpus") {
  const ScratchFolder folder;
  const std::string ref = (folder / "ref").string(), file = (folder / "x.jsonl").string();
  write_file(ref, "a b c d e\n");
  const std::vector<std::string> bleu = {"bleu", "--ref", ref, "--input", ref};
  const auto stays = [&](const std::string& name, const std::string& content,
                         const std::string& said) {
    const std::string path = (folder / name).string();
    check_stays(with(bleu, {"--json=" + path}), path, content, said);
  };
  const std::string line = "{\"step\":1,\"loss\":2.5}\n", other = "which holds something else";
  stays("x.jsonl", line + line, other);
  stays("x.jsonl", line + "\n", other);
  stays("x.jsonl", "{\"step\":1}", other);  // such as a tokenizer of another program
  stays("x.jsonl", "{\"step\":1\n", other);
  stays("x.jsonl", "{\"step\":1} {\n", other);
  stays("log.jsonl", line, "--json: expected another name, given ");
  stays("record.jsonl", line, "which is that of a run's log");
  check_refused(call_kette(with(bleu, {"--json=" + (folder / "new/log.jsonl").string()})),
                "expected another name", 2);
  fs::remove(file);
  CHECK(call_kette(with(bleu, {"--json=" + file})).code == 0);
  const std::string first = read_file(file);
  CHECK(call_kette(with(bleu, {"--json=" + file})).code == 0);
  CHECK(read_file(file) == first);
}

TEST_CASE("replaced files: a report of translations, and batches, replace nothing but their like") {
  const SmallModel& small = SmallModel::get();
  const ScratchFolder folder;
  const std::string file = (folder / "file").string();
  const std::vector<std::string> translate = {"translate", "a man", "--model",  small.model(),
                                              "--threads", "1",     "--report", file};
  check_stays(translate, file, "mine\n",
              "--report: expected a new file or an earlier report, given ");
  check_stays(translate, file, "{\"lines\":2}\n", "--report: expected a new file");
  fs::remove(file);
  for (int i = 0; i < 2; ++i) CHECK(call_kette(translate).code == 0);
  CHECK(count_of(read_file(file), "\n") == 1);
  const std::vector<std::string> document = {"translate",
                                             "--model",
                                             small.model(),
                                             "--input",
                                             (folder / "a.md").string(),
                                             "--output",
                                             (folder / "b.md").string(),
                                             "--report",
                                             file};
  write_file(folder / "a.md", "the cat sees bread .\n");
  for (int i = 0; i < 2; ++i) CHECK(call_kette(document).code == 0);  // also over one of lines
  CHECK(contains(read_file(file), "{\"block\":1,"));

  const std::vector<std::string> batches = {
      "bench",    "train", "--steps",          "1",  "--warmup",         "0",
      "--width",  "16",    "--hidden",         "32", "--heads",          "2",
      "--vocab",  "100",   "--encoder-layers", "1",  "--decoder-layers", "1",
      "--tokens", "200",   "--threads",        "1",  "--write-batches",  file};
  check_stays(batches, file, "mine\n",
              "--write-batches: expected a new file or earlier batches, given ");
  fs::remove(file);
  for (int i = 0; i < 2; ++i) {
    const Outcome outcome = call_kette(batches);
    CHECK_MESSAGE(outcome.code == 0, outcome.err);
  }
  CHECK(read_file(file).starts_with("{\"source\":"));
}
