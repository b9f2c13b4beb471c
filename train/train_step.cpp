#include "train/train_step.h"

#include <algorithm>
#include <cmath>

namespace kette {
namespace {

Variable batch_loss(const Transformer& model, const Batch& batch,
                    const CrossEntropyOptions& options, Run& run, const Tensor& sums) {
  const Device device = model.parameters().values().device();
  const Variable memory =
      model.encode(Tensor::from(batch.source, device), batch.source_segments, run);
  const Variable states = model.decode(Tensor::from(batch.target_in, device), batch.target_segments,
                                       memory, batch.source_segments, run);
  return model.loss(states, Tensor::from(batch.target_out, device), options, sums);
}

/// A part of a batch whose activations are held at once. The residual stream of base is then 2 MiB,
/// and its products are still as quick as those of larger parts.
std::int64_t tokens_at_once(const TransformerConfig& config) {
  constexpr std::int64_t kElements = std::int64_t{1} << 19, kFewest = 256;
  return std::max(kFewest, kElements / config.width);
}

}  // namespace

StepResult train_step(Transformer& model, Adam& adam, std::span<const Batch> batches,
                      const StepOptions& options) {
  StepResult result;
  for (const Batch& batch : batches) {
    result.source_tokens += batch.source_segments.rows();
    result.target_tokens += batch.target_segments.rows();
  }
  const double per_token = 1.0 / static_cast<double>(result.target_tokens);
  model.parameters().gradients().zero();
  Run run(options.seed, static_cast<std::uint64_t>(adam.steps()) + 1);
  const Tensor sums = CrossEntropySums::zeros(model.parameters().values().device());
  for (const Batch& batch : batches) {
    for (const Batch& part : split(batch, tokens_at_once(model.config()))) {
      Tape tape;
      tape.backward(batch_loss(model, part, {options.label_smoothing, per_token}, run, sums));
    }
  }
  const CrossEntropySums total = CrossEntropySums::of(sums);
  KETTE_CHECK(std::isfinite(total.loss), "train: expected a finite loss, given ", total.loss,
              " at step ", adam.steps() + 1,
              "; a lower learning rate, a longer warm-up or clipping may help, and "
              "--detect-anomaly names the op");
  result.loss = total.loss * per_token;
  result.negative_log_likelihood = total.negative_log_likelihood * per_token;
  double gradient_scale = 1;
  if (options.clip_norm > 0) {
    result.gradient_norm = gradient_norm(model.parameters());
    if (result.gradient_norm > options.clip_norm)
      gradient_scale = options.clip_norm / result.gradient_norm;
  }
  adam.step(options.lr, gradient_scale);
  return result;
}

double validation_loss(const Transformer& model, std::span<const Batch> batches) {
  const Tensor sums = CrossEntropySums::zeros(model.parameters().values().device());
  std::int64_t tokens = 0;
  for (const Batch& batch : batches) {
    Run inference;
    batch_loss(model, batch, {}, inference, sums);
    tokens += batch.target_segments.rows();
  }
  if (tokens == 0) return 0;
  return CrossEntropySums::of(sums).negative_log_likelihood / static_cast<double>(tokens);
}

}  // namespace kette
