// Man pages, and what they and --help say of a command as a whole.
#include <doctest/doctest.h>

#include <set>

#include "cli/commands/commands.h"
#include "cli/help.h"
#include "cli/man_page.h"
#include "tests/cli/call_kette.h"
#include "tests/cli/run_bash.h"

using namespace kette;
using namespace kette::testing;

TEST_CASE("man pages: every option of every command, without a warning") {
  const ScratchFolder folder;
  const Outcome written = call_kette({"man", "--out", (folder / "man").string()});
  REQUIRE_MESSAGE(written.code == 0, written.err);
  std::set<std::string> names;
  for (const cli::CommandDescription& command : cli::described_commands()) {
    const std::string name = cli::man_page_name(command), page = read_file(folder / "man" / name);
    CAPTURE(name);
    CHECK(names.insert(name).second);
    CHECK(page == cli::man_page(command));
    for (const cli::OptionDescription& option : command.options) {
      CAPTURE(option.name);
      for (std::string word : {option.name, option.opposite}) {
        for (std::size_t at = 0; (at = word.find('-', at)) != std::string::npos; at += 2) {
          word.insert(at, "\\");
        }
        if (!word.empty()) CHECK(contains(page, word + "\\fR"));
      }
    }
  }
  CHECK(names.contains("kette.1"));
  CHECK(names.contains("kette-bench-train.1"));
  CHECK(call_kette({"man", "bench", "train"}).out ==
        read_file(folder / "man" / "kette-bench-train.1"));
  CHECK(call_kette({"man", "nothing"}).says("unknown command nothing"));
  if (run_bash("command -v groff").code != 0) {
    MESSAGE("skipped: groff, which is not installed");
    return;
  }
  const Outcome read =
      run_bash("for width in 60 100; do for page in '" + folder.path().string() +
               "'/man/*.1; do groff -man -ww -z -Tutf8 -rLL=${width}n $page; done; done");
  CHECK(read.code == 0);
  CHECK(read.out == "");
}

TEST_CASE("man pages: what has to be given is shown as in --help, and its absence is explained") {
  struct Expected {
    const char *command, *usage, *synopsis;
  };
  const Expected all[] = {
      {"completion", "kette completion [OPTIONS] SHELL\n",
       "\\fBkette completion\\fR [\\fIOPTIONS\\fR] \\fISHELL\\fR\n"},
      {"compare", "kette compare [OPTIONS] A B [TEXT]\n",
       "[\\fIOPTIONS\\fR] \\fIA\\fR \\fIB\\fR [\\fITEXT\\fR]\n"},
      {"plot", "kette plot [OPTIONS] RUN...\n", "[\\fIOPTIONS\\fR] \\fIRUN...\\fR\n"},
      {"merge", "kette merge --model DIR --out DIR [OPTIONS]\n",
       " \\fB\\-\\-model\\fR \\fIDIR\\fR \\fB\\-\\-out\\fR \\fIDIR\\fR [\\fIOPTIONS\\fR]\n"}};
  for (const Expected& one : all) {
    CAPTURE(one.command);
    const cli::CommandDescription command = cli::described_command({one.command});
    CHECK(contains(cli::help_text(command, 100), "Usage: " + std::string(one.usage)));
    CHECK(contains(cli::man_page(command), one.synopsis));
  }
  const auto missing = [](const std::vector<std::string>& words, const std::string& what) {
    const Outcome outcome = call_kette(words);
    return outcome.code == 2 && outcome.says(what);
  };
  CHECK(missing({"completion"}, "SHELL is required (Of which shell: bash, zsh or fish)"));
  CHECK(missing({"compare", "a"}, "B is required (The one that it is compared with)"));
  CHECK(missing({"plot"}, "RUN is required (Folders that kette train made"));
  CHECK(missing({"train", "--minutes", "1"}, "--out is required (The model directory to make)"));
}

TEST_CASE("man pages: exit codes are those of the command") {
  struct Expected {
    const char *command, *status;
  };
  const Expected all[] = {{"split", "0: it is done. 1: an error. 2: a command line that makes no"},
                          {"compare", " 1: they part. 2: that cannot be told, or a command line"},
                          {"lab", " 1: an error, or a claim that does not hold."},
                          {"check", " 1: an error, or warnings with "},
                          {"translate", " 1: an error, or lines that were not translated"},
                          {"gradcheck", " 1: an error, or a gradient that is wrong."},
                          {"tape", " a gradient that is wrong."},
                          {"sweep", " (130: SIGINT, 143: SIGTERM)"},
                          {"train", " (130: SIGINT, 143: SIGTERM)"},
                          {"train", " 75: a process was not heard of"},
                          {"score", " 75: a process was not heard of"}};
  for (const Expected& one : all) {
    CAPTURE(one.command);
    CHECK(contains(cli::man_page(cli::described_command({one.command})), one.status));
  }
  CHECK_FALSE(contains(cli::man_page(cli::described_command({"split"})), "75:"));
  for (const cli::Command* one : cli::commands()) CHECK_FALSE(contains(one->help, "exit code"));
}
