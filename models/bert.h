// "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding" (Devlin et al.
// 2019): an encoder that reads a text in both directions and predicts its masked tokens. Reads
// top-down:
//   x = Dropout(norm(token embedding + position embedding + segment embedding))
//   x = norm(x + attention(x));  x = norm(x + feed_forward(x))      `layers` times, without a mask
//   logits = norm(gelu(x W^T + b)) E^T + c     of the masked rows; E: the token embedding again
// Other settings (BertConfig) make it a later model: pre-norm with a final norm, rotary positions,
// no biases.
// A batch: source has the texts. target_in has the position of each masked token in its text, and
// target_out the token. Segment i of target_segments has one row for each mask of text i.
#pragma once

#include "models/bert_config.h"
#include "models/model.h"

namespace kette {

/// BERT without its head. Other heads can use its states, too.
class BertEncoder {
 public:
  BertEncoder(const Scope& scope, const BertConfig& config);

  /// ids: i32 [rows] -> states [rows, width]. types: i32 [rows], the segment (0, 1, ..) of each
  /// row; undefined: all 0. Points: embedded, and those of embedding_norm and the blocks.
  Variable operator()(const Tensor& ids, const AttentionContext& sequences, Run& run,
                      const Tensor& types = {}) const;
  /// The states of all rows of batch.source.
  Variable operator()(const Batch& batch, Run& run) const;
  void each_linear(const VisitLinear& visit);
  /// Computes tables that depend on dtype and device but are not parameters.
  void make_tables(DType dtype, Device device);

  Embedding token_embedding;
  std::optional<Embedding> position_embedding;  ///< empty unless positions are learned
  std::optional<Embedding> segment_embedding;   ///< empty if there are no segments
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
  /// Registers every parameter. materialize() or a file gives the values.
  explicit Bert(const BertConfig& config);

  const BertConfig& config() const override { return config_; }
  std::int64_t positions() const override { return config_.context; }

  /// states [rows, width] -> the input of output(), [rows, width]. Points: those of the head's
  /// layers.
  Variable head(const Variable& states, Run& run) const;
  /// [masked tokens, vocabulary]. Point: logits.
  Variable logits(const Batch& batch, Run& run) const override;
  /// The loss of the masked tokens. Point: loss. sums: CrossEntropySums to add to, or undefined.
  Variable loss(const Batch& batch, const CrossEntropyOptions& options, Run& run,
                const Tensor& sums = {}) const override;

  /// A snapshot as of AutoregressiveModel::for_decoding(), but with the token embedding in f32. The
  /// bits of a text's result do not depend on the other texts.
  std::unique_ptr<Bert> for_decoding(DType weights = DType::f32) const;

  // The parts, for inspection and for export to other programs.
  const BertEncoder& encoder() const { return encoder_; }
  const Linear& output() const { return output_; }
  void each_linear(const VisitLinear& visit) override;

 private:
  /// head() of the masked rows of a batch.
  Variable masked_rows(const Batch& batch, Run& run) const;
  void make_tables(DType dtype, Device device) override { encoder_.make_tables(dtype, device); }

  BertConfig config_;
  BertEncoder encoder_;
  Linear head_map_;
  Norm head_norm_;
  Linear output_;
};

/// Row numbers of the batch, i32 [target rows], for positions in texts. Row i of `targets` belongs
/// to one text; its number is that of position places[i] of this text. An Error if a position is
/// outside its text.
Tensor rows_of_places(const std::vector<std::int32_t>& places, const Segments& texts,
                      const Segments& targets);

}  // namespace kette
