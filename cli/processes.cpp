#include "cli/processes.h"

#include <chrono>
#include <memory>
#include <optional>
#include <thread>

#include "train/launch.h"

namespace kette::cli {
namespace {

double wait_limit = 120;  // seconds
std::unique_ptr<Communicator> joined_processes;

}  // namespace

void add_process_options(CLI::App& command) {
  OptionGroup group(command, "Many processes (mpirun -n 4 kette ..., srun --mpi=pmix kette ...)");
  group.number("--wait-limit", wait_limit, at_least(0),
               "Seconds without a word of a process after which all end; 0: never");
}

Communicator& communicator() {
  if (joined_processes) return *joined_processes;
  const std::optional<Launch> launch = Launch::found();
  if (!launch || launch->processes == 1) return Communicator::none();
  joined_processes =
      std::make_unique<Communicator>(open_transport(*launch), Communicator::Seconds(wait_limit));
  return *joined_processes;
}

std::string hold_back() {
  int process = 0;
  try {
    const std::optional<Launch> launch = Launch::found();
    if (launch) process = launch->process;
  } catch (const Error&) {  // which is what it has to say
  }
  if (process == 0) return {};
  std::this_thread::sleep_for(std::chrono::seconds(3));
  return (joined_processes ? joined_processes->name_of(process)
                           : "process " + std::to_string(process)) +
         ": ";
}

void end_processes(int code) {
  if (joined_processes) joined_processes->abandon(code);
}

void leave_processes() { joined_processes.reset(); }

void check_is_one(const std::string& command) {
  const std::optional<Launch> launch = Launch::found();
  if (!launch || launch->processes == 1) return;
  throw UsageError("kette " + command + ": expected one process, given " +
                   std::to_string(launch->processes) + " by " + launch->launcher +
                   " (train, evaluate, score, translate and generate are shared out)");
}

}  // namespace kette::cli
