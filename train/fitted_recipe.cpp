#include "train/fitted_recipe.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "data/corpora/prepared_pairs.h"
#include "data/files/text_size.h"

namespace kette {
namespace {

/// From the smallest to the largest: each for who lets it read so many tokens of the larger side, and has a text of so
/// many.
struct Size {
  double tokens_read, tokens_of_text;
  std::int64_t layers, width, hidden, heads;

  TransformerConfig config() const {
    TransformerConfig config = TransformerConfig::preset("tiny");
    config.encoder_layers = config.decoder_layers = layers;
    config.width = width;
    config.hidden = hidden;
    config.heads = heads;
    config.norm = NormOrder::pre;  // learns sooner than the paper's order
    return config;
  }
};
constexpr Size kSizes[] = {{0, 0, 2, 128, 512, 4},
                           {6e6, 0, 3, 128, 512, 4},
                           {1.2e7, 0, 4, 128, 512, 4},
                           {2e7, 1e6, 4, 256, 1024, 4},
                           {4e8, 1e7, 6, 512, 2048, 8}};

/// So many pieces that each comes often, of a power of two.
std::int64_t pieces_for(double tokens) {
  constexpr double kTimesOfPiece = 100;
  return static_cast<std::int64_t>(std::bit_floor(
      static_cast<std::uint64_t>(std::clamp(tokens / kTimesOfPiece, 1024.0, 32768.0))));
}

/// Training reaches about this share of what products of matrices alone could do.
constexpr double kShareOfProducts = 0.5;

/// For each token of the larger side, about.
double training_flops_of(const TransformerConfig& config) {
  double flops = 0;
  for (const SummaryRow& row : summary_of(config)) {
    flops += static_cast<double>(row.count) * (row.source_flops + row.target_flops);
  }
  return 3 * flops;
}

/// Where nothing says how long: the fewer, the more text there is, from 100 down to 5.
std::int64_t epochs_for(const TextAmount& text) {
  const double pairs = static_cast<double>(std::max<std::int64_t>(text.pairs, 1));
  return std::clamp<std::int64_t>(std::llround(6000 / std::sqrt(pairs)), 5, 100);
}

/// Tokens of a batch: there are some in each pass over the text.
std::int64_t batch_for(double tokens) {
  return static_cast<std::int64_t>(
      std::bit_ceil(static_cast<std::uint64_t>(std::clamp(tokens, 512.0, 4096.0))));
}
std::int64_t largest_batch(const TextAmount& text) {
  constexpr double kFewestOfPass = 50;
  return batch_for(text.tokens() / kFewestOfPass);
}

/// That a model reads until the first limit.
double tokens_read(const TextAmount& text, const LearningTime& time,
                   const TransformerConfig& config) {
  double tokens = std::numeric_limits<double>::infinity();
  const auto at_most = [&](double limit) {
    if (limit > 0) tokens = std::min(tokens, limit);
  };
  at_most(static_cast<double>(time.epochs) * text.tokens());
  at_most(static_cast<double>(time.steps) * static_cast<double>(largest_batch(text)));
  at_most(kShareOfProducts * time.flops / training_flops_of(config));
  return std::isfinite(tokens) ? tokens : static_cast<double>(epochs_for(text)) * text.tokens();
}

/// A peak that falls with the width, and rises with the batch.
double peak(std::int64_t width, std::int64_t batch_tokens) {
  return 0.003 *
         std::sqrt(128.0 / static_cast<double>(width) * static_cast<double>(batch_tokens) / 1024);
}

}  // namespace

double TextAmount::tokens() const {
  constexpr double kBytesOfPiece = 4;
  return std::max(1.0, static_cast<double>(bytes) / kBytesOfPiece);
}

TextAmount amount_of(const std::vector<ParallelText>& texts) {
  TextAmount amount;
  for (const ParallelText& text : texts) {
    if (text.is_prepared()) {
      const PreparedText prepared = PreparedPairs::of(text.prepared).texts.at(text.number);
      amount.pairs += prepared.lines;
      amount.bytes += std::max(prepared.source_bytes, prepared.target_bytes);
      continue;
    }
    const TextSize source = text_size(text.source), target = text_size(text.target);
    amount.pairs += source.lines;
    amount.bytes += std::max(source.bytes, target.bytes);
  }
  return amount;
}

FittedRecipe fitted_recipe(const TextAmount& text, const LearningTime& time) {
  FittedRecipe fitted;
  const std::int64_t pieces = pieces_for(text.tokens());
  double tokens = 0;
  for (const Size& size : kSizes) {
    TransformerConfig config = size.config();
    config.vocabulary = pieces;
    const double could_read = tokens_read(text, time, config);
    if (could_read < size.tokens_read || text.tokens() < size.tokens_of_text) break;
    fitted.model = config;
    tokens = could_read;
  }
  // What is read again and again is learnt by heart.
  const double passes = tokens / text.tokens();
  fitted.model.dropout = passes < 4 ? 0 : passes < 12 ? 0.1 : 0.3;
  fitted.epochs = epochs_for(text);
  Recipe& recipe = fitted.recipe;
  constexpr double kMostSteps = 3000;  // and as batches double, at least half as many
  recipe.batch_tokens = time.steps > 0
                            ? largest_batch(text)
                            : std::min(batch_for(tokens / kMostSteps), largest_batch(text));
  recipe.schedule = {.kind = ScheduleKind::cosine,
                     .lr = peak(fitted.model.width, recipe.batch_tokens),
                     .warmup = 1000,
                     .warmup_share = 0.1};
  recipe.optimizer = {.epsilon = 1e-8};
  recipe.label_smoothing = 0.1;
  return fitted;
}

}  // namespace kette
