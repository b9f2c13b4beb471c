// All that a beam search had a place for, as a tree: a branch for each continuation, from the step before.
#pragma once

#include "decode/beam.h"
#include "decode/engine.h"

namespace kette {

struct BeamBranch {
  std::int32_t token = 0;
  double log_probability = 0;  ///< of all tokens up to here
  std::int64_t parent = -1;    ///< a place in the step before; -1 in the first
  bool finished = false;       ///< by the end mark, or of the longest length
  bool goes_on = false;        ///< has a place in the next step; neither: it died here
  bool is_best = false;        ///< on the way to what the search gives

  const char* fate() const {
    return is_best ? "best" : finished ? "finished" : goes_on ? "live" : "dead";
  }
};

struct BeamTree {
  std::vector<std::vector<BeamBranch>> steps;  ///< in each falling by log-probability
  std::vector<Hypothesis> n_best;
};

/// What decode/beam.h has a place for, of a text of at most `longest` tokens that `end` ends. request: without a policy.
BeamTree beam_tree(const AutoregressiveModel& model, const SearchOptions& options,
                   std::int64_t longest, std::int32_t end, Request request);

}  // namespace kette
