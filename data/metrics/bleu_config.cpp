// The options of BLEU.
#include <algorithm>

#include "data/metrics/bleu.h"
#include "tensor/error.h"
#include "tensor/suggestion.h"

namespace kette {
namespace {

/// sacreBLEU's tokenizers with a SentencePiece model, and "spm" for any other model.
const std::vector<std::string> kOfModels = {"flores101", "flores200", "spBLEU-1K", "spm"};

class BleuConfig final : public MetricConfig {
 public:
  std::vector<MetricOption> options() override {
    const auto set_model = [this](const std::string& file) {
      options_.pieces = std::make_shared<const ScorePieces>(file);
    };
    return {
        {"--tokenize", tokenizer_by_name(options_.tokenizer, &pieces_), "Tokenizer of BLEU"},
        {"--spm-model", MetricOption::Text{"FILE", [] { return std::string(); }, set_model},
         "The SentencePiece model that --tokenize names, which sacreBLEU keeps in "
         "~/.sacrebleu/models"},
        lowercase_option(),
        {"--smooth-method", MetricOption::choice(options_.smoothing),
         "What stands in BLEU for an order without a match"},
        {"--smooth-value", &smooth_value_, "That of floor or add-k (default: 0.1, 1)"},
        {"--max-ngram-order", MetricOption::Whole{&options_.max_ngram_order, 1, kLongestNgram},
         "Words of BLEU's longest n-grams"},
        {"--effective-order", &options_.effective_order,
         "BLEU leaves out orders that the text is too short for, as of a line it always does"},
    };
  }

  void check() const override {
    KETTE_CHECK(!pieces_.empty() || !options_.pieces, "--spm-model: expected --tokenize ",
                joined(kOfModels, "|"), " beside it, given none");
    KETTE_CHECK(pieces_.empty() || options_.pieces, "--tokenize: expected --spm-model beside ",
                pieces_, ", the file of that SentencePiece model, given none");
    const bool takes_value =
        options_.smoothing == BleuSmoothing::floor || options_.smoothing == BleuSmoothing::add_k;
    KETTE_CHECK(smooth_value_ < 0 || takes_value,
                "--smooth-value: expected --smooth-method floor or add-k beside it, given ",
                enum_name(options_.smoothing));
  }

  Metric metric(bool of_sentence) const override { return bleu_metric(chosen(of_sentence)); }
  std::vector<double> pairwise(const ScoreLines& texts) const override {
    return pairwise_bleu(texts, chosen(true));
  }

 private:
  BleuOptions chosen(bool of_sentence) const {
    BleuOptions options = options_;
    options.lowercase = lowercase;
    options.pieces_name = pieces_;
    if (smooth_value_ >= 0) options.smoothing_value = smooth_value_;
    options.effective_order = options.effective_order || of_sentence;
    return options;
  }

  BleuOptions options_;
  std::string pieces_;
  double smooth_value_ = -1;
};

}  // namespace

std::unique_ptr<MetricConfig> bleu_config() { return std::make_unique<BleuConfig>(); }

MetricOption::Text tokenizer_by_name(ScoreTokenizer& tokenizer, std::string* pieces) {
  std::vector<std::string> names = all_names<ScoreTokenizer>();
  if (pieces != nullptr) names.insert(names.end(), kOfModels.begin(), kOfModels.end());
  const auto current = [&tokenizer, pieces] {
    return pieces != nullptr && !pieces->empty() ? *pieces : enum_name(tokenizer);
  };
  const auto set = [&tokenizer, pieces, names](const std::string& text) {
    KETTE_CHECK(
        text != "ja-mecab" && text != "ko-mecab", "expected ", joined(names, "|"), ", given ", text,
        ", which takes MeCab and a dictionary that Kette has not (set the words of both sides apart "
        "with them, mecab -Owakati, and take none)");
    const bool is_known = std::find(names.begin(), names.end(), text) != names.end();
    KETTE_CHECK(is_known, "expected ", joined(names, "|"), ", given ", text,
                did_you_mean(text, names));
    const bool is_of_model = std::find(kOfModels.begin(), kOfModels.end(), text) != kOfModels.end();
    if (pieces != nullptr) *pieces = is_of_model ? text : "";
    tokenizer = is_of_model ? ScoreTokenizer::v13a : enum_named<ScoreTokenizer>(text);
  };
  return {joined(names, "|"), current, set};
}

}  // namespace kette
