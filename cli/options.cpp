#include "cli/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <memory>

#include "tensor/read_number.h"
#include "tensor/suggestion.h"

namespace kette::cli {
namespace {

/// Reads all of the text as one number.
template <class Number>
bool parse(const std::string& text, Number& value) {
  const char* end = text.data() + text.size();
  const auto [stopped, error] = read_number(text.data(), end, value);
  return error == std::errc() && stopped == end && !text.empty();
}

template <class Number>
void set_number(const std::string& text, const char* kind, const Range& range, Number& value) {
  Number number{};
  KETTE_CHECK(parse(text, number) && range.contains(static_cast<double>(number)), "expected ", kind,
              " ", range.str(), ", given ", text.empty() ? "nothing" : text);
  value = number;
}

template <class Number>
std::string number_text(Number value, const Range& range) {
  if (!range.contains(static_cast<double>(value))) return "";
  if constexpr (std::is_floating_point_v<Number>) return shortest(value);
  return std::to_string(value);
}

/// In quotes, where a shell would make something else of it.
std::string for_shell(const std::string& text) {
  const bool is_plain = std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_./:=,-").find(c) != std::string_view::npos;
  });
  if (is_plain) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

/// The names of validators that take everything, and so mark an option that writes, and one whose - is standard output.
constexpr const char *kWrites = "writes", *kPrints = "prints";

bool is_marked(CLI::Option& option, const char* mark) {
  try {
    static_cast<void>(option.get_validator(mark));
    return true;
  } catch (const CLI::OptionNotFound&) {
    return false;
  }
}

/// What a given option writes to, behind links; empty: standard output, a device, or a folder that is there.
std::filesystem::path written_by(const CLI::Option& option) {
  const std::string value = option.results().back();
  const bool is_flag = option.get_items_expected_max() == 0;  // --json alone is "true"
  if (value == "-" || (is_flag && (value == "true" || value == "false"))) return {};
  std::error_code none;
  const std::filesystem::path place =
      std::filesystem::weakly_canonical(std::filesystem::absolute(value, none), none);
  const bool is_file =
      !std::filesystem::exists(place, none) || std::filesystem::is_regular_file(place, none);
  return is_file ? place : std::filesystem::path();
}

/// Of two options that write to one file the later would replace what the earlier has written. And nobody means a file by -.
void check_written(CLI::App& command) {
  std::map<std::filesystem::path, std::string> writers;
  for (CLI::Option* option : command.get_options()) {
    if (option->count() == 0 || !is_marked(*option, kWrites)) continue;
    if (option->results().back() == "-" && !is_marked(*option, kPrints)) {
      throw UsageError(
          option->get_name() +
          ": expected a path, given -, which only options that say so take for standard "
          "output (./- is a file of that name)");
    }
    const std::filesystem::path place = written_by(*option);
    if (place.empty()) continue;
    const auto [writer, is_new] = writers.emplace(place, option->get_name());
    if (is_new) continue;
    throw UsageError(option->get_name() + ": expected another file than that of " + writer->second +
                     ", given the same, " + option->results().back());
  }
}

/// Names the option in what `set` throws.
template <class Function>
void as_usage_error(const std::string& name, const Function& set) {
  try {
    set();
  } catch (const Error& error) {
    throw UsageError(name + ": " + error.what());
  }
}

/// "batch_tokens: expected", of what knows nothing of a command line, is "--batch-tokens: expected" there.
std::string named_as_option(const CLI::App& command, const std::string& message) {
  const std::size_t end = message.find(':');
  if (end == std::string::npos) return message;
  std::string name = "--" + message.substr(0, end);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '_' || c == ' '; }, '-');
  const bool is_option = command.get_option_no_throw(name) != nullptr;
  return is_option ? name + message.substr(end) : message;
}

}  // namespace

Option Option::required() {
  option_->required();
  return *this;
}

Option Option::needs(Option other) {
  option_->needs(other.option_);
  return *this;
}

Option Option::excludes(Option other) {
  option_->excludes(other.option_);
  return *this;
}

Option Option::changed_by(const std::function<std::string(std::string)>& change) {
  option_->transform(change, "");
  return *this;
}

Option Option::writes() {
  option_->check([](const std::string&) { return std::string(); }, "", kWrites);
  return *this;
}

Option Option::prints() {
  option_->check([](const std::string&) { return std::string(); }, "", kPrints);
  return writes();
}

Option Option::on_each(const std::function<void(const std::string&)>& then) {
  option_->each(then);
  return *this;
}

bool Option::given() const { return option_->count() > 0; }
bool Option::is_changed() const {
  const std::string before = option_->get_default_str();  // a flag's is empty
  return given() && option_->results().back() != (before.empty() ? "false" : before);
}
std::string Option::name() const { return option_->get_name(); }

CLI::App& add_command(CLI::App& parent, const std::string& name, const std::string& help) {
  return *parent.add_subcommand(name, help);
}

void require_command(CLI::App& parent) { parent.require_subcommand(1); }

void exclude_groups(CLI::App& command, const Option& option,
                    const std::vector<std::string>& titles) {
  for (CLI::Option* other : command.get_options()) {
    const bool is_in = std::find(titles.begin(), titles.end(), other->get_group()) != titles.end();
    if (is_in && other != option.option_) option.option_->excludes(other);
  }
}

void apply_given(CLI::App& command) {
  for (CLI::Option* option : command.get_options()) {
    if (option->count() == 0) continue;
    const std::vector<std::string> results = option->results();
    option->clear();
    option->add_result(results);
    option->run_callback();
  }
}

std::string given_options(const CLI::App& command, const std::vector<std::string>& but,
                          const std::function<std::string(const std::string&)>& shown) {
  std::string text;
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0 || std::find(but.begin(), but.end(), name) != but.end()) continue;
    for (const std::string& value : option->results()) {
      text += (text.empty() ? "" : " ") + name + "=" + for_shell(shown(value));
    }
  }
  return text;
}

void as_usage(const CLI::App& command, const std::function<void()>& check) {
  try {
    check();
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {
    throw UsageError(named_as_option(command, error.what()));
  }
}

void when_read(CLI::App& command, std::function<void()> check) {
  command.parse_complete_callback(
      [&command, check = std::move(check)] { as_usage(command, check); });
}

void when_run(CLI::App& command, std::function<void()> run) {
  command.callback([&command, run = std::move(run)] {
    check_written(command);
    run();
  });
}

std::string Range::str() const {
  const bool limited = below < std::numeric_limits<double>::infinity();
  if (limited)
    return std::string(with_low ? "from " : "above ") + shortest(low) + " to below " +
           shortest(below);
  return (with_low ? "of at least " : "above ") + shortest(low);
}

Option OptionGroup::custom(const std::string& name,
                           const std::function<void(const std::string&)>& set,
                           const std::function<std::string()>& current, const std::string& help,
                           const std::string& type) {
  const std::string long_name = name.substr(0, name.find(','));
  CLI::Option* option = command_.add_option_function<std::string>(
      name,
      [set, long_name](const std::string& text) { as_usage_error(long_name, [&] { set(text); }); },
      help);
  option->default_function(current)->capture_default_str();
  option->type_name(type)->group(title_)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  return Option(*option);
}

Option OptionGroup::number(const std::string& name, std::int64_t& value, Range range,
                           const std::string& help) {
  return custom(
      name,
      [&value, range](const std::string& text) {
        set_number(text, "a whole number", range, value);
      },
      [&value, range] { return number_text(value, range); }, help, "N");
}

Option OptionGroup::number(const std::string& name, std::uint64_t& value, const std::string& help) {
  return custom(
      name,
      [&value](const std::string& text) { set_number(text, "a whole number", at_least(0), value); },
      [&value] { return std::to_string(value); }, help, "N");
}

Option OptionGroup::number(const std::string& name, double& value, Range range,
                           const std::string& help) {
  return custom(
      name,
      [&value, range](const std::string& text) { set_number(text, "a number", range, value); },
      [&value, range] { return number_text(value, range); }, help, "X");
}

Option OptionGroup::text(const std::string& name, std::string& value, const std::string& help,
                         const std::string& type) {
  return custom(
      name, [&value](const std::string& text) { value = text; }, [&value] { return value; }, help,
      type);
}

Option OptionGroup::path(const std::string& name, std::filesystem::path& value,
                         const std::string& help, const std::string& type) {
  const auto set = [&value](const std::string& text) {
    KETTE_CHECK(!text.empty(), "expected a path, given nothing");
    value = text;
  };
  return custom(
      name, set, [&value] { return value.string(); }, help, type);
}

Option OptionGroup::flag(const std::string& name, bool& value, const std::string& help) {
  // Of one that can be taken back the program would say "{false}", what that gives, and not what it is by itself.
  const bool has_opposite = name.find('!') != std::string::npos;
  CLI::Option* option = command_.add_flag(
      name, value, has_opposite ? help + (value ? " (default: yes)" : " (default: no)") : help);
  option->default_function([&value] { return std::string(value ? "true" : "false"); });
  option->group(title_)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  return Option(*option);
}

Option OptionGroup::flag_or_path(const std::string& name, bool& value, std::filesystem::path& path,
                                 const std::string& help,
                                 const std::function<void(const std::filesystem::path&)>& check) {
  const auto told = std::make_shared<std::string>();
  CLI::Option* option = command_.add_flag(name, *told, help);
  option->each([name, told, &value, &path, check](const std::string& text) {
    value = text != "false";
    path = text == "true" || text == "false" ? "" : text;
    if (!path.empty()) as_usage_error(name, [&] { check(path); });
  });
  option->default_function(
      [&value, &path] { return path.empty() ? (value ? "true" : "false") : path.string(); });
  option->type_name("[=FILE]")->group(title_);
  option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  return Option(*option);
}

Option OptionGroup::one_of(const std::string& name, const std::vector<std::string>& words,
                           const std::function<void(const std::string&)>& set,
                           const std::function<std::string()>& current, const std::string& help) {
  const std::string type = joined(words, "|");
  const auto set_known = [words, type, set](const std::string& text) {
    const bool is_known = std::find(words.begin(), words.end(), text) != words.end();
    KETTE_CHECK(is_known, "expected ", type, ", given ", text, did_you_mean(text, words));
    set(text);
  };
  return custom(name, set_known, current, help, type);
}

Option OptionGroup::choice(const std::string& name, std::string& value,
                           const std::vector<std::string>& words, const std::string& help,
                           const std::function<void(const std::string&)>& then) {
  const auto set = [&value, then](const std::string& text) {
    value = text;
    if (then) then(text);
  };
  return one_of(
      name, words, set, [&value] { return value; }, help);
}

Option OptionGroup::list(const std::string& name, std::vector<std::string>& values,
                         const std::string& help, const std::string& type) {
  CLI::Option* option = command_.add_option(name, values, help);
  option->type_name(type)->group(title_)->allow_extra_args();
  return Option(*option);
}

Option OptionGroup::numbers(const std::string& name, std::vector<double>& values, Range range,
                            const std::string& help) {
  CLI::Option* option = command_.add_option_function<std::vector<std::string>>(
      name,
      [name, &values, range](const std::vector<std::string>& texts) {
        values.assign(texts.size(), 0);
        for (std::size_t i = 0; i < texts.size(); ++i) {
          as_usage_error(name, [&] { set_number(texts[i], "a number", range, values[i]); });
        }
      },
      help);
  option->type_name("X")->group(title_)->allow_extra_args();
  return Option(*option);
}

}  // namespace kette::cli
