// The processes that a launcher of MPI has started this program as (train/launch.h).
#pragma once

#include <string>

#include "cli/options.h"
#include "train/communicator.h"

namespace kette::cli {

/// Adds --wait-limit, to a command that processes share out.
void add_process_options(CLI::App& command);
/// Throws where a launcher has started several of a command that one does.
void check_is_one(const std::string& command);

/// All of them, which the first call joins; without a launcher this one alone. What any but the first writes to stdout and
/// stderr from then on is dropped.
Communicator& communicator();
/// Of as many threads as there may be, those that this process takes beside the others on its host.
int threads_of_process(int all);

/// Before an error that all may have: lets the first say it, which then ends all, and otherwise gives who says it:
/// "process 3 on host b: ". known: all know of it, and this one says it.
std::string who_says(bool known);
/// The end of all because of one.
void end_processes(int code);
/// The end of this one, which the others know of.
void leave_processes();

}  // namespace kette::cli
