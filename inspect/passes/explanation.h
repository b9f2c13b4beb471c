// Records how a model makes one translation or reads one text, for `kette explain`.
#pragma once

#include <functional>

#include "data/tokenizers/tokenizer.h"
#include "inspect/heads/attention_maps.h"
#include "inspect/passes/beam_tree.h"
#include "inspect/passes/logit_lens.h"

namespace kette {

/// The model's prediction in one row.
struct Prediction {
  std::int32_t token = 0;      ///< the next token of the text
  std::int32_t runner_up = 0;  ///< the likeliest other token
  double log_probability = 0, runner_up_log_probability = 0;
  double entropy = 0;  ///< nats
  /// The contribution of each of Explanation::parts to the logit of the token and of the runner-up.
  std::vector<double> attribution, runner_up_attribution;

  /// The contribution of a part to the difference of the two logits.
  double lead(std::size_t part) const { return attribution[part] - runner_up_attribution[part]; }
};

/// The model with one head masked.
struct WithoutHead {
  Head head;
  double log_probability = 0;  ///< of the same text
  std::string translation;     ///< the result of the search; "" for a text
};

struct Explanation {
  std::vector<std::string> source;      ///< pieces with </s>; empty without an encoder
  std::vector<std::string> target_in;   ///< the input of each row of the decoder
  std::vector<Prediction> predictions;  ///< by row
  /// How many of them, from the first, are part of the text. Of a text the last one says what might follow.
  std::size_t known = 0;
  std::string translation;
  double log_probability = 0;  ///< of the known predictions
  std::vector<AttentionPart> attentions;
  std::vector<AttentionMaps> maps;             ///< by attention
  std::vector<LayerAlignment> alignments;      ///< the most reliable first
  std::vector<std::vector<LensReading>> lens;  ///< [levels][rows]
  std::vector<std::string> encoder_exits;      ///< the translation from each level of the encoder
  std::vector<std::string> parts;              ///< the terms of which logits are sums
  BeamTree beam;
  std::vector<WithoutHead> without;  ///< the largest loss of log-probability first
  SharedTokenizer tokenizer;

  std::string piece(std::int32_t token) const { return tokenizer->piece(token); }
  /// The parts with the largest lead(): "feed-forward 0 +1.72, cross 3 head 0 +1.09, embedding +0.91".
  std::string main_parts(const Prediction& prediction) const;
};

/// The most tokens that can be explained: maps of more cannot be read, and the page becomes large.
inline constexpr std::size_t kMaxExplainedTokens = 128;

/// Explains the translation that a search finds, or for a parser the tree (decode/tree_parser.h, also for its length).
/// model: not made ready for decoding. language: the target language of a multilingual model. check: called between
/// passes; if it throws, so does this.
Explanation explain_translation(const AutoregressiveModel& model, const SharedTokenizer& tokenizer,
                                const std::string& text, const SearchOptions& options,
                                const std::string& language = "",
                                const std::function<void()>& check = {});
/// Explains a text of at least two tokens for a model without an encoder. The beam search continues the text by
/// `more` tokens.
Explanation explain_text(const AutoregressiveModel& model, const SharedTokenizer& tokenizer,
                         const std::string& text, const SearchOptions& options, std::int64_t more,
                         const std::function<void()>& check = {});

}  // namespace kette
