#include "train/validation.h"

#include "train/interrupt.h"

namespace kette {

Validation validate(const Model& model, std::span<const Batch> batches,
                    Communicator& communicator) {
  if (batches.empty()) return {};
  const auto count = std::ssize(batches);
  const auto share = [&](int process) {
    return share_of(process, communicator.processes(), count);
  };
  const Tensor sums = Tensor::zeros({count, 3}, DType::f64, model.parameters().values().device());
  const Interval mine = share(communicator.process());
  const auto check = interrupt_check(communicator);
  {
    const Communicator::Phase phase(communicator, "validating");
    for (std::int64_t i = mine.begin; i < mine.end; ++i) {
      check();
      Run inference;
      model.loss(batches[static_cast<std::size_t>(i)], {}, inference,
                 sums.slice(i, i + 1).reshaped({3}));
    }
  }
  communicator.gather(sums.reshaped({3 * count}), [&](int process) {
    return Interval{3 * share(process).begin, 3 * share(process).end};
  });
  const std::vector<double> values = sums.values<double>();
  CrossEntropySums totals;
  double tokens = 0;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    totals += {values[3 * i], values[3 * i + 1], values[3 * i + 2]};
    tokens += static_cast<double>(batches[i].target_segments.rows());
  }
  return {totals.negative_log_likelihood / tokens, totals.correct / tokens};
}

}  // namespace kette
