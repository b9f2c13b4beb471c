// Everything there is to see of how a model came to one translation, or reads one text: for `kette explain`.
#pragma once

#include <functional>

#include "data/tokenizers/tokenizer.h"
#include "inspect/heads/attention_maps.h"
#include "inspect/passes/beam_tree.h"
#include "inspect/passes/logit_lens.h"

namespace kette {

/// What the model says in one row, where the text goes on with `token`.
struct Prediction {
  std::int32_t token = 0, runner_up = 0;  ///< the runner-up: the likeliest other token
  double log_probability = 0, runner_up_log_probability = 0;
  double entropy = 0;  ///< nats
  /// What each of Explanation::parts adds to the token's logit, and to the runner-up's.
  std::vector<double> attribution, runner_up_attribution;

  /// What a part adds to the token's lead over the runner-up.
  double lead(std::size_t part) const { return attribution[part] - runner_up_attribution[part]; }
};

/// One head masked.
struct WithoutHead {
  Head head;
  double log_probability = 0;  ///< of the same text
  std::string translation;     ///< what the search finds then; of a text none
};

struct Explanation {
  std::vector<std::string> source;      ///< pieces with </s>; none without an encoder
  std::vector<std::string> target_in;   ///< what each row of the decoder reads
  std::vector<Prediction> predictions;  ///< of each row
  std::string translation;
  double log_probability = 0;  ///< of the predictions that are part of the text
  std::vector<AttentionPart> attentions;
  std::vector<AttentionMaps> maps;             ///< of each attention
  std::vector<LayerAlignment> alignments;      ///< the most trustworthy first
  std::vector<std::vector<LensReading>> lens;  ///< [levels][rows]
  std::vector<std::string> encoder_exits;      ///< the translation from each level of the encoder
  std::vector<std::string> parts;              ///< that logits are sums of
  BeamTree beam;
  std::vector<WithoutHead> without;  ///< the most missed first
  SharedTokenizer tokenizer;

  std::string piece(std::int32_t token) const { return tokenizer->piece(token); }
  /// The parts that give most of the lead: "feed-forward 0 +1.72, cross 3 head 0 +1.09, embedding +0.91".
  std::string main_parts(const Prediction& prediction) const;
};

/// Maps of more tokens are no longer readable, nor is the page small.
inline constexpr std::size_t kMostExplainedTokens = 128;

/// The translation that a search finds; of a parser the tree that it writes (decode/tree_parser.h), of as many symbols
/// as there. model: one that trains, with values. language: of a model of several, the one to translate to. check: called between passes;
/// what it throws ends it.
Explanation explain_translation(const AutoregressiveModel& model, const SharedTokenizer& tokenizer,
                                const std::string& text, const SearchOptions& options,
                                const std::string& language = "",
                                const std::function<void()>& check = {});
/// A text that a model without an encoder reads, of at least two tokens; the beam goes on from its end
/// for `more` tokens.
Explanation explain_text(const AutoregressiveModel& model, const SharedTokenizer& tokenizer,
                         const std::string& text, const SearchOptions& options, std::int64_t more,
                         const std::function<void()>& check = {});

}  // namespace kette
