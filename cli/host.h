// A program that has the command line inside it, such as Python's module: it runs a command with its arguments on one of its
// threads, and gets values: reports, JSON, texts. run_command() changes nothing of the process, whose stdin, stdout, stderr
// and signals it leaves alone. Without a host the functions below are of the program `kette`.
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "models/model_directory.h"
#include "train/host.h"

namespace kette {
struct Report;
}

namespace kette::cli {

/// A model of the host, which a command copies.
struct HostModel {
  const Model* model = nullptr;
  SharedTokenizer tokenizer;
  Metadata metadata{};
  DType weights = DType::f32;
};

class CommandHost : public Host {
 public:
  using Host::Host;

  /// The report that a command shows, of which the text goes to out().
  virtual void take(const Report& report) { (void)report; }
  /// What --json prints.
  virtual void take_json(const nlohmann::ordered_json& json) { (void)json; }
  /// The model that a command line names by this text instead of a folder; nothing: it is a folder.
  virtual std::optional<HostModel> model(const std::string& name) {
    (void)name;
    return {};
  }
  /// The descriptor in place of stdin. An Error where there is none.
  virtual int input();
  /// What starts `kette` as a program of its own, before its arguments.
  virtual std::vector<std::string> program();

  /// This thread's host, or null.
  static CommandHost* current();
};

/// Runs a command, the first of the arguments, within a host. Returns the exit code of a command that has done its work: 1
/// where the result is bad, as of `compare` with models that differ; 128 + N of a training that signal N interrupted. Throws
/// UsageError for invalid arguments, Interrupted, and whatever else ends the command.
int run_command(CommandHost& host, const std::vector<std::string>& arguments);

/// stdout and stderr of the program, or what the host has for them. A status line is removed from the terminal.
std::ostream& to_stdout();
std::ostream& to_stderr();
/// Writes to to_stderr(), one thread at a time.
void say(const std::string& text);
/// Standard input, which is read from now on. Where it is a terminal a line on stderr says so, since the program waits.
int stdin_descriptor();

/// The model of the host with that name, if there is one.
std::optional<HostModel> host_model(const std::filesystem::path& name);
/// The configuration of the model of that folder, or of the host's model.
std::unique_ptr<ModelConfig> config_of(const std::filesystem::path& folder);
/// A copy in f32, without gradients.
std::unique_ptr<Model> copy_of(const Model& model, Device device);

/// load_model(), or a copy of the host's model.
template <class M>
SavedModel<M> load_or_copy(const std::filesystem::path& folder,
                           const std::filesystem::path& checkpoint, Device device) {
  const std::optional<HostModel> given = host_model(folder);
  if (!given) return load_model<M>(folder, checkpoint, device);
  KETTE_CHECK(checkpoint.empty(),
              "--checkpoint: expected a folder as --model beside it, given a model in memory");
  std::unique_ptr<Model> copy = copy_of(*given->model, device);
  auto* wanted = dynamic_cast<M*>(copy.get());
  KETTE_CHECK(wanted != nullptr, "--model: expected another kind of model, given a ",
              copy->config().family().what, "; ", copy->config().family().use);
  static_cast<void>(copy.release());
  return {std::unique_ptr<M>(wanted), given->tokenizer, given->metadata, given->weights};
}

}  // namespace kette::cli
