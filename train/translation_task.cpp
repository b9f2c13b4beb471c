#include "train/translation_task.h"

#include <nlohmann/json.hpp>

#include "data/bleu.h"
#include "decode/translator.h"

namespace kette {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

TranslationTrainOptions prepared(TranslationTrainOptions options) {
  options.check();
  prepare_model_directory(options);
  if (options.from.empty()) return options;
  KETTE_CHECK(options.tokenizer.empty(), options.tokenizer.string(),
              ": expected no tokenizer beside a model to start from, which has its own, given one");
  options.model = read_transformer_config(options.from);
  return options;
}

TransformerConfig model_config(const TranslationTrainOptions& options, const Tokenizer& tokenizer) {
  TransformerConfig config = options.model;
  if (!options.from.empty()) return config;
  config.vocabulary = tokenizer.vocab_size();
  config.special = tokenizer.special();
  return config;
}

}  // namespace

TranslationTask::TranslationTask(TranslationTrainOptions options)
    : options_(prepared(std::move(options))),
      tokenizer_(make_tokenizer()),
      corpus_(ParallelCorpus::load(options_.source, options_.target, tokenizer_,
                                   {options_.max_length, options_.max_ratio, true, false})),
      valid_source_(read_lines(options_.valid_source)),
      valid_target_(read_lines(options_.valid_target)),
      sampler_(corpus_, {options_.batch_tokens, options_.seed, 4, true, options_.bpe_dropout}),
      model_(model_config(options_, tokenizer_)),
      start_(model_, options_) {
  plan_validation();
}

Tokenizer TranslationTask::make_tokenizer() const {
  if (options_.resume) return Tokenizer::load(options_.out);
  if (!options_.from.empty()) return Tokenizer::load(options_.from);
  if (!options_.tokenizer.empty()) return Tokenizer::load(options_.tokenizer);
  TokenizerOptions settings;
  settings.vocab_size = options_.vocabulary;
  return Tokenizer::train_files({options_.source, options_.target}, settings);
}

void TranslationTask::plan_validation() {
  const ParallelCorpus valid = ParallelCorpus::from_lines(
      valid_source_, options_.valid_source.string(), valid_target_, options_.valid_target.string(),
      tokenizer_, {options_.model.max_length - 2, 0, true, false});
  for (const auto& sentences :
       plan_batches(valid.source(), valid.target(), options_.batch_tokens)) {
    valid_batches_.push_back(
        make_batch(valid.source(), valid.target(), sentences, tokenizer_.special()));
  }
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
  scoring.tokenizer = score_tokenizer(options_.bleu_tokenize);
  return Score{"valid_bleu", "greedy BLEU",
               corpus_bleu(hypotheses, {valid_target_.views()}, scoring).score};
}

std::string TranslationTask::report() const {
  return corpus_.report().text() + "\n" + start_.report(options_) + ", vocabulary of " +
         std::to_string(model_.config().vocabulary) + ", " + std::to_string(batches_in_epoch()) +
         " batches an epoch";
}

std::string TranslationTask::recipe() const {
  std::string tokenizer;
  for (const auto& [name, content] : tokenizer_.files()) tokenizer += content;
  Json json = {{"model", Json::parse(to_json(model_.config()))},
               {"tokenizer", std::hash<std::string>{}(tokenizer)},
               {"source", fs::absolute(options_.source).string()},
               {"target", fs::absolute(options_.target).string()},
               {"bpe_dropout", options_.bpe_dropout},
               {"max_length", options_.max_length},
               {"max_ratio", options_.max_ratio}};
  json.update(Json::parse(start_.recipe()));
  return json.dump();
}

void TranslationTask::save_description() const {
  kette::save_description(options_.out, model_.config(), tokenizer_);
  start_.save_description(options_);
}

}  // namespace kette
