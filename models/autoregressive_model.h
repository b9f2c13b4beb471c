// Models that generate text token by token. The states of a decoder, a stack of blocks, predict the
// next token of every row. GPT has only a decoder. The decoder of the Transformer also attends to
// an encoded source. All code in decode/ uses this class.
#pragma once

#include <memory>

#include "data/tokenizers/position_stream.h"
#include "data/tokenizers/special_tokens.h"
#include "models/model.h"

namespace kette {

class AutoregressiveModel : public Model {
 public:
  std::int64_t vocabulary() const { return config().vocabulary; }
  /// The special tokens of the vocabulary; -1 if only the tokenizer knows them.
  virtual SpecialTokens special() const { return {-1, -1, -1, -1}; }

  /// The second stream of positions of the decoder, if it has one.
  virtual PositionStream second_positions() const { return {}; }

  /// target: i32 [rows] -> states [rows, width], the input of output().
  virtual Variable decode(const Tensor& target, const AttentionContext& sequences,
                          Run& run) const = 0;
  /// source: i32 [rows] -> memory [rows, width]. An Error for a model without an encoder.
  virtual Variable encode(const Tensor& source, const AttentionContext& sequences, Run& run) const;
  bool has_encoder() const { return !encoder().empty(); }

  // The parts, for inspection and for export to other programs.
  /// The token embedding of the decoder, without positions.
  virtual const Embedding& token_embedding() const = 0;
  /// The token embedding of the encoder. It is the decoder's unless sources have a vocabulary of their own.
  virtual const Embedding& source_embedding() const { return token_embedding(); }
  /// The blocks of the encoder; empty without one.
  virtual const std::vector<Block>& encoder() const;
  virtual const std::vector<Block>& decoder() const = 0;
  /// The final norms of the stacks; null if there is none.
  virtual const Norm* encoder_norm() const { return nullptr; }
  virtual const Norm* decoder_norm() const { return nullptr; }
  /// The projection to the vocabulary. Point: logits.
  virtual const Linear& output() const = 0;
  /// states [rows, width] -> [rows, vocabulary].
  Variable logits(const Variable& states, const Run& run = {}) const {
    return output()(states, run);
  }
  /// The states of all target rows of a batch, [rows, width].
  Variable states(const Batch& batch, Run& run) const;
  Variable logits(const Batch& batch, Run& run) const override {
    return logits(states(batch, run), run);
  }
  /// The label-smoothed loss of the next tokens: of states, or of a batch. Point: loss. sums:
  /// CrossEntropySums to add to, or undefined.
  Variable loss(const Variable& states, const Tensor& targets, const CrossEntropyOptions& options,
                const Tensor& sums = {}) const;
  Variable loss(const Batch& batch, const CrossEntropyOptions& options, Run& run,
                const Tensor& sums = {}) const override;

  /// A snapshot for decoding: every weight is prepacked for products of few rows (tensor/decoding.h), in f32, bf16 or,
  /// on a CPU, int8. With int8 the token embeddings are int8, too. Everything else is f32. The bits of a row's result
  /// do not depend on the other rows. Later changes of this model do not affect the snapshot.
  virtual std::unique_ptr<AutoregressiveModel> for_decoding(
      const DecodingTypes& types = {}) const = 0;
  /// The device of a snapshot for decoding. An Error for any other model.
  Device device() const;
  /// The type in which a snapshot's cache stores keys and values.
  DType cache_type() const { return cache_type_; }

 protected:
  virtual Linear& output_map() = 0;
  /// Implements for_decoding().
  void become_snapshot_of(const AutoregressiveModel& other, const DecodingTypes& types);

 private:
  DType cache_type_ = DType::f32;
};

}  // namespace kette
