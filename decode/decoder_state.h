// Decoding one token at a time. A row is one hypothesis; step() appends a token to each row and
// gives the decoder's last states, equal to those of Transformer::decode over the whole prefix, at
// the cost of one position (the keys and values of the past are kept). select() makes the beam's
// new order: a row may go on more than once, or end.
//   self-attention:  a line of a cache for each row
//   cross-attention: a line of another cache for each sentence, seen by all of its rows
// Rows may be added at any time: each has its own positions.
#pragma once

#include <span>
#include <vector>

#include "decode/packed_transformer.h"
#include "nn/kv_cache.h"

namespace kette {

class DecoderState {
 public:
  explicit DecoderState(const PackedTransformer& model);

  std::int64_t rows() const { return past_.lines(); }
  /// Encodes the sentences, ids without the end mark, and appends a row for each.
  void add(const std::vector<std::span<const std::int32_t>>& sources);
  /// tokens: one a row, <s> first -> states [rows, width].
  Tensor step(const std::vector<std::int32_t>& tokens);
  /// Row r becomes what row parents[r] was.
  void select(const std::vector<std::int64_t>& parents);

 private:
  void drop_unread_sentences();
  void keep_memory(const Tensor& memory, const Segments& segments);

  const PackedTransformer* model_;
  KvCache past_, memory_;
  std::vector<std::int64_t> sentences_;  // of each row: a line of the memory
  Tensor memory_table_;                  // on the device
};

}  // namespace kette
