// The decoder of a model at work, one token at a time. A row is one hypothesis or text; step() appends
// a token to each and gives the decoder's last states, equal to those of a pass over the whole row,
// at the cost of one position (the keys and values of the past are kept). select() makes a beam's
// new order: a row may go on more than once, or end. Rows may be added at any time, and each has its
// own positions.
//
//   self-attention:    a line of a cache for each row        rows  0   1   2   3
//   cross-attention:   a line of another cache for each            |   |   |   |
//                      sentence, seen by all of its rows     past  0   1   2   3
//                                                          memory  0---0   1---1
#pragma once

#include <span>
#include <vector>

#include "models/autoregressive_model.h"
#include "nn/cached_sequences.h"

namespace kette {

/// What a row is to begin with.
struct RowStart {
  /// What the encoder reads, end mark and all; empty for a model without one.
  std::span<const std::int32_t> source;
  /// Tokens that are read when the row is added, before the one that its first step is given: of a
  /// prompt or a given prefix all but the last.
  std::span<const std::int32_t> past;
};

class DecoderState {
 public:
  /// model: made ready for decoding (for_decoding()), and outlives this. tap: looks into every pass.
  explicit DecoderState(const AutoregressiveModel& model, Tap* tap = nullptr);

  std::int64_t rows() const { return past_.lines(); }
  /// Tokens that a row has.
  std::int64_t length(std::int64_t row) const { return past_.length(row); }
  /// Appends a row for each.
  void add(const std::vector<RowStart>& starts);
  /// Lets rows[i] read pasts[i], behind what it has. The same as to have been added with it, where that reads in parts.
  void read(const std::vector<std::int64_t>& rows,
            const std::vector<std::span<const std::int32_t>>& pasts);
  /// Whether a past that is read in parts gives the same bits as at once.
  bool reads_in_parts() const { return !past_.keeps_states(); }
  /// Whether shorten() can be called. A cache of states, or of a window, no longer has what a row had before.
  bool can_shorten() const { return !past_.keeps_states() && past_.pass() == 0; }
  /// Forgets the tokens of a row from `length` on.
  void shorten(std::int64_t row, std::int64_t length) { past_.shorten(row, length); }
  /// tokens: one for each of these rows, which rise -> their states [rows, width]. The others stay as they are.
  Tensor step(const std::vector<std::int32_t>& tokens, const std::vector<std::int64_t>& rows);
  /// For all rows.
  Tensor step(const std::vector<std::int32_t>& tokens);
  /// Row r becomes what row parents[r] was.
  void select(const std::vector<std::int64_t>& parents);
  /// For rows that stay together and grow by themselves: gives row r slots up to lengths[r] tokens,
  /// and the sequences of one token a row at `positions`, i32 [rows] on the device. All that a pass
  /// reads of them lies there, so that it may be recorded.
  CachedSequences begin_static_batch(const std::vector<std::int64_t>& lengths,
                                     const Tensor& positions);
  /// After begin_static_batch(): row r has lengths[r] tokens, which is how far it has come.
  void end_static_batch(const std::vector<std::int64_t>& lengths);

 private:
  void drop_unread_sentences();
  void keep_memory(const std::vector<RowStart>& starts);
  /// One pass.
  void read_at_once(const std::vector<std::int64_t>& rows,
                    const std::vector<std::span<const std::int32_t>>& pasts);
  /// Where the memory ends of the sentences that these rows are of.
  std::vector<std::int32_t> memory_ends(const std::vector<std::int32_t>& lines) const;

  const AutoregressiveModel* model_;
  Tap* tap_;
  KvCache past_, memory_;
  std::vector<std::int32_t> sentences_;  // of each row: a line of the memory
  Tensor memory_table_;                  // on the device
};

}  // namespace kette
