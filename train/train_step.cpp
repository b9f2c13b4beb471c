#include "train/train_step.h"

#include <algorithm>
#include <cmath>

#include "autograd/tape.h"
#include "data/corpora/purpose.h"
#include "tensor/kernels.h"
#include "tensor/observer.h"
#include "tensor/splitmix.h"

namespace kette {
namespace {

/// A part of a batch whose activations are held at once.
std::int64_t tokens_at_once(const Model& model) {
  constexpr std::int64_t kFewest = 256;
  const Device device = model.parameters().values().device();
  return std::max(kFewest, backend(device).batch_elements() / model.config().width);
}

}  // namespace

TokenCounts StepBatches::all_tokens() const {
  TokenCounts all;
  for (const TokenCounts& one : tokens) all += one;
  return all;
}

std::vector<std::int64_t> StepBatches::order() const {
  std::vector<std::int64_t> costs;
  for (const TokenCounts& one : tokens) costs.push_back(one.source + one.target);
  return leaf_order(costs);
}

StepResult StartedStep::finish() {
  const auto* report = static_cast<const double*>(report_->wait());
  std::vector<TreePart<CrossEntropySums>> sums;
  for (std::int64_t leaf = 0; leaf < leaves_; ++leaf) {
    const double* of_leaf = report + 3 * leaf;
    add_node(sums, {{leaf, leaf + 1}, {of_leaf[0], of_leaf[1], of_leaf[2]}}, leaves_,
             [](CrossEntropySums left, const CrossEntropySums& right) { return left += right; });
  }
  const CrossEntropySums& all = sums.front().sum;
  KETTE_CHECK(std::isfinite(all.loss), "train: expected a finite loss, given ", all.loss,
              " at step ", number_, kDivergenceAdvice);
  const double tokens = static_cast<double>(result_.target_tokens);
  result_.loss = all.loss / tokens;
  result_.negative_log_likelihood = all.negative_log_likelihood / tokens;
  result_.gradient_norm = std::sqrt(report[3 * leaves_]);
  return result_;
}

TrainSteps::TrainSteps(const Model& model, Optimizer& optimizer, Communicator& communicator)
    : model_(model),
      optimizer_(optimizer),
      communicator_(communicator),
      sums_(optimizer.parameters()) {
  if (!communicator.is_alone())
    exchange_.emplace(optimizer.parameters(), communicator, optimizer.shards());
}

std::optional<StartedStep> TrainSteps::start(const StepBatches& batches,
                                             const StepOptions& options) {
  const auto leaves = std::ssize(batches.tokens);
  StartedStep started;
  started.number_ = optimizer_.steps() + 1;
  started.leaves_ = leaves;
  const TokenCounts tokens = batches.all_tokens();
  started.result_.source_tokens = tokens.source;
  started.result_.target_tokens = tokens.target;
  ParamStore& parameters = optimizer_.parameters();
  const Tensor report = Tensor::zeros({3 * leaves + 1}, DType::f64, parameters.values().device());
  if (!add_gradients(batches, options, report.view(0, {leaves, 3}))) return std::nullopt;
  communicator_.gather(report, [&](int process) {
    const Interval mine = share_of(process, communicator_.processes(), leaves);
    return Interval{3 * mine.begin, 3 * mine.end};
  });
  const Work work("update");
  const Tensor squares = report.slice(3 * leaves, 3 * leaves + 1);
  if (options.clip_norm > 0) add_squares(squares);
  optimizer_.step(options.lr, options.clip_norm > 0 ? squares : Tensor(), options.clip_norm);
  if (exchange_) {
    communicator_.gather(parameters.values(), optimizer_.shards());
    parameters.round();
  }
  started.report_ = backend(report.device()).start_copy_to_host(report.raw(), report.bytes());
  return started;
}

bool TrainSteps::add_gradients(const StepBatches& batches, const StepOptions& options,
                               const Tensor& losses) {
  const auto leaves = std::ssize(batches.tokens);
  const Interval mine = share_of(communicator_.process(), communicator_.processes(), leaves);
  const double per_token = 1.0 / static_cast<double>(batches.all_tokens().target);
  const CrossEntropyOptions losing{options.label_smoothing, per_token, options.consistency.views()};
  const std::int64_t at_once = tokens_at_once(model_) / (losing.views ? 2 : 1);
  const std::uint64_t step = static_cast<std::uint64_t>(optimizer_.steps());
  Run run(options.seed, step + 1, options.tap);
  const std::vector<std::int64_t> order = batches.order();
  sums_.begin(leaves);
  for (std::int64_t leaf = mine.begin; leaf < mine.end; ++leaf) {
    const std::optional<Batch> batch = batches.make(order[leaf]);
    if (!batch) return false;
    const bool is_last = leaf + 1 == mine.end;
    run.start_leaf(leaf);
    Random holes(hash_of(Purpose::holes, options.seed, step), static_cast<std::uint64_t>(leaf));
    std::vector<Batch> parts = split(*batch, at_once);
    for (Batch& part : parts) {
      if (losing.views) part = in_two_views(part, options.consistency, holes);
      Tape tape;
      const Variable loss = [&] {
        const Work work("forward");
        return model_.loss(part, losing, run, losses.slice(leaf, leaf + 1).reshaped({3}));
      }();
      if (exchange_ && is_last && &part == &parts.back()) {
        sums_.end(leaf);
        exchange_->begin(leaves, sums_);
        tape.when_final([&](const Leaf& of) { exchange_->arrived(of); });
      }
      tape.backward(loss);
    }
    if (!is_last) sums_.keep(leaf);
  }
  if (exchange_) {
    exchange_->finish();
  } else {
    sums_.end(leaves - 1);
    sums_.complete({0, optimizer_.shards().elements()});
  }
  return true;
}

void TrainSteps::add_squares(const Tensor& squares) {
  const Tensor& gradients = optimizer_.parameters().gradients();
  const Work work("sum_of_squares", {&gradients});
  const Shards& shards = optimizer_.shards();
  const Shards blocks = shards.of_blocks();
  if (!squares_.defined()) {
    squares_ = Tensor::empty({blocks.elements()}, DType::f64, gradients.device());
  }
  for (std::int64_t chunk = 0; chunk < shards.chunks(); ++chunk) {
    const Interval mine = shards.piece(chunk), block = blocks.piece(chunk);
    on(gradients.device(), [&](auto exec) {
      kernels::squares_of_blocks(exec, gradients.slice(mine.begin, mine.end),
                                 squares_.slice(block.begin, block.end));
    });
  }
  communicator_.gather(squares_, blocks);
  on(gradients.device(), [&](auto exec) { kernels::sum_of_blocks(exec, squares_, squares); });
}

StepResult train_step(const Model& model, Optimizer& optimizer, std::span<const Batch> batches,
                      const StepOptions& options) {
  StepBatches all;
  for (const Batch& batch : batches) all.tokens.push_back(tokens_of(batch));
  all.make = [&](std::int64_t i) { return batches[static_cast<std::size_t>(i)]; };
  return TrainSteps(model, optimizer).start(all, options)->finish();
}

}  // namespace kette
