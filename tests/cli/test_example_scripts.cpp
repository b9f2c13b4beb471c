// examples/*/run.sh, with programs in the place of Kette's that note what they are asked: which words are taken, what a
// model is trained on, and when.
#include <doctest/doctest.h>

#include "tests/cli/run_bash.h"

using namespace kette;
using namespace kette::testing;
namespace fs = std::filesystem;

namespace {

/// Makes what it is to write; a training ends as if by Ctrl-C where there is a file `stop`.
constexpr const char* kNotingProgram = R"sh(#!/usr/bin/env bash
echo "${0##*/} $*" >> notes
command=$1
while (($# > 0)); do
  case $1 in
    --out) mkdir -p "$2" && touch "$2/config.json" ;;
    --output) touch "$2" ;;
  esac
  shift
done
[[ $command != train || ! -e stop ]] || exit 130
)sh";

class NotedExamples {
 public:
  NotedExamples() {
    for (const char* name : {"kette", "kette-corpus"}) {
      write_file(folder_ / name, kNotingProgram);
      fs::permissions(folder_ / name, fs::perms::owner_all);
    }
  }

  fs::path operator/(const std::string& name) const { return folder_ / name; }
  /// command: in the scratch folder, where $examples is the folder of them.
  Outcome run(const std::string& command) const {
    return run_bash("unset MODEL SHORT; cd '" + folder_.path().string() +
                    "'; export OUT=out KETTE=./kette examples='" +
                    (source_folder() / "examples").string() + "'\n" + command);
  }
  std::string notes() const {
    return fs::exists(folder_ / "notes") ? read_file(folder_ / "notes") : "";
  }
  std::size_t trainings() const { return count_of(notes(), "kette train "); }

 private:
  ScratchFolder folder_;
};

std::string numbered_lines(int count) {
  std::string lines;
  for (int i = 0; i < count; ++i) lines += "line " + std::to_string(i) + "\n";
  return lines;
}

}  // namespace

TEST_CASE("examples: other words than they take are refused, and nothing is trained") {
  const NotedExamples examples;
  int found = 0;
  for (const auto& entry : fs::directory_iterator(source_folder() / "examples")) {
    if (!fs::exists(entry.path() / "run.sh")) continue;
    ++found;
    const std::string script = "$examples/" + entry.path().filename().string() + "/run.sh";
    CAPTURE(script);
    const Outcome many = examples.run(script + " a b c d");
    CHECK(many.code == 2);
    CHECK(contains(many.out, "words, given 4:\n./run.sh [--short]"));
    const Outcome late = examples.run(script + " a --short");
    CHECK(late.code == 2);
    CHECK(contains(late.out,
                   "expected --short as the first word and no other option, given --short"));
  }
  CHECK(found == 9);
  CHECK(examples.run("$examples/parser/run.sh train.mrg dev.mrg").code == 2);
  CHECK(examples.notes().empty());
}

TEST_CASE("examples: a translator is trained to its end, once for each size, or is the one given") {
  const NotedExamples examples;
  fs::create_directory(examples / "one");
  write_file(examples / "one/run.sh",
             "set -euo pipefail\n. \"$examples/example.sh\"\ntranslator\necho \"model $model\"\n");
  const std::string script = "bash one/run.sh";
  write_file(examples / "stop", "");
  CHECK(examples.run(script).code == 130);
  CHECK(fs::exists(examples / "out/translator/config.json"));  // but no model that was trained
  fs::remove(examples / "stop");
  for (int i = 0; i < 2; ++i) {
    const Outcome whole = examples.run(script);
    CHECK(whole.code == 0);
    CHECK(contains(whole.out, "/out/translator\n"));
    CHECK(examples.trainings() == 2);
  }
  CHECK(contains(examples.run(script + " --short").out, "/out/translator-short\n"));
  CHECK(examples.trainings() == 3);
  CHECK(contains(examples.run("MODEL=out/translator " + script).out, "model out/translator\n"));
  const Outcome nothing = examples.run("MODEL=out/translater " + script);
  CHECK(nothing.code == 2);
  CHECK(contains(nothing.out, "MODEL: expected the folder of a model, given out/translater"));
  CHECK_FALSE(fs::exists(examples / "out/translater"));
  CHECK(examples.trainings() == 3);
}

TEST_CASE("examples: own-text validates on its own lines, and wants enough of them") {
  const NotedExamples examples;
  write_file(examples / "long", numbered_lines(120));
  write_file(examples / "short", numbered_lines(49));
  CHECK(examples.run("$examples/own-text/run.sh long long").code == 0);
  CHECK(read_file(examples / "out/valid.source") == "line 49\nline 99\n");
  CHECK(examples.trainings() == 1);
  const Outcome few = examples.run("$examples/own-text/run.sh short short");
  CHECK(few.code == 2);
  CHECK(contains(few.out, "expected at least 50 lines, given 49 in short"));
  CHECK(examples.trainings() == 1);
}

TEST_CASE("examples: parser --short is short with trees of one's own, too") {
  const NotedExamples examples;
  CHECK(examples.run("$examples/parser/run.sh --short a b c").code == 0);
  CHECK(contains(examples.notes(), " --steps 20 --validate-every 20 --trees a --valid-trees b "));
  CHECK(examples.run("$examples/parser/run.sh a b c").code == 0);
  CHECK(contains(examples.notes(), "train.toml --trees a "));
}

TEST_CASE("examples: char-gpt judges by the tenth of the characters that training kept out") {
  if (run_bash("iconv --version && gzip --version").code != 0) {
    MESSAGE("skipped: iconv or gzip is not installed");
    return;
  }
  const NotedExamples examples;
  std::string text;
  for (int i = 0; i < 45; ++i) text += "a\u00e4";
  const std::string end = "0123\u00e456789";
  write_file(examples / "text", text + end);
  for (const std::string file : {"text", "packed"}) {
    CAPTURE(file);
    const Outcome outcome =
        examples.run("gzip -c text > packed; $examples/char-gpt/run.sh " + file);
    INFO(outcome.out);
    CHECK(outcome.code == 0);
    CHECK(read_file(examples / "out/held-out.txt") == end);
  }
  CHECK(contains(examples.notes(), "--text packed --out "));
}

TEST_CASE("examples: a model of an earlier run stays, also where the next training fails") {
  const NotedExamples examples;
  write_file(examples / "text", numbered_lines(120));
  write_file(examples / "stop", "");
  const auto keeps = [&](const std::string& command, const std::vector<std::string>& folders) {
    CAPTURE(command);
    for (int run = 1; run <= 2; ++run) {
      for (const std::string& folder : folders) {
        fs::create_directories(examples / folder);
        write_file(examples / (folder + "/mine"), std::to_string(run));
      }
      const Outcome outcome = examples.run(command);
      INFO(outcome.out);
      CHECK(outcome.code == 130);
      for (const std::string& folder : folders) {
        const std::string earlier = folder + ".earlier-" + std::to_string(run);
        REQUIRE(fs::exists(examples / (earlier + "/mine")));
        CHECK(read_file(examples / (earlier + "/mine")) == std::to_string(run));
        CHECK(contains(outcome.out, "/" + folder + " is now "));
        CHECK(contains(outcome.out, "/" + earlier + "\n"));
        CHECK_FALSE(fs::exists(examples / (folder + "/mine")));
      }
    }
    fs::remove_all(examples / "out");
  };
  keeps("$examples/own-text/run.sh text text", {"out/model"});
  keeps("$examples/char-gpt/run.sh text", {"out/model"});
  keeps("$examples/multi30k/run.sh corpus", {"out/model"});
  keeps("$examples/parser/run.sh a b c", {"out/model"});
  fs::create_directories(examples / "corpus");
  fs::create_directories(examples / "given");
  write_file(examples / "given/config.json", "");
  keeps(
      "mkdir -p out/corpus && touch out/corpus/{train,valid,test}.{en,de}; "
      "MODEL=given $examples/lora/run.sh",
      {"out/adapted", "out/merged"});
}
