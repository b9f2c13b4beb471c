#include "decode/beam.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "tensor/error.h"

namespace kette {
namespace {

bool ranks_before(const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; }

}  // namespace

void SearchOptions::check() const {
  KETTE_CHECK(beam >= 1, "beam: expected at least 1, given ", beam);
  KETTE_CHECK(n_best >= 1 && n_best <= beam, "n-best: expected 1 to the beam size ", beam,
              ", given ", n_best);
  for (const auto& [what, value] : {std::pair{"extra length", extra_length},
                                    {"max length", max_length},
                                    {"min length", min_length},
                                    {"forced length", forced_length}}) {
    KETTE_CHECK(value >= 0, what, ": expected at least 0, given ", value);
  }
  KETTE_CHECK(max_length == 0 || min_length <= max_length,
              "min length: expected at most the max length ", max_length, ", given ", min_length);
}

Beam::Beam(const SearchOptions& options, std::int64_t max_tokens, std::int32_t end)
    : options_(options), max_tokens_(max_tokens), end_(end), live_(1) {}

std::size_t Beam::places() const {
  return options_.is_full() ? static_cast<std::size_t>(options_.candidates())
                            : beam() - finished_.size();
}

std::vector<Beam::Candidate> Beam::candidates(std::span<const Continuations> offered) const {
  const bool forced = options_.forced_length > 0;
  const bool may_end = end_ >= 0 && !forced && (length_ >= options_.min_length || !may_go_on());
  const bool end_is_forced = options_.is_full() && !may_go_on();
  std::vector<Candidate> result;
  for (std::size_t parent = 0; parent < live_.size(); ++parent) {
    const Continuations& row = offered[parent];
    const auto add = [&](float log_probability, std::int32_t token) {
      if (token < 0 || !std::isfinite(log_probability)) return;
      result.push_back({live_[parent].log_probability + double(log_probability),
                        static_cast<std::int64_t>(parent), token});
    };
    for (std::size_t i = 0; may_go_on() && i < row.tokens.size(); ++i) {
      add(row.values[i], row.tokens[i]);
    }
    // What a constraint forbids stays forbidden.
    const bool is_given = end_is_forced && std::isfinite(row.target_value);
    if (may_end) add(is_given ? 0 : row.target_value, end_);
  }
  return result;
}

std::vector<std::int64_t> Beam::consider(std::span<const Continuations> offered) {
  best_ = candidates(offered);
  const auto kept = static_cast<std::ptrdiff_t>(std::min(places(), best_.size()));
  const auto ranks_before = [](const Candidate& a, const Candidate& b) {
    return std::tuple(-a.log_probability, a.parent, a.token) <
           std::tuple(-b.log_probability, b.parent, b.token);
  };
  std::nth_element(best_.begin(), best_.begin() + kept, best_.end(), ranks_before);
  best_.resize(static_cast<std::size_t>(kept));
  std::sort(best_.begin(), best_.end(), ranks_before);

  std::vector<std::int64_t> unsure;
  const auto most = static_cast<std::size_t>(options_.candidates());
  for (std::size_t parent = 0; may_go_on() && parent < live_.size(); ++parent) {
    const Continuations& row = offered[parent];
    if (row.tokens.size() >= most || row.tokens.back() < 0) continue;
    // Hidden continuations are not likelier than the last one offered.
    const double hidden = live_[parent].log_probability + double(row.values.back());
    if (best_.size() == places() && hidden < best_.back().log_probability) continue;
    unsure.push_back(static_cast<std::int64_t>(parent));
  }
  return unsure;
}

Policy::Chosen Beam::choose(std::span<const Continuations> answers) {
  Chosen chosen;
  chosen.unsure = consider(answers);
  if (chosen.unsure.empty()) chosen.parents = advance();
  return chosen;
}

std::vector<std::int64_t> Beam::advance() {
  KETTE_CHECK(!best_.empty() || !finished_.empty(),
              "beam search: expected finite log-probabilities, given none after ", length_,
              " tokens (",
              may_go_on() ? "do the parameters hold NaN?"
                          : "they are the most; does a constraint forbid the end?",
              ")");
  ++length_;
  std::vector<Hypothesis> next;
  std::vector<std::int64_t> parents;
  for (std::size_t rank = 0; rank < best_.size() && next.size() < beam(); ++rank) {
    const Candidate& candidate = best_[rank];
    if (candidate.token == end_ && rank >= beam()) continue;
    Hypothesis hypothesis = live_[candidate.parent];
    hypothesis.log_probability = candidate.log_probability;
    if (candidate.token == end_) {
      finish(std::move(hypothesis), true);
      continue;
    }
    hypothesis.tokens.push_back(candidate.token);
    if (is_cut(length_)) {
      finish(std::move(hypothesis), false);
      continue;
    }
    next.push_back(std::move(hypothesis));
    parents.push_back(candidate.parent);
  }
  live_ = std::move(next);
  if ((options_.stop_early || options_.is_full()) && is_decided()) {
    live_.clear();
    parents.clear();
  }
  return parents;
}

void Beam::finish(Hypothesis hypothesis, bool has_end) {
  const auto tokens = static_cast<std::int64_t>(hypothesis.tokens.size());
  hypothesis.score =
      hypothesis.log_probability / options_.length_penalty.divisor(tokens + (has_end ? 1 : 0));
  hypothesis.at_limit = tokens == max_tokens_;
  finished_.insert(std::upper_bound(finished_.begin(), finished_.end(), hypothesis, ranks_before),
                   std::move(hypothesis));
  if (finished_.size() > beam()) finished_.pop_back();
}

bool Beam::is_decided() const {
  if (live_.empty()) return true;
  if (options_.is_full()) {
    const double best = live_.front().log_probability / options_.length_penalty.divisor(length_);
    return finished_.size() == beam() && best <= finished_.back().score;
  }
  const auto wanted = static_cast<std::size_t>(options_.n_best);
  if (finished_.size() < wanted) return false;
  const double most = options_.length_penalty.divisor(max_tokens_ + 1);
  return std::all_of(live_.begin(), live_.end(), [&](const Hypothesis& hypothesis) {
    return hypothesis.log_probability / most <= finished_[wanted - 1].score;
  });
}

std::vector<Hypothesis> Beam::n_best() const {
  const auto count = std::min(finished_.size(), static_cast<std::size_t>(options_.n_best));
  return {finished_.begin(), finished_.begin() + static_cast<std::ptrdiff_t>(count)};
}

}  // namespace kette
