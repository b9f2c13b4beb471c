// Decoding one token at a time. A row is one hypothesis; step() appends a token to each row and
// gives the decoder's last states, equal to those of Transformer::decode over the whole prefix, at
// the cost of one position (the keys and values of the past are kept). select() makes the beam's
// new order: a row may go on more than once, or end.
//   cross-attention: keys and values once per sentence, seen by all of its rows
//   self-attention:  a page of keys and values per step; each row knows its entry in each page, so
//   select()
//                    moves a row of integers and no keys, and a page is dropped once nobody looks
//                    back that far
// Rows may be added at any time: each has its own positions.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "decode/packed_transformer.h"

namespace kette {

class DecoderState {
 public:
  explicit DecoderState(const PackedTransformer& model) : model_(&model) {}

  std::int64_t rows() const { return static_cast<std::int64_t>(rows_.size()); }
  /// Encodes the sentences, ids without the end mark, and appends a row for each.
  void add(const std::vector<std::span<const std::int32_t>>& sources);
  /// tokens: one a row, <s> first -> states [rows, width].
  Tensor step(const std::vector<std::int32_t>& tokens);
  /// Row r becomes what row parents[r] was.
  void select(const std::vector<std::int64_t>& parents);
  /// Pages kept, for tests.
  std::int64_t pages() const { return static_cast<std::int64_t>(pages_.size()); }

 private:
  struct Row {
    Tensor memory;  // of the sentences that were added together: [layers, tokens, 2 * width]
    std::int64_t begin, length;  // its own sentence's tokens
    std::int64_t first_step;     // the step that was its position 0
  };
  void attend_to_past(std::int64_t layer, const QueryRows& rows);
  void attend_to_memory(std::int64_t layer, const QueryRows& rows);
  void widen_slots();

  const PackedTransformer* model_;
  std::vector<Row> rows_;
  std::deque<Tensor>
      pages_;  // [layers, rows of the time, 2 * width], of steps step_ - size .. step_ - 1
  std::int64_t step_ = 0;            // of the next token
  std::int64_t slot_stride_ = 0;     // positions there is room for
  std::vector<std::int32_t> slots_;  // [rows, slot_stride_]: entry of each position in its page
};

}  // namespace kette
