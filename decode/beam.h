// The beam of one sentence: which hypotheses go on after each step. Of all continuations of the
// live hypotheses the best by log-probability are kept, as many as the beam has room for; one that
// ends with </s> is finished and keeps its place, so that the beam narrows and ends by itself (beam
// 1 is greedy search). Finished hypotheses are ranked by
//   score = log P(tokens </s> | source) / penalty(n)        decode/length_penalty.h
// The search ends earlier when nothing alive can reach the n best: log P only falls and the penalty
// only grows, so the score of a live hypothesis never exceeds log P / penalty(longest possible).
// Ties go to the earlier hypothesis, then to the lower token. Knows no tensors.
// BeamKind::full keeps `beam` hypotheses alive, as generate() of Hugging Face's transformers does
// (num_beams of at least 2, early_stopping off): of the 2 * beam best continuations those among the
// best `beam` that end are finished, the best `beam` others go on, and the search ends when `beam`
// are finished and the best alive, at its present length, does not score above the worst of them.
// The end mark that the longest possible hypothesis is cut off with costs nothing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decode/length_penalty.h"
#include "decode/policy.h"
#include "tensor/enum_names.h"

namespace kette {

enum class BeamKind : std::uint8_t { narrowing, full };
template <>
inline constexpr auto kNamesOf<BeamKind> = enum_names<BeamKind>({{BeamKind::narrowing, "narrowing"},
                                                                 {BeamKind::full, "full"}});

struct SearchOptions {
  std::int64_t beam = 5;
  BeamKind kind = BeamKind::narrowing;
  std::int64_t n_best = 1;
  LengthPenalty length_penalty;
  std::int64_t extra_length =
      50;  ///< output of at most source + this many tokens (Vaswani et al. 2017, section 6.1)
  std::int64_t max_length = 0;  ///< and of at most this many; 0: as many as the model has positions
  std::int64_t min_length = 0;
  std::int64_t forced_length =
      0;  ///< every hypothesis has exactly this many tokens and no end mark; for benchmarks
  /// Whether a hypothesis of the longest length is done as it is; else it must end with the end mark.
  bool cut_off = false;
  bool allow_unknown = true;
  bool stop_early = true;  ///< when nothing alive can reach the n best; the result is the same

  /// A beam of 1 is greedy search of either kind.
  bool is_full() const { return kind == BeamKind::full && beam > 1 && forced_length == 0; }
  /// Continuations of a hypothesis that the beam wants to see.
  std::int64_t candidates() const { return is_full() ? 2 * beam : beam; }
  /// Throws an Error that names the option that makes no sense.
  void check() const;
};

class Beam : public Policy {
 public:
  /// At most max_tokens tokens, end mark not counted. end: the id of </s>; -1: there is none.
  Beam(const SearchOptions& options, std::int64_t max_tokens, std::int32_t end);

  std::int64_t rows() const override { return std::ssize(live_); }
  std::int64_t most_rows() const override { return options_.beam; }
  std::int64_t most_tokens() const override { return max_tokens_; }
  std::span<const std::int32_t> tokens(std::int64_t row) const override {
    return live_[row].tokens;
  }
  /// The end mark is asked for by itself: the beam decides whether it may come.
  Question question(std::int64_t) const override { return {options_.candidates(), end_}; }
  Chosen choose(std::span<const Continuations> answers) override;
  std::vector<Hypothesis> results() override { return n_best(); }

  /// Those that go on, in the order of their rows.
  const std::vector<Hypothesis>& live() const { return live_; }
  /// Chooses among the continuations of the live hypotheses, as many or few as are offered of each.
  /// Gives the places of those of whom more must be seen, as the last one offered would have a
  /// place: consider() it all again with more of them. None: nothing hidden could have been chosen.
  std::vector<std::int64_t> consider(std::span<const Continuations> offered);
  /// A continuation of a live hypothesis, the parent, that has a place.
  struct Candidate {
    double log_probability;  ///< of all tokens
    std::int64_t parent;
    std::int32_t token;
  };
  /// What consider() chose last, falling.
  const std::vector<Candidate>& chosen() const { return best_; }
  /// Goes on with what was chosen last. Gives the place of each new one's parent.
  std::vector<std::int64_t> advance();
  /// The best finished, falling, once nothing is alive.
  std::vector<Hypothesis> n_best() const;

 private:
  std::vector<Candidate> candidates(std::span<const Continuations> offered) const;
  std::size_t places() const;
  bool may_go_on() const {
    return options_.forced_length > 0 || options_.cut_off || length_ < max_tokens_;
  }
  /// Whether hypotheses of this length are done, without an end mark.
  bool is_cut(std::int64_t length) const {
    return length == options_.forced_length || (options_.cut_off && length == max_tokens_);
  }
  void finish(Hypothesis hypothesis, bool has_end);
  bool is_decided() const;
  std::size_t beam() const { return static_cast<std::size_t>(options_.beam); }

  SearchOptions options_;
  std::int64_t max_tokens_;
  std::int32_t end_;
  std::int64_t length_ = 0;  // tokens of each live hypothesis
  std::vector<Hypothesis> live_, finished_;
  std::vector<Candidate> best_;
};

}  // namespace kette
