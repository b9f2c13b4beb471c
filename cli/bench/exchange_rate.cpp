#include "cli/bench/exchange_rate.h"

#include <algorithm>

#include "tensor/stopwatch.h"
#include "train/gradient_exchange.h"

namespace kette::cli {

ExchangeTimes measure_exchange(Communicator& processes, std::int64_t bytes, std::int64_t runs) {
  ParamStore store;
  store.parameter("parameters", {bytes / 4}, Init::constant(0));
  store.materialize(1);
  const Shards shards(store.values().elements(), processes.process(), processes.processes(),
                      kChunkElements);
  GradientSums sums(store);
  GradientExchange exchange(store, processes, shards);
  Tensor values = Tensor::zeros({bytes / 4});
  const auto seconds = [&](const auto& work) {
    processes.all(0);  // all begin at once
    const Stopwatch watch;
    work();
    const std::vector<double> each = processes.all(watch.seconds());
    return *std::max_element(each.begin(), each.end());
  };
  ExchangeTimes times;
  bool has_own = true;
  for (std::int64_t run = -1; run < runs; ++run) {  // the first touches the memory
    sums.begin(processes.processes());
    sums.end(processes.process());
    const double ours = seconds([&] {
      exchange.begin(processes.processes(), sums);
      exchange.finish();
      processes.gather(store.gradients(), shards);
    });
    const double engine = seconds([&] { has_own = processes.sum_by_engine(values); });
    if (run < 0) continue;
    times.ours.push_back(ours);
    if (has_own) times.engine.push_back(engine);
  }
  return times;
}

}  // namespace kette::cli
