#include "train/train_step.h"

#include <algorithm>
#include <cmath>

#include "data/corpora/purpose.h"
#include "tensor/observer.h"
#include "tensor/splitmix.h"

namespace kette {
namespace {

/// A part of a batch whose activations are held at once. On the CPU the residual stream of base is
/// then 2 MiB, and its products are still as quick as those of larger parts. A GPU takes the whole of
/// any batch its memory is made for: an element of the stream stands for some 200 to 600 bytes.
std::int64_t tokens_at_once(const Model& model) {
  constexpr std::int64_t kElements = std::int64_t{1} << 19, kCudaBytesEach = 1024;
  constexpr std::int64_t kFewest = 256;
  const Device device = model.parameters().values().device();
  const auto capacity = static_cast<std::int64_t>(backend(device).capacity());
  const std::int64_t elements =
      device.kind == DeviceKind::cpu ? kElements : capacity / kCudaBytesEach;
  return std::max(kFewest, elements / model.config().width);
}

}  // namespace

StepResult StartedStep::finish() {
  const auto* sums = static_cast<const double*>(report_->wait());
  KETTE_CHECK(std::isfinite(sums[0]), "train: expected a finite loss, given ", sums[0], " at step ",
              number_, kDivergenceAdvice);
  const double tokens = static_cast<double>(result_.target_tokens);
  result_.loss = sums[0] / tokens;
  result_.negative_log_likelihood = sums[1] / tokens;
  result_.gradient_norm = std::sqrt(sums[3]);
  return result_;
}

std::optional<StartedStep> start_step(const Model& model, Adam& adam, const StepBatches& batches,
                                      const StepOptions& options) {
  StartedStep started;
  started.number_ = adam.steps() + 1;
  StepResult& result = started.result_;
  const double per_token = 1.0 / static_cast<double>(batches.target_tokens);
  ParamStore& parameters = adam.parameters();
  parameters.clear_gradients();
  Run run(options.seed, static_cast<std::uint64_t>(adam.steps()) + 1, options.tap);
  const CrossEntropyOptions losing{options.label_smoothing, per_token, options.consistency.views()};
  Random holes(hash_of(Purpose::holes, options.seed, static_cast<std::uint64_t>(adam.steps())));
  const std::int64_t at_once = tokens_at_once(model) / (losing.views ? 2 : 1);
  const Tensor report = Tensor::zeros({4}, DType::f64, parameters.values().device());
  const Tensor sums = report.slice(0, 3), squares = report.slice(3, 4);
  while (const std::optional<Batch> batch = batches.next()) {
    for (Batch& part : split(*batch, at_once)) {
      if (losing.views) part = in_two_views(part, options.consistency, holes);
      Tape tape;
      const Variable loss = [&] {
        const Work work("forward");
        return model.loss(part, losing, run, sums);
      }();
      tape.backward(loss);
    }
    result.source_tokens += batch->source_segments.rows();
    result.target_tokens += batch->target_segments.rows();
  }
  if (result.target_tokens < batches.target_tokens) return std::nullopt;
  const Work work("update");
  if (options.clip_norm > 0) {
    const Tensor& gradients = parameters.gradients();
    const Work norm("sum_of_squares", {&gradients});
    on(gradients.device(), [&](auto exec) { kernels::sum_of_squares(exec, gradients, squares); });
    adam.step(options.lr, squares, options.clip_norm);
  } else {
    adam.step(options.lr);
  }
  started.report_ = backend(report.device()).start_copy_to_host(report.raw(), report.bytes());
  return started;
}

StepResult train_step(const Model& model, Adam& adam, std::span<const Batch> batches,
                      const StepOptions& options) {
  StepBatches all;
  for (const Batch& batch : batches) all.target_tokens += batch.target_segments.rows();
  all.next = [&, at = batches.begin()]() mutable -> std::optional<Batch> {
    if (at == batches.end()) return std::nullopt;
    return *at++;
  };
  return start_step(model, adam, all, options)->finish();
}

Validation validate(const Model& model, std::span<const Batch> batches) {
  const Tensor sums = CrossEntropySums::zeros(model.parameters().values().device());
  std::int64_t tokens = 0;
  for (const Batch& batch : batches) {
    Run inference;
    model.loss(batch, {}, inference, sums);
    tokens += batch.target_segments.rows();
  }
  if (tokens == 0) return {};
  const CrossEntropySums totals = CrossEntropySums::of(sums);
  return {totals.negative_log_likelihood / static_cast<double>(tokens),
          totals.correct / static_cast<double>(tokens)};
}

}  // namespace kette
