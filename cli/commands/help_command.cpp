// `kette help` and `kette version`: as --help and --version.
#include <memory>

#include "cli/commands/commands.h"
#include "cli/help.h"
#include "cli/host.h"
#include "cli/version.h"

namespace kette::cli {
namespace {

struct HelpOptions {
  std::vector<std::string> words;
  bool all = false;
};

void add_help_options(CLI::App& command) {
  auto options = std::make_shared<HelpOptions>();
  OptionGroup group(command, "Help");
  group.list("COMMAND", options->words, "Whose help, in one word or two (default: of all)", "");
  group.flag("--all", options->all, "All options, as --help-all");
  when_run(command, [options] {
    to_stdout() << help_text(described_command(options->words), width_of_help(), options->all);
  });
}

void add_version_options(CLI::App& command) {
  when_run(command, [] { to_stdout() << "kette " << full_version() << "\n"; });
}

}  // namespace

const Command help_command = {"help", "Print what a command does and its options",
                              add_help_options};
const Command version_command = {"version", "Print the version and the commit",
                                 add_version_options};

}  // namespace kette::cli
