#include "train/translation_task.h"

#include <limits>

#include "data/metrics/bleu.h"
#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "decode/translator.h"
#include "train/status_line.h"

namespace kette {
namespace {

/// In the model directory: the text as ids, so that a resume need not make them again.
constexpr const char* kPairsFile = "train.tokens";

TranslationTrainOptions prepared(TranslationTrainOptions options) {
  options.check();
  if (options.from.empty()) return options;
  KETTE_CHECK(options.tokenizer.empty(), options.tokenizer.string(),
              ": expected no tokenizer beside a model to start from, which has its own, given one");
  options.model = read_config_of<TransformerConfig>(options.from);
  return options;
}

RunFingerprint fingerprint_of(const TranslationTrainOptions& options) {
  RunFingerprint fingerprint;
  fingerprint.add_data("source", {options.source});
  fingerprint.add_data("target", {options.target});
  fingerprint.add_data("valid_source", {options.valid_source});
  fingerprint.add_data("valid_target", {options.valid_target});
  fingerprint.add_model(to_json(options.model));
  if (!options.tokenizer.empty()) {
    fingerprint.add("tokenizer", load_tokenizer(options.tokenizer)->fingerprint());
  } else if (options.from.empty()) {
    fingerprint.add("vocab", options.vocabulary);
  }
  fingerprint.add("bpe_dropout", options.bpe_dropout);
  fingerprint.add("max_length", options.max_length);
  fingerprint.add("max_ratio", options.max_ratio);
  add_to_fingerprint(options, fingerprint);
  return fingerprint;
}

SharedTokenizer for_translation(const std::filesystem::path& path) {
  SharedTokenizer tokenizer = load_tokenizer(path);
  KETTE_CHECK(
      tokenizer->special().are_complete(), path.string(),
      ": expected a tokenizer of the kind sentencepiece or marian, which have the padding and the begin that translation needs, given one of the kind ",
      tokenizer->kind());
  return tokenizer;
}

TransformerConfig model_config(const TranslationTrainOptions& options, const Tokenizer& tokenizer) {
  TransformerConfig config = options.model;
  if (!options.from.empty()) return config;
  config.vocabulary = tokenizer.vocabulary();
  config.special = tokenizer.special();
  return config;
}

}  // namespace

TranslationTask::TranslationTask(TranslationTrainOptions options)
    : options_(prepared(std::move(options))),
      folder_(options_, fingerprint_of(options_)),
      tokenizer_(make_tokenizer()),
      valid_source_(read_lines(options_.valid_source)),
      valid_target_(read_lines(options_.valid_target)),
      valid_batches_(plan_validation()),
      corpus_(make_corpus()),
      sampler_(corpus_, {options_.batch_tokens, options_.seed, 4, true, options_.bpe_dropout}),
      model_(model_config(options_, *tokenizer_)),
      start_(model_, options_) {}

SharedTokenizer TranslationTask::make_tokenizer() const {
  if (folder_.resumes()) return load_tokenizer(options_.out);
  if (!options_.from.empty()) return load_tokenizer(options_.from);
  if (!options_.tokenizer.empty()) return for_translation(options_.tokenizer);
  check_pairing(options_.source, options_.target);
  SentencePieceOptions settings;
  settings.vocabulary = options_.vocabulary;
  return SentencePieceTokenizer::train_files({options_.source, options_.target}, settings);
}

std::vector<Batch> TranslationTask::plan_validation() const {
  FilterOptions filters;
  filters.max_length = std::numeric_limits<std::int64_t>::max();
  filters.must_fit = longest_sentence();
  const ParallelCorpus valid =
      ParallelCorpus::from_lines(valid_source_, options_.valid_source.string(), valid_target_,
                                 options_.valid_target.string(), tokenizer_, filters);
  std::vector<Batch> batches;
  for (const auto& sentences :
       plan_batches(valid.source(), valid.target(), options_.batch_tokens)) {
    batches.push_back(make_batch(valid.source(), valid.target(), sentences, tokenizer_->special()));
  }
  return batches;
}

ParallelCorpus TranslationTask::make_corpus() const {
  FilterOptions filters;
  filters.max_length = options_.max_length;
  filters.max_ratio = options_.max_ratio;
  filters.must_fit = longest_sentence();
  StatusLine line(options_.quiet);
  return ParallelCorpus::load_or_make(options_.out / kPairsFile, options_.source, options_.target,
                                      tokenizer_, filters, show_on(line, "pairs"));
}

double TranslationTask::validation_loss() { return kette::validation_loss(model_, valid_batches_); }

std::optional<Score> TranslationTask::validation_score() {
  if (!options_.validate_bleu) return {};
  const Translator translator(model_, tokenizer_);
  TranslateOptions decode;
  decode.beam = 1;
  const std::vector<Translation> translations = translator.translate(
      std::vector<std::string>(valid_source_.views().begin(), valid_source_.views().end()), decode);
  ScoreLines hypotheses;
  for (const Translation& translation : translations) hypotheses.push_back(translation.text);
  BleuOptions scoring;
  scoring.tokenizer = options_.bleu_tokenize;
  return Score{"valid_bleu", "greedy BLEU",
               corpus_bleu(hypotheses, {valid_target_.views()}, scoring).score};
}

std::string TranslationTask::report() const {
  return corpus_.report().text() + "\n" + start_.report(options_) + ", vocabulary of " +
         std::to_string(model_.config().vocabulary) + ", " + std::to_string(batches_in_epoch()) +
         " batches an epoch";
}

void TranslationTask::save_description() const {
  kette::save_description(options_.out, model_.config(), *tokenizer_);
  start_.save_description(options_);
}

}  // namespace kette
