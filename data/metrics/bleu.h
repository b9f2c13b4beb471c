// BLEU (Papineni et al. 2002), equal to sacreBLEU 2:
//   BLEU = 100 BP exp(1/N sum_{n=1..N} log p_n),   N = 4 if nothing else is asked for
//   p_n = matched n-grams / n-grams of the hypotheses,   BP = exp(min(0, 1 - ref_len / hyp_len))
// over the counts of the whole corpus; an n-gram matches at most as often as in some reference.
// If no n-gram of an order matches, p_n is smoothed (Chen and Cherry 2014). Readers skip a byte
// order mark at the start of a file (data/files/text_file.h), which sacreBLEU would take as part of
// the first word.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/metrics/score_format.h"
#include "data/metrics/score_pieces.h"
#include "data/metrics/score_tokenizers.h"

namespace kette {

enum class BleuSmoothing {
  none,
  floor,  ///< a count of zero becomes the smoothing value
  add_k,  ///< the smoothing value is added to both counts of the orders above 1
  exp,    ///< the first zero counts as 1/2, the next as 1/4, ... (mteval-v13a)
};
template <>
inline constexpr auto kNamesOf<BleuSmoothing> =
    enum_names<BleuSmoothing>({{BleuSmoothing::none, "none"},
                               {BleuSmoothing::floor, "floor"},
                               {BleuSmoothing::add_k, "add-k"},
                               {BleuSmoothing::exp, "exp"}});

struct BleuOptions {
  bool lowercase = false;
  ScoreTokenizer tokenizer = ScoreTokenizer::v13a;
  std::shared_ptr<const ScorePieces> pieces{};  ///< instead of the tokenizer
  std::string pieces_name = "spm";              ///< in the signature: "flores200"
  /// Not in the signature, as in sacreBLEU: the score line has this many precisions.
  std::int64_t max_ngram_order = 4;
  BleuSmoothing smoothing = BleuSmoothing::exp;
  std::optional<double> smoothing_value;  ///< for floor (0.1) and add_k (1)
  bool effective_order = false;           ///< average only the orders that the hypothesis reaches
};

/// 0..100.
/// "BLEU = 41.02 71.0/47.5/34.3/24.5 (BP = 0.999 ratio = 0.999 hyp_len = 12096 ref_len = 12103)"
struct BleuScore : CorpusScore {
  // For each order:
  std::vector<double> precisions;    ///< 0..100, smoothed
  std::vector<std::int64_t> counts;  ///< matched n-grams, before smoothing
  std::vector<std::int64_t> totals;  ///< n-grams of the hypotheses, before smoothing
  double brevity_penalty = 0;
  std::int64_t hyp_len = 0;  ///< words of the hypotheses
  std::int64_t ref_len = 0;  ///< words of the references closest in length
};

/// The score of summed counts of bleu_metric(), with empty name and signature.
BleuScore bleu_of(const ScoreCounts& sum, const BleuOptions& options);

Metric bleu_metric(const BleuOptions& options = {});
std::unique_ptr<MetricConfig> bleu_config();
/// A tokenizer by its name. pieces: gets the name if that is one of a SentencePiece model.
MetricOption::Text tokenizer_by_name(ScoreTokenizer& tokenizer, std::string* pieces = nullptr);

/// Line i of the hypotheses against line i of each reference.
BleuScore corpus_bleu(const ScoreLines& hypotheses, const std::vector<ScoreLines>& references,
                      const BleuOptions& options = {}, const BootstrapOptions& bootstrap = {});

/// One sentence, always with effective order, as sacreBLEU's sentence_bleu.
BleuScore sentence_bleu(std::string_view hypothesis, const ScoreLines& references,
                        const BleuOptions& options = {});

/// sentence_bleu() of every text with every text as its only reference: [texts, texts], a
/// hypothesis per row.
std::vector<double> pairwise_bleu(const ScoreLines& texts, const BleuOptions& options = {});

}  // namespace kette
