#include "inspect/lab/bundled_translator.h"

#include "data/corpora/batch_sampler.h"
#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "train/schedule.h"
#include "train/train_step.h"

namespace kette {
namespace {

using Pairs = std::vector<bundled::SentencePair>;

std::vector<std::string> side_of(const Pairs& pairs, std::string bundled::SentencePair::*side) {
  std::vector<std::string> lines;
  for (const bundled::SentencePair& pair : pairs) lines.push_back(pair.*side);
  return lines;
}

}  // namespace

const bundled::Corpus& bundled_corpus(bool quick) {
  static const bundled::Corpus whole = bundled::generate();
  if (!quick) return whole;
  static const bundled::Corpus small = bundled::generate(2017, {2000, 20, 20});
  return small;
}

std::vector<std::string> english_of(const Pairs& pairs) {
  return side_of(pairs, &bundled::SentencePair::english);
}
std::vector<std::string> german_of(const Pairs& pairs) {
  return side_of(pairs, &bundled::SentencePair::german);
}

ParallelCorpus bundled_tokens(const bundled::Corpus& corpus, std::int64_t vocabulary) {
  std::vector<std::string_view> lines;
  for (const bundled::SentencePair& pair : corpus.train) {
    lines.insert(lines.end(), {pair.english, pair.german});
  }
  SentencePieceOptions options;
  options.vocabulary = vocabulary;
  return bundled_tokens(corpus, SentencePieceTokenizer::train(lines, options));
}

ParallelCorpus bundled_tokens(const bundled::Corpus& corpus, const SharedTokenizer& tokenizer) {
  std::string english, german;
  for (const bundled::SentencePair& pair : corpus.train) {
    english += pair.english + "\n";
    german += pair.german + "\n";
  }
  return ParallelCorpus::from_lines(TextLines(english, "bundled English"), "bundled English",
                                    TextLines(german, "bundled German"), "bundled German",
                                    tokenizer);
}

std::unique_ptr<Transformer> train_translator(
    const ParallelCorpus& text, const TranslatorSizes& sizes, std::uint64_t seed, Device device,
    const std::function<void(double loss, double share)>& progress) {
  TransformerConfig config = TransformerConfig::preset("tiny");
  config.encoder_layers = config.decoder_layers = sizes.layers;
  config.heads = sizes.heads;
  config.width = sizes.width;
  config.hidden = sizes.hidden;
  config.norm = sizes.norm;
  config.dropout = config.attention_dropout = sizes.dropout;
  config.activation_dropout = 0;
  config.vocabulary = text.tokenizer()->vocabulary();
  config.special = text.special();
  auto model = std::make_unique<Transformer>(config);
  model->materialize(seed, DType::f32, device);
  const auto optimizer = make_optimizer(model->parameters(), {});
  const ScheduleOptions schedule{.kind = ScheduleKind::cosine,
                                 .lr = sizes.lr,
                                 .warmup = sizes.warmup,
                                 .total_steps = sizes.steps};
  BatchSampler sampler(text, {.tokens_per_batch = sizes.batch_tokens, .seed = seed});
  for (std::int64_t step = 1; step <= sizes.steps; ++step) {
    const Batch batch = sampler.next();
    const StepResult result = train_step(*model, *optimizer, {&batch, 1},
                                         {.lr = learning_rate(schedule, step), .seed = seed});
    progress(result.loss, static_cast<double>(step) / static_cast<double>(sizes.steps));
  }
  return model;
}

}  // namespace kette
