// --help, the hints in errors, and completion.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include <set>
#include <sstream>

#include "cli/guide.h"
#include "cli/help.h"
#include "cli/man_page.h"
#include "cli/synonyms.h"
#include "models/families.h"
#include "tests/cli/call_kette.h"
#include "tests/cli/run_bash.h"
#include "tests/environment.h"
#include "train/fitted_recipe.h"

using namespace kette;
using namespace kette::testing;
namespace fs = std::filesystem;

namespace {

std::vector<std::string> words_in(const std::string& text) {
  std::istringstream all(text);
  std::vector<std::string> words;
  for (std::string word; all >> word;) words.push_back(word);
  return words;
}

std::size_t longest_line(const std::string& text) {
  std::istringstream all(text);
  std::size_t longest = 0;
  for (std::string line; std::getline(all, line);) {
    const auto length =
        std::count_if(line.begin(), line.end(), [](unsigned char c) { return (c & 0xC0) != 0x80; });
    longest = std::max(longest, static_cast<std::size_t>(length));
  }
  return longest;
}

/// Whether a line of the help begins with the option.
bool shows(const std::string& help, const std::string& option) {
  for (const char* end : {" ", ",", "[", "\n"}) {
    if (contains(help, "\n  " + option + end)) return true;
  }
  return false;
}

std::vector<std::string> option_names(const cli::CommandDescription& command) {
  std::vector<std::string> names;
  for (const cli::OptionDescription& option : command.options) names.push_back(option.name);
  return names;
}

}  // namespace

TEST_CASE("help: the options that one needs, or all") {
  for (const cli::CommandDescription& command : cli::described_commands()) {
    CAPTURE(command.name());
    const std::vector<std::string> basic = words_in(cli::basic_options_of(command.words));
    CHECK(basic.size() <= 20);
    if (command.options.size() > 20 && command.words != words_in("bench translate")) {
      CHECK(basic.size() >= 5);
    }
    const std::set<std::string> shown(basic.begin(), basic.end());
    CHECK(shown.size() == basic.size());
    const std::string help = cli::help_text(command, 100), all = cli::help_text(command, 100, true);
    std::size_t found = 0, left_out = 0;
    for (const cli::OptionDescription& option : command.options) {
      CAPTURE(option.name);
      const bool is_basic = basic.empty() || option.has_place() || shown.contains(option.name);
      CHECK(shows(all, option.name));
      CHECK(shows(help, option.name) == is_basic);
      found += shown.contains(option.name);
      left_out += !is_basic;
    }
    CHECK(found == basic.size());  // each of them is an option
    CHECK(contains(help, std::to_string(left_out) + " more options: " + command.name() +
                             " --help-all") == (left_out > 0));
    CHECK_FALSE(contains(all, "more options"));
    for (const char* word : {"Excludes:", "Needs:", "{false}"}) CHECK_FALSE(contains(all, word));
  }
  const Outcome help = call_kette({"train", "--help"}), all = call_kette({"train", "--help-all"});
  CHECK((help.code == 0 && all.code == 0));
  CHECK_FALSE(contains(help.out, "--label-smoothing"));
  CHECK(contains(all.out, "--label-smoothing X=0.1 "));
  CHECK(contains(help.out, "--help-all"));
  CHECK(call_kette({"translate", "--model", "m", "--beam", "2", "--sample"})
            .says("--beam excludes --sample"));
}

TEST_CASE("help: a default stands once, and those of a preset under its name") {
  const std::string mark = "the defaults shown are those of ";
  int of_presets = 0;
  for (const cli::CommandDescription& command : cli::described_commands()) {
    CAPTURE(command.name());
    for (const cli::OptionDescription& option : command.options) {
      const std::size_t at = option.group.find(mark);
      if (at == std::string::npos || !option.shows_initial()) continue;
      const std::size_t begin = at + mark.size();
      const std::string preset = option.group.substr(begin, option.group.find(';', begin) - begin);
      CAPTURE(option.name);
      CAPTURE(preset);
      const auto config = family_of_preset(preset).config(preset);
      for (const Field& field : config->fields()) {
        if (field.option != option.name) continue;
        CHECK(option.initial == text_of_value(field));
        ++of_presets;
      }
    }
  }
  CHECK(of_presets > 50);
  const cli::CommandDescription train = cli::described_command({"train"});
  const std::string help = cli::help_text(train, 1000, true), page = cli::man_page(train);
  CHECK(contains(help, "All models (the defaults shown are those of tiny; see --preset):"));
  CHECK(contains(help, "GPT models, BERT models (the defaults shown are those of gpt2; see"));
  CHECK(contains(help, "Vocabulary (the defaults shown are those of tiny; see --preset):"));
  // One that another text than --help's own says is not said twice.
  for (const char* wrong : {"=tiny", "--lr X=", "--accumulate N=", "--warmup-share X="}) {
    CAPTURE(wrong);
    CHECK_FALSE(contains(help, wrong));
  }
  CHECK(contains(help, "--beta2 X=0.98"));
  CHECK(contains(page, "0.99 by itself (default: 0.98)"));
  CHECK(contains(help, "with --resume those of earlier starts"));
  CHECK(contains(help, "with --src and no preset 5 to 100 epochs"));
  CHECK(fitted_recipe({1, 10}, {}).epochs == 100);
  CHECK(fitted_recipe({std::int64_t{1} << 30, std::int64_t{1} << 36}, {}).epochs == 5);
}

TEST_CASE("help: lines are as wide as the terminal, and have no more than that") {
  for (const cli::CommandDescription& command : cli::described_commands()) {
    CAPTURE(command.name());
    for (const std::size_t width : {60, 72, 100, 160}) {
      CAPTURE(width);
      CHECK(longest_line(cli::help_text(command, width, true)) <= width);
      CHECK(longest_line(cli::help_text(command, width)) <= width);
    }
  }
  for (const auto& [columns, least, most] :
       {std::tuple("20", 50U, 60U), std::tuple("140", 120U, 140U), std::tuple("", 90U, 100U),
        std::tuple("x", 90U, 100U)}) {
    const Environment environment("COLUMNS", columns);
    const std::size_t width = longest_line(call_kette({"train", "--help-all"}).out);
    CAPTURE(width);
    CHECK((width > least && width <= most));
  }

  const int side = ::posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
  REQUIRE((side >= 0 && ::grantpt(side) == 0 && ::unlockpt(side) == 0));
  RunOptions terminal;
  terminal.output_file = ::ptsname(side);
  const int other = ::open(terminal.output_file.c_str(), O_RDWR | O_NOCTTY);
  winsize size{};
  size.ws_col = 75;
  ::ioctl(other, TIOCSWINSZ, &size);
  const Environment environment("COLUMNS", "");
  CHECK(run_kette({"version", "--help"}, terminal).code == 0);
  CHECK(run_kette({"split", "--help"}, terminal).code == 0);
  std::string text(65536, '\0');
  const ssize_t count = ::read(side, text.data(), text.size());
  REQUIRE(count > 0);
  text.resize(static_cast<std::size_t>(count));
  text.erase(std::remove(text.begin(), text.end(), '\r'), text.end());
  const std::size_t width = longest_line(text);
  CHECK((width > 65 && width <= 75));
  ::close(other);
  ::close(side);
}

TEST_CASE("help: help and version are commands, too") {
  for (const char* words : {"", "train", "bench", "bench train", "help"}) {
    CAPTURE(words);
    const std::vector<std::string> all = words_in(words);
    const Outcome help = call_kette(with({"help"}, all));
    CHECK(help.code == 0);
    CHECK(help.out == call_kette(with(all, {"--help"})).out);
  }
  CHECK(call_kette({"help", "train", "--all"}).out == call_kette({"train", "--help-all"}).out);
  CHECK(call_kette({"version"}).out == call_kette({"--version"}).out);
  const Outcome unknown = call_kette({"help", "bench", "trian"});
  CHECK(unknown.code == 2);
  CHECK(unknown.says("unknown command trian (did you mean train?); kette bench --help lists"));
  CHECK(contains(call_kette({"help"}).out, "\n  version "));
}

TEST_CASE("hints: each name of another program's option leads to one that there is") {
  const std::vector<cli::CommandDescription> commands = cli::described_commands();
  for (const cli::Synonyms& one : cli::all_synonyms()) {
    const std::string option = one.option, target = words_in(option).front();
    for (const std::string& name : words_in(one.names)) {
      CAPTURE(option);
      CAPTURE(name);
      const bool leads = std::any_of(commands.begin(), commands.end(), [&](const auto& command) {
        const std::vector<std::string> known = option_names(command);
        const auto has = [&](const std::string& wanted) {
          return std::find(known.begin(), known.end(), wanted) != known.end();
        };
        return has(target) && !has("--" + name) && cli::meant_option("--" + name, known) == option;
      });
      CHECK(leads);
    }
  }
  const auto meant = [](const std::vector<std::string>& words, const std::string& option) {
    const Outcome outcome = call_kette(words);
    return outcome.code == 2 && outcome.says("(did you mean " + option + "?)");
  };
  CHECK(meant({"train", "--learning-rate", "1"}, "--lr"));
  CHECK(meant({"train", "--max_steps=5"}, "--steps"));
  CHECK(meant({"train", "--fp16"}, "--precision bf16"));
  CHECK(meant({"generate", "--top_k", "5"}, "--top-k"));
  CHECK(meant({"generate", "--max-new-tokens", "5"}, "--max-tokens"));
  CHECK(meant({"translate", "--num-beams", "5"}, "--beam"));
  CHECK(meant({"translate", "--gpu"}, "--device cuda"));
  CHECK(meant({"bleu", "--reference", "x"}, "--ref"));
  CHECK_FALSE(call_kette({"bleu", "--gpu"}).says("device"));  // which it has not
  const ScratchFolder folder;
  write_file(folder / "run.toml", "use_gpu = true\n");
  CHECK(meant({"train", "--config", (folder / "run.toml").string()}, "device = \"cuda\""));
}

TEST_CASE("--json=FILE: all else is as without it, and no argument is taken for the file") {
  const ScratchFolder folder;
  const std::string ref = (folder / "ref").string(), json = (folder / "out.json").string();
  write_file(ref, "a b c d e\n");
  const std::vector<std::string> bleu = {"bleu", "--ref", ref, "--input", ref};
  const Outcome plain = call_kette(bleu), printed = call_kette(with(bleu, {"--json"}));
  for (int i = 0; i < 2; ++i) {  // an earlier one is replaced
    const Outcome written = call_kette(with(bleu, {"--json=" + json}));
    CHECK_MESSAGE(written.code == 0, written.err);
    CHECK(written.out == plain.out);
    CHECK(plain.out + read_file(json) == printed.out);
  }
  const auto refused = [&](const std::string& file, const std::string& why) {
    const Outcome outcome = call_kette(with(bleu, {"--json=" + file}));
    return outcome.code == 2 && outcome.says("--json: expected ") && outcome.says(why);
  };
  CHECK(refused(ref, "which holds something else"));
  CHECK(read_file(ref) == "a b c d e\n");
  CHECK(refused((folder / "none" / "x.json").string(), "first)"));
  CHECK(refused(folder.path().string(), "which is something else"));
  CHECK(call_kette(with(bleu, {"--json="})).says("--json: expected a value, given nothing"));
  CHECK(call_kette(with(bleu, {"--json", json})).says("(--json=" + json + " writes to a file)"));
  CHECK(call_kette({"gradcheck", "exp", "--json", "softmax"}).json()["passed"] == 2);
  write_file(folder / "run.toml", "json = \"" + json + "2\"\n");
  CHECK(call_kette(with(bleu, {"--config", (folder / "run.toml").string()})).out == plain.out);
  CHECK(read_file(json + "2") == read_file(json));

  const SmallModel& small = SmallModel::get();
  const std::vector<std::string> translate = {
      "translate", "the cat sees bread .", "a man", "--model", small.model(), "--threads", "1"};
  const std::string lines = call_kette(translate).out;
  CHECK(count_of(lines, "\n") == 2);
  CHECK(call_kette(with(translate, {"--json=" + json})).out == lines);
  CHECK(JsonView::parse(read_file(json))["sentences"] == 2);
}

TEST_CASE("completion in bash: every option of every command, and words, files and folders") {
  const ScratchFolder folder;
  write_file(folder / "a file", "");
  fs::create_directory(folder / "folder");
  const std::string script =
      "source <('" + kette_binary() + "' completion bash); cd '" + folder.path().string() +
      "'\n"
      "at() { COMP_WORDS=(\"$@\") COMP_CWORD=$(($# - 1)) COMPREPLY=(); _kette; "
      "echo \"> ${COMPREPLY[*]} <\"; }\n";
  std::string calls;
  const std::vector<cli::CommandDescription> commands = cli::described_commands();
  for (const cli::CommandDescription& command : commands) calls += "at " + command.name() + " -\n";
  const Outcome outcome = run_bash(script + calls);
  REQUIRE(outcome.code == 0);
  std::istringstream lines(outcome.out);
  for (const cli::CommandDescription& command : commands) {
    std::string line;
    std::getline(lines, line);
    CAPTURE(command.name());
    for (const cli::OptionDescription& option : command.options) {
      if (option.has_place()) continue;
      CAPTURE(option.name);
      CHECK(contains(line, " " + option.name + " "));
      CHECK(contains(line, " " + (option.opposite.empty() ? "--help-all" : option.opposite) + " "));
    }
  }
  const auto completed = [&](const std::string& words) {
    const std::string text = run_bash(script + "at " + words + "\n").out;
    return text.substr(0, text.find('\n'));
  };
  CHECK(completed("kette tra") == "> train translate trace <");
  CHECK(completed("kette bench tok") == "> tokenize <");
  CHECK(completed("kette help ben") == "> bench <");
  CHECK(completed("kette help bench tok") == "> tokenize <");
  CHECK(completed("kette help gradcheck ''") == ">  <");
  CHECK(completed("kette help train --st") == ">  <");
  CHECK(completed("kette bleu --json = ''") == "> a file folder <");
  CHECK(completed("kette bleu --json ''") == ">  <");
  CHECK(completed("kette train --objective ''") == "> next masked <");
  CHECK(completed("kette train --objective = m") == "> masked <");
  CHECK(completed("kette train --objective = ''") == "> next masked <");
  CHECK(completed("kette train --src ''") == "> a file folder <");
  CHECK(completed("kette train --src x ''") == "> a file folder <");
  CHECK(completed("kette train --out ''") == "> folder <");
  CHECK(completed("kette train --steps ''") == ">  <");
  CHECK(completed("kette train --steps 5 --li") == ">  <");
  CHECK(completed("kette translate --no-m") == "> --no-mend <");
  CHECK(completed("kette bench train --pre") == "> --preset --precision <");
  CHECK(completed("kette completion ''") == "> bash zsh fish <");
}

TEST_CASE("completion in fish and zsh, where there are such shells") {
  const ScratchFolder folder;
  fs::create_directory(folder / "folder");
  for (const char* shell : {"fish", "zsh"}) {
    const std::string script = (folder / shell).string();
    const Outcome printed = call_kette({"completion", shell});
    REQUIRE(printed.code == 0);
    write_file(script, printed.out);
    if (run_bash("command -v " + std::string(shell)).code != 0) {
      MESSAGE("skipped: " << std::string(shell) << ", which is not installed");
      continue;
    }
    const Outcome read = run_bash(std::string(shell) + " -n '" + script + "'");
    CHECK_MESSAGE((read.code == 0 && read.out.empty()), read.out);
    if (shell == std::string("zsh")) continue;
    const auto completed = [&](const std::string& line) {
      return run_bash("cd '" + folder.path().string() + "'; HOME=$PWD fish -c \"source " + script +
                      "; complete -C '" + line + "'\" | cut -f 1 | tr '\\n' ' '")
          .out;
    };
    CHECK(completed("kette tra") == "trace train translate ");
    CHECK(completed("kette bench tok") == "tokenize ");
    CHECK(completed("kette train --objective ") == "masked next ");
    CHECK(completed("kette train --out fo") == "folder/ ");
    CHECK(completed("kette translate --no-m") == "--no-mend ");
    CHECK(completed("kette completion ") == "bash fish zsh ");
  }
}
