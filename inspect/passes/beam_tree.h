// The tree of all continuations that a beam search had room for.
#pragma once

#include "decode/beam.h"
#include "decode/engine.h"

namespace kette {

struct BeamBranch {
  std::int32_t token = 0;
  double log_probability = 0;  ///< of all tokens up to this one
  std::int64_t parent = -1;    ///< index of the step before; -1 in the first step
  bool finished = false;       ///< by the end mark or the length limit
  bool goes_on = false;        ///< stays in the beam; if neither, it was dropped
  bool is_best = false;        ///< a prefix of the search's best result

  const char* fate() const {
    return is_best ? "best" : finished ? "finished" : goes_on ? "live" : "dead";
  }
};

struct BeamTree {
  std::vector<std::vector<BeamBranch>> steps;  ///< in each step descending by log-probability
  std::vector<Hypothesis> n_best;
};

/// Runs a beam search (decode/beam.h) and records it. longest: the limit of tokens. end: the end mark. request: without
/// a policy.
BeamTree beam_tree(const AutoregressiveModel& model, const SearchOptions& options,
                   std::int64_t longest, std::int32_t end, Request request);

}  // namespace kette
