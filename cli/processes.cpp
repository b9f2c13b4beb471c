#include "cli/processes.h"

#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <streambuf>
#include <thread>

#include "cli/version.h"
#include "tensor/machine.h"
#include "train/host.h"
#include "train/launch.h"

namespace kette::cli {
namespace {

/// One process speaks: what others have to say, and is no error, it says, too.
class Silence : public std::streambuf {
 public:
  Silence() : output_(std::cout.rdbuf(this)), errors_(std::cerr.rdbuf(this)) {}
  ~Silence() override {
    std::cout.rdbuf(output_);
    std::cerr.rdbuf(errors_);
  }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

 protected:
  int overflow(int character) override { return traits_type::not_eof(character); }
  std::streamsize xsputn(const char*, std::streamsize count) override { return count; }

 private:
  std::streambuf *output_, *errors_;
};

double wait_limit = 120;  // seconds
std::unique_ptr<Communicator> all_processes;
std::unique_ptr<Silence> silence;

/// Where one differs from the first in what may make other bits, that is an Error.
void check_same_kind(Communicator& processes) {
  const std::string mine = "Kette " + full_version() + " with kernels for " + kernel_level() +
                           " and products of bf16 in " + bf16_kernels();
  const std::string of_first = processes.all(mine).front();
  processes.agree([&] {
    KETTE_CHECK(mine == of_first, "processes: expected ", of_first, ", as in ",
                processes.name_of(0), ", given ", mine,
                " (start one program on hosts whose processors are of one kind)");
  });
}

}  // namespace

void add_process_options(CLI::App& command) {
  OptionGroup group(command, "Many processes (mpirun -n 4 kette ..., srun --mpi=pmix kette ...)");
  group.number("--wait-limit", wait_limit, at_least(0),
               "Seconds without a word of a process after which all end; 0: never");
}

void check_is_one(const std::string& command) {
  if (Host::current() != nullptr) return;
  const std::optional<Launch> launch = Launch::found();
  if (!launch || launch->processes == 1) return;
  throw UsageError(
      "kette " + command + ": expected one process, given " + std::to_string(launch->processes) +
      " by " + launch->launcher +
      " (train, tokenize --src, evaluate, generate, parse, score and translate are shared out)");
}

Communicator& communicator() {
  if (Host::current() != nullptr) return Communicator::none();
  if (all_processes) return *all_processes;
  const std::optional<Launch> launch = Launch::found();
  if (!launch || launch->processes == 1) return Communicator::none();
  all_processes =
      std::make_unique<Communicator>(open_transport(*launch), Communicator::Seconds(wait_limit));
  if (!all_processes->is_first()) silence = std::make_unique<Silence>();
  check_same_kind(*all_processes);
  return *all_processes;
}

int threads_of_process(int all) {
  const Communicator& processes = communicator();
  // A launcher that gives each process processors of its own has told the system so.
  if (all < static_cast<int>(std::thread::hardware_concurrency())) return all;
  return std::max(1, all / processes.place_on_host().count);
}

std::string who_says(bool known) {
  silence.reset();
  int process = 0;
  try {
    const std::optional<Launch> launch = Launch::found();
    if (launch) process = launch->process;
  } catch (const Error&) {  // which is what it has to say
  }
  if (process == 0 || known) return {};
  std::this_thread::sleep_for(std::chrono::seconds(3));
  return (all_processes ? all_processes->name_of(process) : "process " + std::to_string(process)) +
         ": ";
}

void end_processes(int code) {
  if (all_processes) all_processes->abandon(code);
}

void leave_processes() {
  // A launcher ends all as soon as one has ended with an error, which the first has still to say.
  if (all_processes) all_processes->all(0);
  all_processes.reset();
  silence.reset();
}

}  // namespace kette::cli
