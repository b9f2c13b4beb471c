// Options of a command, bound to variables. An option has a name, a variable, valid values and one line of
// help. It gives its current value as text, for --help and for the configuration saved with a model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tensor/enum_names.h"
#include "tensor/error.h"
#include "tensor/shortest.h"

// CLI11 is header-only and slow to compile, so few files include it.
namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace kette::cli {

/// An invalid command line or configuration file: exit code 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// The valid numbers of an option. Never NaN or infinite. A variable whose initial value is outside the
/// range counts as not set: --help shows no default, and saved configurations exclude it.
struct Range {
  double low = 0;
  bool with_low = false;
  double below = std::numeric_limits<double>::infinity();

  bool contains(double value) const {
    return (with_low ? value >= low : value > low) && value < below;
  }
  std::string str() const;
};
inline Range above(double low) { return {low, false}; }
inline Range at_least(double low) { return {low, true}; }
/// [0, 1)
inline Range rate() { return {0, true, 1}; }

/// An option that was added to a command.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  Option required();
  Option excludes(Option other);
  Option needs(Option other);
  /// Takes each value as `change` makes it, before anything else reads it.
  Option changed_by(const std::function<std::string(std::string)>& change);
  /// Its value names a file, or a folder, that the command makes (when_run()).
  Option writes();
  /// The same, and - as its value is standard output, which the command knows.
  Option prints();
  /// Calls `then` with each value while the command line is parsed.
  Option on_each(const std::function<void(const std::string&)>& then);

  bool given() const;
  /// Whether it was given with a value other than the default.
  bool is_changed() const;
  /// With dashes.
  std::string name() const;

 private:
  friend void exclude_groups(CLI::App& command, const Option& option,
                             const std::vector<std::string>& titles);

  CLI::Option* option_;
};

/// A titled group of a command's options in --help.
class OptionGroup {
 public:
  OptionGroup(CLI::App& command, std::string title) : command_(command), title_(std::move(title)) {}

  Option number(const std::string& name, std::int64_t& value, Range range, const std::string& help);
  Option number(const std::string& name, std::uint64_t& value, const std::string& help);
  Option number(const std::string& name, double& value, Range range, const std::string& help);
  Option text(const std::string& name, std::string& value, const std::string& help,
              const std::string& type = "TEXT");
  Option path(const std::string& name, std::filesystem::path& value, const std::string& help,
              const std::string& type = "FILE");
  /// With "--name,!--no-name", the flag can also be switched off.
  Option flag(const std::string& name, bool& value, const std::string& help);
  /// A flag that may have a path hanging on it, "--name=FILE", which `check` refuses by an Error.
  Option flag_or_path(const std::string& name, bool& value, std::filesystem::path& path,
                      const std::string& help,
                      const std::function<void(const std::filesystem::path&)>& check);
  /// One of a few words, passed to `set`.
  Option one_of(const std::string& name, const std::vector<std::string>& words,
                const std::function<void(const std::string&)>& set,
                const std::function<std::string()>& current, const std::string& help);
  /// The same with a variable. then: called with the choice.
  Option choice(const std::string& name, std::string& value, const std::vector<std::string>& words,
                const std::string& help, const std::function<void(const std::string&)>& then = {});
  /// The same for an enumeration with a table of names (tensor/enum_names.h).
  template <class Enum>
  requires std::is_enum_v<Enum> Option choice(const std::string& name, Enum& value,
                                              const std::string& help) {
    const auto set = [&value](const std::string& text) { value = enum_named<Enum>(text); };
    return one_of(
        name, all_names<Enum>(), set, [&value] { return enum_name(value); }, help);
  }
  /// Takes all values that follow it. May be given several times.
  Option list(const std::string& name, std::vector<std::string>& values, const std::string& help,
              const std::string& type = "FILE");
  /// The same for numbers.
  Option numbers(const std::string& name, std::vector<double>& values, Range range,
                 const std::string& help);
  /// Any text, passed to `set`, which throws kette::Error if it is invalid.
  Option custom(const std::string& name, const std::function<void(const std::string&)>& set,
                const std::function<std::string()>& current, const std::string& help,
                const std::string& type);

 private:
  CLI::App& command_;
  std::string title_;
};

/// Adds a command to the program, or to a command with sub-commands.
CLI::App& add_command(CLI::App& parent, const std::string& name, const std::string& help);
/// Requires one of the parent's commands.
void require_command(CLI::App& parent);
/// Turns an Error into a UsageError, with the option's name as on the command line.
void as_usage(const CLI::App& command, const std::function<void()>& check);
/// Sets the checks after the options are read, before the command runs. They also run if the options are only checked.
void when_read(CLI::App& command, std::function<void()> check);
/// Sets the work of a command. Before it a UsageError refuses two options that write to one file, and - for one (Option::writes()).
void when_run(CLI::App& command, std::function<void()> run);

/// Makes `option` exclude all other options of the groups with these titles.
void exclude_groups(CLI::App& command, const Option& option,
                    const std::vector<std::string>& titles);

/// Sets the given values again, over values that were chosen since.
void apply_given(CLI::App& command);
/// The given options of a command, as shell text. but: names to exclude. shown: what stands for a value.
std::string given_options(const CLI::App& command, const std::vector<std::string>& but,
                          const std::function<std::string(const std::string&)>& shown);

}  // namespace kette::cli
