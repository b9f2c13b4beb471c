#include "inspect/passes/beam_tree.h"

#include <utility>

namespace kette {
namespace {

/// The indices of the live hypotheses among the branches of their step, whose order they share.
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

/// A beam that grows a tree.
class TreeBeam final : public Beam {
 public:
  TreeBeam(const SearchOptions& options, std::int64_t longest, std::int32_t end, BeamTree& tree)
      : Beam(options, longest, end),
        options_(options),
        cut_(options.cut_off ? longest : -1),
        end_(end),
        tree_(tree) {}

  Chosen choose(std::span<const Continuations> answers) override {
    Chosen chosen;
    chosen.unsure = consider(answers);
    if (!chosen.unsure.empty()) return chosen;
    grow();
    chosen.parents = advance();
    return chosen;
  }

 private:
  void grow() {
    const bool first = tree_.steps.empty();
    std::vector<std::int64_t> parents;
    if (!first) parents = places_of(live(), tree_.steps.back());
    std::vector<BeamBranch> branches;
    for (const Candidate& candidate : this->chosen()) {
      // Of a full beam's candidates, twice as many as it is wide, end marks count among the better half.
      const bool may_end = !options_.is_full() || std::ssize(branches) < options_.beam;
      const std::int64_t parent = first ? -1 : parents[candidate.parent];
      if (!first) tree_.steps.back()[parent].goes_on = true;
      branches.push_back({candidate.token, candidate.log_probability, parent,
                          candidate.token == end_ ? may_end : std::ssize(tree_.steps) + 1 == cut_});
    }
    tree_.steps.push_back(std::move(branches));
  }

  SearchOptions options_;
  std::int64_t cut_;  // where all branches are finished
  std::int32_t end_;
  BeamTree& tree_;
};

}  // namespace

BeamTree beam_tree(const AutoregressiveModel& model, const SearchOptions& options,
                   std::int64_t longest, std::int32_t end, Request request) {
  BeamTree tree;
  request.policy = std::make_unique<TreeBeam>(options, longest, end, tree);
  request.done = [&](std::vector<Hypothesis> n_best) { tree.n_best = std::move(n_best); };
  Engine engine(model);
  engine.add(std::move(request));
  while (engine.step()) {
  }
  mark_best(tree);
  return tree;
}

}  // namespace kette
