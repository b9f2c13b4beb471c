// The processes of this program that an MPI launcher has started (train/launch.h).
#pragma once

#include <string>

#include "cli/options.h"
#include "train/communicator.h"

namespace kette::cli {

/// Adds --wait-limit, for a command whose work processes can share.
void add_process_options(CLI::App& command);
/// Throws an Error if a launcher started several processes of a command that only one can run.
void check_is_one(const std::string& command);

/// The communicator of all processes, or of this one without a launcher. The first call joins the others. From then on,
/// stdout and stderr of all processes except the first are dropped.
Communicator& communicator();
/// The number of threads for this process, which shares `all` threads with the other processes of its host.
int threads_of_process(int all);

/// Call it before printing an error. Returns its prefix: "" in the first process, otherwise "process 3 on host b: ".
/// Other processes wait first, so that the first can print the same error and end all. known: a SharedError, which is
/// printed at once and without a prefix.
std::string who_says(bool known);
/// Ends all processes because of an error in one.
void end_processes(int code);
/// Ends this process together with the others.
void leave_processes();

}  // namespace kette::cli
