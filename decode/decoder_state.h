// The state of a decoder that generates token by token. A row is one hypothesis or text. step()
// appends a token to each row and returns the decoder's last states. They equal those of a pass
// over the whole row, but only one position is computed, because keys and values of the past are
// cached. select() reorders rows for beam search: a row may continue several times, or end. Rows
// may be added at any time. Each has its own positions.
//
//   self-attention:    each row has a line of a cache        rows  0   1   2   3
//   cross-attention:   each sentence has a line of another         |   |   |   |
//                      cache, which all its rows read        past  0   1   2   3
//                                                          memory  0---0   1---1
#pragma once

#include <span>
#include <vector>

#include "models/autoregressive_model.h"
#include "nn/cached_sequences.h"

namespace kette {

/// The initial contents of a row.
struct RowStart {
  /// The source with its end mark; empty for a model without an encoder.
  std::span<const std::int32_t> source;
  /// Tokens that are read when the row is added: all tokens of a prompt or prefix except the last,
  /// which the first step reads.
  std::span<const std::int32_t> past;
};

/// The places of a static batch, which keep their addresses on the device when they are filled for other rows. So a
/// recorded pass that reads them can be replayed for those.
struct StaticPlaces {
  CachePlaces past, memory;
  std::int64_t moves = -1;  ///< KvCache::moves() of both caches together
};

/// The size of a recorded pass that suits so many rows or lines: 1, 2, 4, 8, ...
std::int64_t padded_size(std::int64_t count);

/// Copies the values, which are on the host, to `there`, which is made if it has not their shape. Returns whether it had.
bool refill(Tensor& there, const Tensor& values, Device device);

class DecoderState {
 public:
  /// model: from for_decoding(); must outlive this. tap: observes every pass.
  explicit DecoderState(const AutoregressiveModel& model, Tap* tap = nullptr);

  std::int64_t rows() const { return past_.lines(); }
  /// The number of tokens that a row has read.
  std::int64_t length(std::int64_t row) const { return past_.length(row); }
  /// Appends one row for each start.
  void add(const std::vector<RowStart>& starts);
  /// Row rows[i] reads pasts[i] after what it has read so far. Equal to a longer RowStart::past if
  /// reads_in_parts().
  void read(const std::vector<std::int64_t>& rows,
            const std::vector<std::span<const std::int32_t>>& pasts);
  /// Whether reading a past in parts gives the same bits as reading it at once.
  bool reads_in_parts() const { return !past_.keeps_states(); }
  /// Whether shorten() may be called. A cache of states, or of a window, no longer has what a row had before.
  bool can_shorten() const { return !past_.keeps_states() && past_.pass() == 0; }
  /// Forgets the tokens of a row from `length` on.
  void shorten(std::int64_t row, std::int64_t length) { past_.shorten(row, length); }
  /// rows: ascending. tokens: one for each of them. Returns their states, [rows, width]. Other rows
  /// do not change.
  Tensor step(const std::vector<std::int32_t>& tokens, const std::vector<std::int64_t>& rows);
  /// The same for all rows.
  Tensor step(const std::vector<std::int32_t>& tokens);
  /// Row r becomes a copy of row parents[r].
  void select(const std::vector<std::int64_t>& parents);
  /// Fixes the batch, so that a pass can be recorded: rows stay as they are, and row r gets slots
  /// for lengths[r] tokens. positions: i32 [rows or more] on the device, where all inputs of the pass are. Rows
  /// beyond the state's are padding, whose keys and values nobody reads. Fills the places, and returns whether a pass that
  /// was recorded with them is still right.
  bool begin_static_batch(const std::vector<std::int64_t>& lengths, const Tensor& positions,
                          StaticPlaces& places);
  /// Of a pass with one token a row.
  CachedSequences static_sequences(const StaticPlaces& places) const;
  /// Ends a static batch: select(), then row r has read lengths[r] tokens.
  void end_static_batch(const std::vector<std::int64_t>& parents,
                        const std::vector<std::int64_t>& lengths);

 private:
  void drop_unread_sentences();
  void keep_memory(const std::vector<RowStart>& starts);
  /// Reads it in one pass.
  void read_at_once(const std::vector<std::int64_t>& rows,
                    const std::vector<std::span<const std::int32_t>>& pasts);
  /// The last position of each memory line.
  std::vector<std::int32_t> memory_ends(const std::vector<std::int32_t>& lines) const;

  const AutoregressiveModel* model_;
  Tap* tap_;
  KvCache past_, memory_;
  std::vector<std::int32_t> sentences_;  // the memory line of each row
  Tensor memory_table_;                  // on the device
};

}  // namespace kette
