// The commands of the command line as functions. kette/_running.py makes their arguments and results, which a person sees.
#include <omp.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <exception>
#include <future>
#include <mutex>
#include <nlohmann/json.hpp>
#include <sstream>
#include <streambuf>
#include <utility>

#include "cli/host.h"
#include "cli/option_tree.h"
#include "cli/program.h"
#include "inspect/report/report.h"
#include "python/src/bindings.h"
#include "python/src/models.h"

namespace kette::python {
namespace {

cli::HostModel host_model_of(nb::handle model) {
  const auto& loaded = nb::cast<const LoadedModel&>(model);
  return {&loaded.model(), loaded.tokenizer, loaded.metadata, loaded.weights};
}

using Outcome = nb::typed<nb::tuple, int, nb::bytes, nb::str, nb::str, std::optional<nb::str>>;
using Models = nb::typed<nb::dict, nb::str, nb::object>;
using Descriptions = nb::typed<nb::list, nb::typed<nb::dict, nb::str, nb::object>>;

/// What Python gives a command.
struct Given {
  std::vector<std::string> words;
  Models models;                    ///< by the name that stands for each in `words`
  std::optional<std::string> text;  ///< in the place of stdin
  std::vector<std::string> program;
  nb::object log, say;  ///< called with a line; may be None
};

/// Calls a function for each line that is written. Locks, since several threads may write.
class LineBuffer : public std::streambuf {
 public:
  explicit LineBuffer(std::function<void(const std::string&)> take) : take_(std::move(take)) {}

 protected:
  int overflow(int character) override {
    if (character != traits_type::eof()) put(std::string(1, static_cast<char>(character)));
    return traits_type::not_eof(character);
  }
  std::streamsize xsputn(const char* text, std::streamsize count) override {
    put({text, static_cast<std::size_t>(count)});
    return count;
  }

 private:
  void put(const std::string& text) {
    const std::lock_guard lock(mutex_);
    line_ += text;
    for (std::size_t end = 0; (end = line_.find('\n')) != std::string::npos;) {
      const std::string line = line_.substr(0, end);
      line_.erase(0, end + 1);
      take_(line);
    }
  }

  std::function<void(const std::string&)> take_;
  std::mutex mutex_;
  std::string line_;
};

/// A text that can be read from a descriptor.
class TextDescriptor {
 public:
  explicit TextDescriptor(const std::string& text)
      : descriptor_(memfd_create("kette", MFD_CLOEXEC)) {
    const bool is_written =
        descriptor_ >= 0 && ::write(descriptor_, text.data(), text.size()) == std::ssize(text);
    KETTE_CHECK(is_written, "lines: expected memory for them, given too little");
    ::lseek(descriptor_, 0, SEEK_SET);
  }
  ~TextDescriptor() { ::close(descriptor_); }
  TextDescriptor(const TextDescriptor&) = delete;
  TextDescriptor& operator=(const TextDescriptor&) = delete;

  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

/// The first exception of Python while a command runs: of a callback, or KeyboardInterrupt.
class Raised {
 public:
  void keep(nb::python_error&& error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_.emplace(std::move(error));
  }
  bool is_there() const { return error_.has_value(); }
  void raise() {
    nb::python_error error = std::move(*error_);
    error_.reset();
    throw error;
  }

 private:
  std::mutex mutex_;
  std::optional<nb::python_error> error_;
};

class PythonHost : public cli::CommandHost {
 public:
  explicit PythonHost(const Given& given)
      : CommandHost(text_, said_),
        given_(given),
        lines_([this](const std::string& line) { call(given_.say, line); }) {
    said_.rdbuf(&lines_);
    for (const auto [name, model] : given.models) {
      models_.emplace(nb::cast<std::string>(name), host_model_of(model));
    }
    if (given.text) input_.emplace(*given.text);
  }

  void take(const Report& report) override {
    title_ = report.title;
    if (!report.title.empty()) page_ = as_page(report);
  }
  void take_json(const nlohmann::ordered_json& json) override {
    json_ = json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  }
  std::optional<cli::HostModel> model(const std::string& name) override {
    const auto found = models_.find(name);
    if (found == models_.end()) return {};
    return found->second;
  }
  int input() override { return input_ ? input_->get() : CommandHost::input(); }
  std::vector<std::string> program() override { return given_.program; }
  void log(const std::string& json) override { call(given_.log, json); }

  /// Runs it on a thread of its own, so that this one can look for signals of Python, and its tape has no part in it.
  /// Returns exit code, text, JSON, title and page.
  Outcome run() {
    std::future<int> result =
        std::async(std::launch::async, [this, threads = omp_get_max_threads()] {
          omp_set_num_threads(threads);
          return cli::run_command(*this, given_.words);
        });
    wait_for(result);
    if (raised_.is_there()) raised_.raise();
    const int code = result.get();
    const std::string text = text_.str();
    return Outcome(nb::make_tuple(code, nb::bytes(text.data(), text.size()), json_, title_, page_));
  }

 private:
  void wait_for(const std::future<int>& result) {
    const GilRelease released;
    while (result.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready) {
      const GilAcquire acquired;
      if (PyErr_CheckSignals() == 0) continue;
      raised_.keep(nb::python_error());
      interrupt(SIGINT);
    }
  }

  void call(const nb::object& function, const std::string& line) {
    const GilAcquire acquired;
    if (function.is_none() || raised_.is_there()) return;
    try {
      function(nb::bytes(line.data(), line.size()));
    } catch (nb::python_error& error) {
      raised_.keep(std::move(error));
      interrupt(SIGINT);
    }
  }

  const Given& given_;
  std::map<std::string, cli::HostModel> models_;
  std::optional<TextDescriptor> input_;
  std::ostringstream text_;
  LineBuffer lines_;
  std::ostream said_{nullptr};
  std::string json_ = "{}", title_;
  std::optional<std::string> page_;
  Raised raised_;
};

Outcome run_command(std::vector<std::string> words, Models models, std::optional<nb::bytes> text,
                    std::vector<std::string> program, nb::object log, nb::object say) {
  const Given given{std::move(words),
                    std::move(models),
                    text ? std::optional(std::string(text->c_str(), text->size())) : std::nullopt,
                    std::move(program),
                    std::move(log),
                    std::move(say)};
  PythonHost host(given);
  return host.run();
}

const char* name_of(cli::OptionDescription::Kind kind) {
  using Kind = cli::OptionDescription::Kind;
  switch (kind) {
    case Kind::flag:
      return "flag";
    case Kind::whole:
      return "int";
    case Kind::number:
      return "float";
    case Kind::text:
      return "str";
    case Kind::path:
      return "path";
    case Kind::choice:
      return "choice";
  }
  return "";
}

Descriptions described_commands() {
  nb::list all;
  for (const cli::CommandDescription& command : cli::described_commands()) {
    if (!command.parts.empty()) continue;
    nb::list options;
    for (const cli::OptionDescription& option : command.options) {
      nb::dict one;
      one["name"] = option.name;
      one["opposite"] = option.opposite;
      one["group"] = option.group;
      one["help"] = option.help;
      one["kind"] = name_of(option.kind);
      one["default"] = option.shows_initial() ? option.initial : "";
      one["words"] = option.words;
      one["is_list"] = option.is_list;
      one["is_required"] = option.is_required;
      options.append(one);
    }
    nb::dict one;
    one["words"] = command.words;
    one["help"] = command.help;
    one["options"] = options;
    all.append(one);
  }
  return Descriptions(all);
}

}  // namespace

void bind_commands(nb::module_& m) {
  m.def("_run_command", run_command, "words"_a, "models"_a, "text"_a.none(), "program"_a,
        "log"_a.none(), "say"_a.none(),
        "Runs a command of the command line. Returns exit code, text, JSON, title and page.");
  m.def("_described_commands", described_commands,
        "The commands and their options, of which _commands.py is made.");
  m.def("_run_program", cli::run_program, "arguments"_a, without_gil(),
        "Runs the program kette, for `python -m kette`. Returns its exit code.");
}

}  // namespace kette::python
