// Options of a command, bound to variables: a name, where the value goes, which values make sense,
// one line of help. Every one knows its current value as text, for the defaults in --help and for
// the configuration saved with a model.
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

// CLI11 is all headers, which every file that includes them compiles anew, for as long as all the
// rest of it: few do.
namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace kette::cli {

/// The command line or a configuration file makes no sense: exit code 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// Which numbers an option takes. NaN and the infinities are in no range. A variable that starts
/// outside the range of its option is not set: --help shows no default for it, and it is left out
/// of saved configurations.
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

/// An option once it is there.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  Option required();
  Option excludes(Option other);
  Option needs(Option other);
  /// Tells `then` of each value while the command line is read.
  Option on_each(const std::function<void(const std::string&)>& then);

  bool given() const;
  /// Given, and not as it is without.
  bool is_changed() const;
  /// With its dashes.
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
  /// Present or absent; "--name,!--no-name" can be taken back.
  Option flag(const std::string& name, bool& value, const std::string& help);
  /// One of a few words, which `set` is given.
  Option one_of(const std::string& name, const std::vector<std::string>& words,
                const std::function<void(const std::string&)>& set,
                const std::function<std::string()>& current, const std::string& help);
  /// The same with a variable; `then` is told of the choice.
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
  /// Takes all values that follow it, and may be given several times.
  Option list(const std::string& name, std::vector<std::string>& values, const std::string& help,
              const std::string& type = "FILE");
  /// Likewise numbers.
  Option numbers(const std::string& name, std::vector<double>& values, Range range,
                 const std::string& help);
  /// Anything: `set` is given the text and throws kette::Error if it makes no sense.
  Option custom(const std::string& name, const std::function<void(const std::string&)>& set,
                const std::function<std::string()>& current, const std::string& help,
                const std::string& type);

 private:
  CLI::App& command_;
  std::string title_;
};

/// A new command of the program, or of a command that has some.
CLI::App& add_command(CLI::App& parent, const std::string& name, const std::string& help);
/// One of its commands must be given.
void require_command(CLI::App& parent);
/// Makes a UsageError of an Error, which names the option as the command line does.
void as_usage(const CLI::App& command, const std::function<void()>& check);
/// What a command refuses once its options are read, before it does anything, and whoever only asks whether it would take
/// them hears of, too.
void when_read(CLI::App& command, std::function<void()> check);
/// What a command does then.
void when_run(CLI::App& command, std::function<void()> run);

/// Refuses each option of the groups with these titles, but for itself, beside `option`.
void exclude_groups(CLI::App& command, const Option& option,
                    const std::vector<std::string>& titles);

/// Sets again what was given, over values that were chosen since.
void apply_given(CLI::App& command);
/// What was given of a command's options, as one would write it in a shell, without those named.
std::string given_options(const CLI::App& command, const std::vector<std::string>& but);

}  // namespace kette::cli
