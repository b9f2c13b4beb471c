#include "inspect/lab/gated_training.h"

#include "autograd/all_ops.h"
#include "autograd/tape.h"
#include "data/corpora/batch_sampler.h"
#include "train/optimizer.h"
#include "train/schedule.h"

namespace kette {

std::unique_ptr<AutoregressiveModel> trainable_copy(const AutoregressiveModel& model) {
  std::unique_ptr<Model> copy = model.config().make_model();
  const Tensor& values = model.parameters().values();
  copy->allocate(values.dtype(), values.device(), Gradients::kept);
  copy->parameters().values().copy_from(values);
  return std::unique_ptr<AutoregressiveModel>(&dynamic_cast<AutoregressiveModel&>(*copy.release()));
}

ConcreteGates train_gated(AutoregressiveModel& model, std::vector<AttentionPart> attentions,
                          const ParallelCorpus& text, const GatedTraining& options,
                          std::uint64_t seed, const std::function<void(double share)>& progress) {
  ConcreteGates gates(std::move(attentions), model.parameters().values().device());
  const auto optimizer = make_optimizer(model.parameters(), {});
  const auto gate_optimizer = make_optimizer(gates.parameters(), {});
  BatchSampler sampler(text, {.tokens_per_batch = options.batch_tokens, .seed = seed});
  const ScheduleOptions schedule{
      .kind = ScheduleKind::cosine, .lr = options.lr, .warmup = 1, .total_steps = options.steps};
  Random random(seed, 3);
  for (std::int64_t step = 1; step <= options.steps; ++step) {
    const Batch batch = sampler.next();
    model.parameters().clear_gradients();
    gates.parameters().clear_gradients();
    Tape tape;
    HeadGates sampled = gates.sampled(random);
    Run run(seed, static_cast<std::uint64_t>(step), &sampled);
    const double per_token = 1 / static_cast<double>(batch.target_segments.rows());
    const Variable loss = model.loss(batch, {.smoothing = 0.1, .scale = per_token}, run);
    tape.backward(loss + affine(gates.expected_open(), options.penalty));
    optimizer->step(learning_rate(schedule, step));
    gate_optimizer->step(options.gate_lr);
    progress(static_cast<double>(step) / static_cast<double>(options.steps));
  }
  return gates;
}

}  // namespace kette
