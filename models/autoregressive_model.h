// Models that write a text token by token: a decoder, a stack of blocks whose last states predict the
// next token of every row, alone (GPT) or attending to what an encoder made of a source
// (the Transformer). All that decodes (decode/) works on this.
#pragma once

#include <memory>

#include "data/tokenizers/position_stream.h"
#include "data/tokenizers/special_tokens.h"
#include "models/model.h"

namespace kette {

class AutoregressiveModel : public Model {
 public:
  std::int64_t vocabulary() const { return config().vocabulary; }
  /// The marks of its vocabulary; -1 where a model leaves them to its tokenizer.
  virtual SpecialTokens special() const { return {-1, -1, -1, -1}; }

  /// Of what its decoder reads, where it goes by two streams of positions.
  virtual PositionStream second_positions() const { return {}; }

  /// target: i32 [rows] -> states [rows, width], which output() makes logits of.
  virtual Variable decode(const Tensor& target, const AttentionContext& sequences,
                          Run& run) const = 0;
  /// source: i32 [rows] -> memory [rows, width]. An Error for a model without an encoder.
  virtual Variable encode(const Tensor& source, const AttentionContext& sequences, Run& run) const;
  bool has_encoder() const { return !encoder().empty(); }

  // The parts, for study and for exchange with other programs.
  /// Of tokens, before their positions are added: the decoder's.
  virtual const Embedding& token_embedding() const = 0;
  /// The encoder's, if there is one: the same, unless sources have a vocabulary of their own.
  virtual const Embedding& source_embedding() const { return token_embedding(); }
  /// The blocks; of a model without an encoder none.
  virtual const std::vector<Block>& encoder() const;
  virtual const std::vector<Block>& decoder() const = 0;
  /// The norms after the stacks; null where there is none.
  virtual const Norm* encoder_norm() const { return nullptr; }
  virtual const Norm* decoder_norm() const { return nullptr; }
  /// The projection to the vocabulary. Point: logits.
  virtual const Linear& output() const = 0;
  /// states [rows, width] -> [rows, vocabulary].
  Variable logits(const Variable& states, const Run& run = {}) const {
    return output()(states, run);
  }
  /// What decode() makes of a batch.
  Variable states(const Batch& batch, Run& run) const;
  Variable logits(const Batch& batch, Run& run) const override {
    return logits(states(batch, run), run);
  }
  /// The label-smoothed loss of the next tokens, and that of a batch. Point: loss.
  Variable loss(const Variable& states, const Tensor& targets, const CrossEntropyOptions& options,
                const Tensor& sums = {}) const;
  Variable loss(const Batch& batch, const CrossEntropyOptions& options, Run& run,
                const Tensor& sums = {}) const override;

  /// A snapshot made ready for decoding: every weight prepacked for products of few rows
  /// (tensor/decoding.h), in f32, bf16 or, on a CPU, int8, which tables of tokens then are in, too, all
  /// else f32, so that the result of a row has the same bits whatever other rows are computed with it.
  /// What changes in this model afterwards does not reach it.
  virtual std::unique_ptr<AutoregressiveModel> for_decoding(
      const DecodingTypes& types = {}) const = 0;
  /// Of a model made ready for decoding; an Error for another.
  Device device() const;
  /// Likewise: what keys and values of the past are to be kept in.
  DType cache_type() const { return cache_type_; }

 protected:
  virtual Linear& output_map() = 0;
  /// For for_decoding().
  void become_snapshot_of(const AutoregressiveModel& other, const DecodingTypes& types);

 private:
  DType cache_type_ = DType::f32;
};

}  // namespace kette
