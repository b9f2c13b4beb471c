// "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding" (Devlin et al.
// 2019): an encoder alone, which reads a text in both directions at once and says what stood where a
// word is masked. Reads top-down:
//   x = Dropout(norm(token embedding + position embedding + segment embedding))
//   x = norm(x + attention(x));  x = norm(x + feed_forward(x))      `layers` times, without a mask
//   logits = norm(gelu(x W^T + b)) E^T + c     of the masked rows; E: the token embedding again
// With other settings (BertConfig) it is a later model: norms before the sub-layers and one behind
// them, positions that turn queries and keys, no biases.
// A batch: source, the texts; target_in, where in its text each masked token stands, and target_out,
// which it is, with as many rows in target_segments as the text has masks.
#pragma once

#include "models/bert_config.h"
#include "models/model.h"

namespace kette {

/// All of it but the head: what reads a text, whose states other heads may go on from, too.
class BertEncoder {
 public:
  BertEncoder(const Scope& scope, const BertConfig& config);

  /// ids: i32 [rows] -> states [rows, width]. types: i32 [rows], which part of its text a row is of;
  /// undefined: the first. Points: embedded, those of embedding_norm and of the blocks.
  Variable operator()(const Tensor& ids, const AttentionContext& sequences, Run& run,
                      const Tensor& types = {}) const;
  /// Of a batch's source: of all its tokens.
  Variable operator()(const Batch& batch, Run& run) const;
  void each_linear(const VisitLinear& visit);
  /// Makes what depends on type and place of the parameters and is none.
  void make_tables(DType dtype, Device device);

  Embedding token_embedding;
  std::optional<Embedding> position_embedding;  ///< nothing where positions are not learned
  std::optional<Embedding> segment_embedding;   ///< nothing where segments are not told apart
  Norm embedding_norm;
  std::vector<Block> blocks;
  std::optional<Norm> final_norm;  ///< of pre-norm models

 private:
  Variable embed(const Tensor& ids, const AttentionContext& sequences, Run& run,
                 const Tensor& types) const;

  BertConfig config_;
  Tensor rotary_table_;
};

class Bert final : public Model {
 public:
  /// Registers every parameter; the values come with materialize().
  explicit Bert(const BertConfig& config);

  const BertConfig& config() const override { return config_; }
  std::int64_t positions() const override { return config_.context; }

  /// Of some states the rows that output() makes logits of, [rows, width]. Points: those of head.
  Variable head(const Variable& states, Run& run) const;
  /// [masked tokens, vocabulary]. Point: logits.
  Variable logits(const Batch& batch, Run& run) const override;
  Variable loss(const Batch& batch, const CrossEntropyOptions& options, Run& run,
                const Tensor& sums = {}) const override;

  /// A snapshot as AutoregressiveModel::for_decoding() makes one, with the table of tokens in f32: what it says of a
  /// text has the same bits whatever other texts are read with it.
  std::unique_ptr<Bert> for_decoding(DType weights = DType::f32) const;

  // The parts, for study and for exchange with other programs.
  const BertEncoder& encoder() const { return encoder_; }
  const Linear& head_map() const { return head_map_; }
  const Norm& head_norm() const { return head_norm_; }
  const Linear& output() const { return output_; }
  void each_linear(const VisitLinear& visit) override;

 private:
  /// What head() makes of the masked rows of a batch.
  Variable masked_rows(const Batch& batch, Run& run) const;
  void make_tables(DType dtype, Device device) override { encoder_.make_tables(dtype, device); }

  BertConfig config_;
  BertEncoder encoder_;
  Linear head_map_;
  Norm head_norm_;
  Linear output_;
};

/// Rows in the batch of places in its texts: places[i] of the text that row i of `targets` is of. A place
/// outside of its text is an Error.
Tensor rows_of_places(const std::vector<std::int32_t>& places, const Segments& texts,
                      const Segments& targets);

}  // namespace kette
