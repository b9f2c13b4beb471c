#include "cli/host.h"

#include <unistd.h>

#include <iostream>
#include <mutex>

#include "tensor/error.h"
#include "train/status_line.h"

namespace kette::cli {

int CommandHost::input() { fail("input: expected a file or lines, given neither"); }

std::vector<std::string> CommandHost::program() {
  fail("kette: expected a host that can start it as a program, given one that cannot");
}

CommandHost* CommandHost::current() { return dynamic_cast<CommandHost*>(Host::current()); }

std::ostream& to_stdout() {
  const Host* host = Host::current();
  if (host != nullptr) return host->out();
  StatusLine::clear();
  return std::cout;
}

std::ostream& to_stderr() {
  const Host* host = Host::current();
  if (host != nullptr) return host->messages();
  StatusLine::clear();
  return std::cerr;
}

void say(const std::string& text) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  to_stderr() << text << std::flush;
}

int stdin_descriptor() {
  CommandHost* host = CommandHost::current();
  if (host != nullptr) return host->input();
  if (::isatty(STDIN_FILENO) != 0) say("kette: reading lines from the terminal; Ctrl-D ends\n");
  return STDIN_FILENO;
}

std::optional<HostModel> host_model(const std::filesystem::path& name) {
  CommandHost* host = CommandHost::current();
  return host != nullptr ? host->model(name.string()) : std::nullopt;
}

std::unique_ptr<ModelConfig> config_of(const std::filesystem::path& folder) {
  const std::optional<HostModel> given = host_model(folder);
  return given ? given->model->config().clone() : read_config(folder);
}

std::unique_ptr<Model> copy_of(const Model& model, Device device) {
  std::unique_ptr<Model> copy = model.config().make_model();
  copy->allocate(DType::f32, device, Gradients::none);
  const Tensor& values = model.parameters().values();
  KETTE_CHECK(values.defined(),
              "model: expected one with its parameters, given one that has released them");
  copy->parameters().values().copy_from(values.to(DType::f32).to(device));
  return copy;
}

}  // namespace kette::cli
