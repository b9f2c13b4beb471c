// The processes that a launcher of MPI has started this program as (train/launch.h).
#pragma once

#include "cli/options.h"
#include "train/communicator.h"

namespace kette::cli {

/// Adds --wait-limit, to a command that processes share out.
void add_process_options(CLI::App& command);
/// All of them, which the first call joins; without a launcher this one alone.
Communicator& communicator();

/// Throws where a launcher has started several of a command that one does.
void check_is_one(const std::string& command);
/// Of a process that has something to say that all may have: waits a moment, unless it is the first, which then says it
/// and ends all. Returns who it is, for the others: "process 3 on host b: ".
std::string hold_back();
/// The end of all because of one.
void end_processes(int code);
/// The end of this one, which the others know of.
void leave_processes();

}  // namespace kette::cli
