// The examples of --help: each is run.
#include <doctest/doctest.h>

#include <map>
#include <set>

#include "cli/guide.h"
#include "cli/option_tree.h"
#include "tests/cli/run_bash.h"

using namespace kette;
using namespace kette::testing;
namespace fs = std::filesystem;

namespace {

/// Those that are not run, and why.
const std::map<std::string, std::string> kNotRun = {
    {"kette serve --model en-de=my-model --model gpt=my-gpt", "does not end by itself"},
    {"kette serve --check http://127.0.0.1:5000", "asks a server over the network"},
    {"kette patch --model my-model --contrast number --out patch.html",
     "needs a model that has learnt the bundled corpus; scripts/same_outputs.txt has one"},
    {"mpirun -n 2 kette bench exchange", "needs a launcher; test_exchange.cpp runs it"},
};

/// What makes a long one short, by how it begins.
const std::vector<std::pair<std::string, std::string>> kShort = {
    {"kette train --src",
     "--preset tiny --vocab 80 --width 16 --hidden 32 --heads 2 --encoder-layers 1 "
     "--decoder-layers 1 --batch-tokens 200 --quiet --steps 2 --out trained"},
    {"kette train --text",
     "--layers 1 --width 16 --hidden 32 --heads 2 --context 16 --batch-tokens 64 --quiet "
     "--steps 2 --out trained-gpt"},
    {"kette tokenize --text", "--vocab 300"},
    {"kette tokenize --src", "--vocab 80"},
    {"kette parse ", "--beam 2 --output trees.mrg"},
    {"kette lexicon", "--iterations 1"},
    {"kette heads", "--samples 10 --beam 1"},
    {"kette gradcheck --model", "--fast --elements 1"},
    {"kette trace", "--tokens 64 --warmup 0 --no-limits"},
    {"kette tape", "--tokens 64"},
    {"kette bench train", "--tokens 64 --steps 1 --warmup 0 --vocab 100"},
    {"kette bench translate", "--sentences 2 --length 3 --steps 1 --warmup 0"},
    {"kette bench generate",
     "--prompt 2 --tokens 2 --runs 1 --layers 1 --width 16 --hidden 32 --heads 2"},
    {"kette bench tokenize", "--steps 1 --warmup 0"},
    {"kette bench corpus", "--batches 2 --batch-tokens 200"},
    {"kette bench ops", "--tokens 16"},
    {"kette bench products", "--tokens 16 --runs 1"},
};

/// Models of the other kinds, beside my-model; FOLDER and KETTE are put in front.
constexpr const char* kOtherModels = R"sh(
set -e
cd "$FOLDER"
few="--width 16 --hidden 32 --heads 2 --batch-tokens 64 --quiet --steps 2"
text="--text input.txt --layers 1 --context 32 --threads 1 $few"
"$KETTE" train --from my-model --lora-rank 2 --src train.en --tgt train.de --valid-src valid.en --valid-tgt valid.de \
  --out my-adapters --batch-tokens 200 --quiet --steps 2
"$KETTE" train $text --out my-gpt
"$KETTE" train $text --out my-bert --objective masked --vocab 300
"$KETTE" train --trees test.mrg --valid-trees test.mrg --preset parse --encoder-layers 1 --decoder-layers 1 $few \
  --out my-parser
)sh";

/// The texts and models that the examples name.
void make_files(const ScratchFolder& folder) {
  write_small_corpus(folder.path());
  const std::string text = "ROMEO:\n" + read_file(folder / "train.en");
  for (const char* name : {"input.txt", "other.txt"}) write_file(folder / name, text);
  for (const char* side : {"en", "de"}) {
    fs::copy(folder / (std::string("valid.") + side), folder / (std::string("test.") + side));
  }
  fs::copy(folder / "test.de", folder / "translated.de");
  const std::string trees =
      "(S (NP (DT the) (NN cat)) (VP (VBZ sees) (NP (NN bread))) (. .))\n"
      "(S (NP (DT a) (NN man)) (VP (VBZ likes) (NP (NN music))) (. .))\n";
  for (const char* name : {"test.mrg", "parsed.mrg"}) write_file(folder / name, trees);
  write_file(folder / "sentences.txt", "the cat sees bread .\na man likes music .\n");
  write_file(folder / "page.html", "<p>The <b>cat</b> sees bread.</p>\n");
  write_file(folder / "runs.toml",
             "src = \"train.en\"\ntgt = \"train.de\"\nvalid-src = \"valid.en\"\n"
             "valid-tgt = \"valid.de\"\nvocab = 80\nencoder-layers = 1\ndecoder-layers = 1\n"
             "width = 16\nhidden = 32\nheads = 2\nbatch-tokens = 200\nsteps = 2\n[evaluate]\n"
             "src = \"test.en\"\nref = \"test.de\"\n[one]\n[other]\nheads = 1\n");
  fs::copy(source_folder() / "tests/fixtures/hugging_face/marian", folder / "opus-mt-en-de");
  const Outcome trained = run_kette(
      train_arguments(folder.path(), "my-model", {"--steps", "10", "--validate-every", "2"}));
  REQUIRE_MESSAGE(trained.code == 0, trained.err);
  fs::copy(folder / "my-model", folder / "other-model", fs::copy_options::recursive);
  const Outcome others = run_bash("FOLDER='" + folder.path().string() + "' KETTE='" +
                                  fs::absolute(kette_binary()).string() + "'\n" + kOtherModels);
  REQUIRE_MESSAGE(others.code == 0, others.out);
  fs::create_directories(folder / "home/.config/fish/completions");
  fs::create_directories(folder / "bin");
  fs::create_symlink(fs::absolute(kette_binary()), folder / "bin" / "kette");
}

std::string short_form(const std::string& line) {
  for (const auto& [start, more] : kShort) {
    if (line.starts_with(start)) return line + " " + more;
  }
  return line;
}

}  // namespace

TEST_CASE("examples: every command has one, of that command") {
  std::set<std::string> all;
  for (const cli::CommandDescription& command : cli::described_commands()) {
    if (!command.parts.empty()) continue;
    const std::vector<std::string> lines = cli::examples_of(command.words);
    CAPTURE(command.name());
    CHECK(!lines.empty());
    CHECK(lines.size() <= 2);
    for (const std::string& line : lines) {
      CHECK(contains(line + " ", command.name() + " "));
      all.insert(line);
    }
  }
  for (const auto& [line, why] : kNotRun) CHECK(all.contains(line));
  for (const auto& entry : kShort) {
    const std::string& start = entry.first;
    CAPTURE(start);
    const auto at = all.lower_bound(start);
    CHECK((at != all.end() && at->starts_with(start)));
  }
}

TEST_CASE("examples: each does what it says") {
  const ScratchFolder folder;
  make_files(folder);
  const bool has_man = run_bash("command -v man").code == 0;
  if (!has_man) MESSAGE("skipped: man, which is not installed");
  for (const cli::CommandDescription& command : cli::described_commands()) {
    for (const std::string& line : cli::examples_of(command.words)) {
      if (kNotRun.contains(line) || (!has_man && contains(line, "| man"))) continue;
      CAPTURE(line);
      const Outcome outcome =
          run_bash("set -eo pipefail; exec < /dev/null; cd '" + folder.path().string() +
                   "'; export HOME=$PWD/home PATH=$PWD/bin:$PATH "
                   "OMP_NUM_THREADS=1\n" +
                   short_form(line) + "\n");
      CHECK_MESSAGE(outcome.code == 0, outcome.out);
    }
  }
  CHECK(fs::exists(folder / "home/.local/share/man/man1/kette-bench-train.1"));
  CHECK(contains(read_file(folder / "seite.html"), "<p>"));
}
