// The beam of one sentence: chooses the hypotheses that continue after each step. Of all
// continuations of the live hypotheses the best by log-probability are kept, as many as the beam
// has places. A hypothesis that ends with </s> is finished and keeps its place, so the beam narrows
// and ends by itself (beam 1 is greedy search). Finished hypotheses are ranked by
//   score = log P(tokens </s> | source) / penalty(n)        decode/length_penalty.h
// The search stops early if no live hypothesis can reach the n best: log P only falls and the
// penalty only grows, so the score of a live hypothesis never exceeds log P / penalty(longest
// possible). Ties go to the earlier hypothesis, then to the lower token. Uses no tensors.
// BeamKind::full keeps `beam` hypotheses alive, as generate() of Hugging Face's transformers does
// (num_beams of at least 2, early_stopping off). It looks at the 2 * beam best continuations. Those
// that end are finished if they are among the best `beam`. The best `beam` others continue. The
// search stops when `beam` are finished and the best live one, at its present length, does not
// score above the worst of them. If the longest possible hypothesis is cut off, its end mark costs
// nothing.
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
  /// Output of at most source + this many tokens (Vaswani et al. 2017, section 6.1).
  std::int64_t extra_length = 50;
  /// Output of at most this many tokens; 0: the positions of the model.
  std::int64_t max_length = 0;
  std::int64_t min_length = 0;
  /// Every hypothesis has exactly this many tokens and no end mark; for benchmarks.
  std::int64_t forced_length = 0;
  /// true: a hypothesis of the longest length is finished without end mark. false: it must end with
  /// it.
  bool cut_off = false;
  bool allow_unknown = true;
  /// When no live hypothesis can reach the n best; does not change the result.
  bool stop_early = true;

  /// A beam of 1 is greedy search for both kinds.
  bool is_full() const { return kind == BeamKind::full && beam > 1 && forced_length == 0; }
  /// The number of continuations of a hypothesis that the beam needs.
  std::int64_t candidates() const { return is_full() ? 2 * beam : beam; }
  /// Throws an Error that names the option that makes no sense.
  void check() const;
};

class Beam : public Policy {
 public:
  /// max_tokens: the longest hypothesis, without end mark. end: the id of </s>; -1: none.
  Beam(const SearchOptions& options, std::int64_t max_tokens, std::int32_t end);

  std::int64_t rows() const override { return std::ssize(live_); }
  std::int64_t max_rows() const override { return options_.beam; }
  std::int64_t max_tokens() const override { return max_tokens_; }
  std::span<const std::int32_t> tokens(std::int64_t row) const override {
    return live_[row].tokens;
  }
  /// The end mark is a separate target, as the beam decides whether it is allowed.
  Question question(std::int64_t) const override { return {options_.candidates(), end_}; }
  Chosen choose(std::span<const Continuations> answers) override;
  std::vector<Hypothesis> results() override { return n_best(); }

  /// The live hypotheses, in the order of rows.
  const std::vector<Hypothesis>& live() const { return live_; }
  /// Chooses among continuations of the live hypotheses; any number of each may be offered. Returns
  /// the rows whose last offered continuation is still good enough for a place. For these offer
  /// more, and call it again. Empty: the choice is final.
  std::vector<std::int64_t> consider(std::span<const Continuations> offered);
  /// A chosen continuation of the live hypothesis `parent`.
  struct Candidate {
    double log_probability;  ///< of all tokens
    std::int64_t parent;
    std::int32_t token;
  };
  /// The last choice of consider(), best first.
  const std::vector<Candidate>& chosen() const { return best_; }
  /// Continues with the last choice. Returns the parent of each live hypothesis.
  std::vector<std::int64_t> advance();
  /// The best finished hypotheses, best first. Call it when none is alive.
  std::vector<Hypothesis> n_best() const;

 private:
  std::vector<Candidate> candidates(std::span<const Continuations> offered) const;
  std::size_t places() const;
  bool may_go_on() const {
    return options_.forced_length > 0 || options_.cut_off || length_ < max_tokens_;
  }
  /// Whether hypotheses of this length are finished without end mark.
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
