#include "inspect/passes/beam_tree.h"

#include <utility>

namespace kette {
namespace {

/// The places in the step before of the live hypotheses, which are some of its branches in order.
std::vector<std::int64_t> places_of(const std::vector<Hypothesis>& live,
                                    const std::vector<BeamBranch>& before) {
  std::vector<std::int64_t> places;
  std::int64_t place = 0;
  for (const Hypothesis& hypothesis : live) {
    while (before[place].finished || before[place].token != hypothesis.tokens.back() ||
           before[place].log_probability != hypothesis.log_probability) {
      ++place;
    }
    places.push_back(place++);
  }
  return places;
}

/// Marks the branches of the best, which spell its tokens.
void mark_best(BeamTree& tree) {
  if (tree.n_best.empty() || tree.steps.empty()) return;
  const Hypothesis& best = tree.n_best.front();
  // The last of its branches has its log-probability, and is the end mark or its last token.
  for (std::int64_t step = std::ssize(tree.steps) - 1; step >= 0; --step) {
    for (BeamBranch& branch : tree.steps[step]) {
      if (!branch.finished || branch.log_probability != best.log_probability) continue;
      BeamBranch* at = &branch;
      for (std::int64_t level = step;; --level) {
        at->is_best = true;
        if (level == 0) return;
        at = &tree.steps[level - 1][at->parent];
      }
    }
  }
}

}  // namespace

BeamTree beam_tree(const AutoregressiveModel& model, const SearchVocabulary& vocabulary,
                   const SearchOptions& options, const SearchJob& job) {
  BeamTree tree;
  const std::int64_t cut = options.cut_off ? job.longest : -1;  // where all branches are finished
  SearchHooks hooks;
  hooks.chosen = [&](std::int64_t, const Beam& beam) {
    const bool first = tree.steps.empty();
    std::vector<std::int64_t> parents;
    if (!first) parents = places_of(beam.live(), tree.steps.back());
    std::vector<BeamBranch> branches;
    for (const Beam::Candidate& candidate : beam.chosen()) {
      // Of a full beam's candidates, twice as many as it is wide, end marks count among the better half.
      const bool may_end = !options.is_full() || std::ssize(branches) < options.beam;
      const std::int64_t parent = first ? -1 : parents[candidate.parent];
      if (!first) tree.steps.back()[parent].goes_on = true;
      branches.push_back(
          {candidate.token, candidate.log_probability, parent,
           candidate.token == vocabulary.end ? may_end : std::ssize(tree.steps) + 1 == cut});
    }
    tree.steps.push_back(std::move(branches));
  };
  std::vector<SearchJob> jobs = {job};
  beam_search(
      model, vocabulary, options, job.cost(options.beam),
      [&](std::int64_t, bool) { return std::exchange(jobs, {}); },
      [&](std::int64_t, std::vector<Hypothesis> n_best) { tree.n_best = std::move(n_best); },
      hooks);
  mark_best(tree);
  return tree;
}

}  // namespace kette
