#include <algorithm>
#include <cmath>

#include "autograd/ops/reduce.h"
#include "autograd/tape.h"
#include "inspect/lab/experiments.h"
#include "inspect/page/html.h"
#include "nn/linear_attention.h"
#include "nn/probabilities.h"
#include "tensor/backend.h"
#include "tensor/observer.h"
#include "tensor/random.h"
#include "tensor/stopwatch.h"

namespace kette {
namespace {

constexpr std::int64_t kWidth = 64;  // one head

/// The most memory that is held at once while one is alive, beyond what was held before.
class PeakMemory final : public MemoryObserver {
 public:
  explicit PeakMemory(Device device) : backend_(backend(device)) { backend_.watch_memory(this); }
  ~PeakMemory() override { backend_.watch_memory(nullptr); }
  PeakMemory(const PeakMemory&) = delete;
  PeakMemory& operator=(const PeakMemory&) = delete;

  void allocated(const void*, std::int64_t bytes) override {
    held_ += bytes;
    most_ = std::max(most_, held_);
  }
  void released(const void*, std::int64_t bytes) override { held_ -= bytes; }
  double bytes() const { return static_cast<double>(most_); }

 private:
  Backend& backend_;
  std::int64_t held_ = 0, most_ = 0;
};

struct AttentionCost {
  std::vector<double> lengths, seconds, bytes;

  /// The slope of log cost over log length, by least squares over the largest lengths.
  double exponent(const std::vector<double>& costs, std::size_t last) const {
    const std::size_t count = std::min(last, lengths.size());
    double x = 0, y = 0, xx = 0, xy = 0;
    for (std::size_t i = lengths.size() - count; i < lengths.size(); ++i) {
      const double u = std::log(lengths[i]), v = std::log(costs[i]);
      x += u;
      y += v;
      xx += u * u;
      xy += u * v;
    }
    const auto n = static_cast<double>(count);
    return (n * xy - x * y) / (n * xx - x * x);
  }
};

using Attend = std::function<Variable(const Variable& qkv, const Segments& segments)>;

Attend fused(const AttentionPattern& pattern, MakeMixer make_mixer = softmax_mixer) {
  ParamStore store;
  const auto mixer = make_mixer(Scope(store), {1, kWidth});
  return [pattern, mixer](const Variable& qkv, const Segments& segments) {
    return mixer->attend(qkv, PackedSequences(segments), 0, {.heads = 1, .pattern = pattern});
  };
}

Variable spelled_out(const Variable& qkv, const Segments& segments) {
  const AttentionOptions options{.heads = 1, .pattern = Mask::causal};
  const AttentionInputs inputs = PackedSequences(segments).self_inputs(0, qkv, options);
  return weighted_values(attention_probabilities(inputs, 1), inputs, {});
}

/// Forward and backward over one sequence.
void differentiate(const Tensor& values, const Segments& segments, const Attend& attend) {
  Tape tape;
  tape.backward(sum(attend(tape.watch(values), segments)));
}

AttentionCost measure_attention(const ExperimentOptions& options, std::int64_t longest,
                                const Attend& attend,
                                const std::function<void(std::int64_t length)>& progress) {
  AttentionCost cost;
  for (std::int64_t length = longest / 32; length <= longest; length *= 2) {
    progress(length);
    Random random(options.seed);
    std::vector<float> values(static_cast<std::size_t>(length * 3 * kWidth));
    for (float& value : values) value = static_cast<float>(random.normal());
    const Tensor x = Tensor::from(values, {length, 3 * kWidth}, options.device);
    const Segments segments = Segments::from_lengths({length});
    differentiate(x, segments, attend);  // what is done once for all, such as pages of memory
    {
      const PeakMemory peak(options.device);
      differentiate(x, segments, attend);
      cost.bytes.push_back(peak.bytes());
    }
    double best = 0;
    const Stopwatch all;
    for (int i = 0; i < 3 || (i < 50 && all.seconds() < 0.5); ++i) {
      backend(options.device).synchronize();
      const Stopwatch watch;
      differentiate(x, segments, attend);
      backend(options.device).synchronize();
      best = i == 0 ? watch.seconds() : std::min(best, watch.seconds());
    }
    cost.lengths.push_back(static_cast<double>(length));
    cost.seconds.push_back(best);
  }
  return cost;
}

}  // namespace

ExperimentReport attention_cost_experiment(const ExperimentOptions& options,
                                           const ExperimentProgress& progress, Page& page) {
  const std::int64_t longest = options.quick ? 256 : 8192, longest_spelled = longest / 2,
                     longest_linear = 4 * longest, reach = longest / 32;
  const auto told = [&](const char* what, double begin) {
    return [&, what, begin](std::int64_t length) {
      progress(std::string(what) + ", " + std::to_string(length) + " tokens", begin);
    };
  };
  const AttentionPattern causal = Mask::causal;
  const AttentionCost full = measure_attention(options, longest, fused(causal), told("fused", 0)),
                      spelled = measure_attention(options, longest_spelled, spelled_out,
                                                  told("spelled out", 0.4)),
                      window = measure_attention(options, longest_linear,
                                                 fused(causal.within(reach)), told("window", 0.7)),
                      linear = measure_attention(
                          options, longest_linear,
                          fused(causal.with_linear_weights(), linear_attention_mixer),
                          told("linear", 0.85));
  constexpr std::size_t kLast = 4;
  const auto time_of = [&](const AttentionCost& cost) {
    return cost.exponent(cost.seconds, kLast);
  };
  const auto memory_of = [&](const AttentionCost& cost) {
    return cost.exponent(cost.bytes, kLast);
  };
  const double time = time_of(full), memory = memory_of(full), spelled_memory = memory_of(spelled);
  const auto power = [](double exponent) { return "n^" + fixed(exponent, 2); };
  // Of the longest text that both were given.
  const double ratio = spelled.bytes.back() / full.bytes[full.bytes.size() - 2];
  ExperimentReport report;
  report.findings = {
      {"The time of fused attention grows with the square of the length, within n^1.7 to n^2.3, "
       "from " +
           fixed(full.lengths[full.lengths.size() - kLast], 0) + " tokens on",
       "n^2", power(time), time > 1.7 && time < 2.3},
      {"Its memory grows with the length, within n^0.9 to n^1.1", "n^1", power(memory),
       memory > 0.9 && memory < 1.1},
      {"The memory of attention spelled out grows with the square, within n^1.8 to n^2.1", "n^2",
       power(spelled_memory), spelled_memory > 1.8 && spelled_memory < 2.1},
      {"At " + fixed(spelled.lengths.back(), 0) +
           " tokens it is at least ten times that of fused attention",
       "up to 20 times", fixed(ratio, 1) + " times", ratio >= 10}};
  const auto is_linear = [](double exponent) { return exponent > 0.9 && exponent < 1.1; };
  const auto add_linear = [&](const std::string& what, const AttentionCost& cost) {
    const double seconds = time_of(cost), bytes = memory_of(cost);
    report.findings.push_back(
        {"The time of " + what + " grows with the length, within n^0.9 to n^1.1, from " +
             fixed(cost.lengths[cost.lengths.size() - kLast], 0) + " tokens on",
         "n^1", power(seconds), is_linear(seconds)});
    report.findings.push_back({"So does its memory", "n^1", power(bytes), is_linear(bytes)});
  };
  add_linear("attention to the last " + std::to_string(reach) + " tokens", window);
  add_linear("linear attention", linear);
  const auto numbers = [&](const AttentionCost& cost) {
    return Report::of_facts({{"lengths", cost.lengths},
                             {"seconds", cost.seconds},
                             {"bytes", cost.bytes},
                             {"time_exponent", time_of(cost)},
                             {"memory_exponent", memory_of(cost)}});
  };
  report.numbers.inner("fused", numbers(full));
  report.numbers.inner("spelled_out", numbers(spelled));
  report.numbers.inner("window", numbers(window));
  report.numbers.inner("linear", numbers(linear));
  const auto chart = [&](const char* what, const char* unit,
                         std::vector<double> AttentionCost::*costs) {
    return page.chart({what,
                       "tokens",
                       unit,
                       {{"fused", full.lengths, full.*costs},
                        {"spelled out", spelled.lengths, spelled.*costs},
                        {"window of " + std::to_string(reach), window.lengths, window.*costs},
                        {"linear", linear.lengths, linear.*costs}},
                       true,
                       true});
  };
  report.sections = {{"Cost of one head of width 64, forward and backward",
                      chart("Time", "seconds", &AttentionCost::seconds) +
                          chart("Most memory at once", "bytes", &AttentionCost::bytes)}};
  return report;
}

}  // namespace kette
