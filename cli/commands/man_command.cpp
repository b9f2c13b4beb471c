// `kette man` and `kette completion`: what a system keeps of the command line beside the program.
#include <memory>

#include "cli/commands/commands.h"
#include "cli/completion.h"
#include "cli/host.h"
#include "cli/man_page.h"
#include "data/files/atomic_file.h"

namespace kette::cli {
namespace {

struct ManOptions {
  std::vector<std::string> words;
  std::filesystem::path out;
};

void run(const ManOptions& o) {
  if (o.out.empty()) {
    to_stdout() << man_page(described_command(o.words));
    return;
  }
  std::filesystem::create_directories(o.out);
  for (const CommandDescription& command : described_commands()) {
    write_file_atomically(o.out / man_page_name(command), man_page(command));
  }
}

void add_man_options(CLI::App& command) {
  auto options = std::make_shared<ManOptions>();
  OptionGroup group(command, "Pages");
  const Option words = group.list("COMMAND", options->words,
                                  "Whose page, in one word or two (default: of the program)", "");
  group
      .path("--out", options->out,
            "Instead: write the pages of all commands into this folder, which is made", "DIR")
      .excludes(words);
  when_run(command, [options] { run(*options); });
}

void add_completion_options(CLI::App& command) {
  auto shell = std::make_shared<std::string>();
  OptionGroup group(command, "Completion");
  group.choice("SHELL", *shell, {"bash", "zsh", "fish"}, "Of which shell: bash, zsh or fish")
      .required();
  when_run(command, [shell] {
    to_stdout() << (*shell == "bash"  ? bash_completion()
                    : *shell == "zsh" ? zsh_completion()
                                      : fish_completion());
  });
}

}  // namespace

const Command man_command = {"man", "Print a man page, or write all of them", add_man_options};
const Command completion_command = {
    "completion", "Print what completes this command line in a shell", add_completion_options};

}  // namespace kette::cli
