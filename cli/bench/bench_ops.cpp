// `kette bench ops`: the time of every op of the table, forward and backward, at the sizes of a training
// step.
#include <algorithm>
#include <functional>
#include <map>
#include <memory>

#include "autograd/all_ops.h"
#include "autograd/gradient_check.h"
#include "cli/bench/bench_ids.h"
#include "cli/commands/commands.h"
#include "cli/common.h"
#include "cli/host.h"
#include "cli/show.h"
#include "models/transformer.h"
#include "tensor/backend.h"
#include "tensor/stopwatch.h"

namespace kette::cli {
namespace {

struct BenchOpsOptions {
  CommonOptions common;
  ComputeOptions compute;
  std::string preset = "tiny", ids = "zipf";
  std::int64_t tokens = 4096, sentence = 16;
};

/// An op with inputs of a realistic size.
struct Case {
  std::vector<SampleInput> inputs;
  std::function<Variable(const std::vector<Variable>&)> call;
};

Tensor random_ids(std::int64_t count, const BenchIds& bench_ids, Device device) {
  Random random(1, 7);
  std::vector<std::int32_t> ids(count);
  for (auto& id : ids) id = bench_ids.draw(random);
  return Tensor::from(ids, device);
}

/// The ops of a training step at their own sizes: n tokens in sentences of a length.
std::map<std::string, Case> realistic_cases(const TransformerConfig& c, const BenchOpsOptions& o) {
  const std::int64_t n = o.tokens, sentence = o.sentence;
  const DType dtype = o.compute.dtype();
  const Device device = o.compute.device;
  const std::int64_t w = c.width, h = c.hidden, v = c.vocabulary;
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(n / sentence), sentence);
  if (n % sentence > 0) lengths.push_back(n % sentence);
  const Segments segments = Segments::from_lengths(lengths);
  const DropoutMask mask(0.1, {1, 2});
  const Tensor ids = random_ids(n, {o.ids, 0, v}, device),
               positions = random_ids(n, {"uniform", 0, sentence}, device);
  const Tensor angles = rotary_table(sentence, w / c.heads, 10000, dtype, device);
  const AttentionOptions causal{c.heads, Mask::causal, {}}, full{c.heads, Mask::none, {}},
      features{c.heads, causal.pattern.with_linear_weights(), {}};
  using In = const std::vector<Variable>&;
  return {
      {"sum", {{{{n, w}}}, [w](In in) { return sum_to(in[0], {w}); }}},
      {"max", {{{{n, w}}}, [](In in) { return max_last(in[0]); }}},
      {"reshape", {{{{n, w}}}, [n, w](In in) { return reshape(in[0], {n * w}); }}},
      {"slice", {{{{n, w}}}, [n](In in) { return slice(in[0], 0, n / 2 + 1); }}},
      {"concatenate", {{{{n, w}}, {{n, w}}}, [](In in) { return concatenate(in[0], in[1]); }}},
      {"transpose", {{{{n, w}}}, [](In in) { return transpose(in[0]); }}},
      {"matmul", {{{{n, w}}, {{w, h}}}, [](In in) { return matmul(in[0], in[1]); }}},
      {"linear",
       {{{{n, w}}, {{h, w}}, {{h}}},
        [](In in) { return linear(in[0], in[1], in[2], Activation::relu); }}},
      {"feed_forward",
       {{{{n, w}}, {{h, w}}, {{h}}, {{w, h}}, {{w}}},
        [](In in) { return feed_forward(in[0], in[1], in[2], in[3], in[4], Activation::relu); }}},
      {"lora_linear",
       {{{{n, w}}, {{3 * w, w}}, {{16, w}}, {{2 * w, 8}}},  // rank 8 on the query and the value
        [w](In in) {
          return lora_linear(in[0], in[1], Variable(), in[2], in[3], {{0, w}, {2 * w, 3 * w}}, 2);
        }}},
      {"softmax", {{{{n, w}}}, [](In in) { return softmax(in[0]); }}},
      {"log_softmax", {{{{n, w}}}, [](In in) { return log_softmax(in[0]); }}},
      {"layer_norm",
       {{{{n, w}}, {{w}}, {{w}}}, [](In in) { return layer_norm(in[0], in[1], in[2]); }}},
      {"residual_layer_norm",
       {{{{n, w}}, {{n, w}}, {{w}}, {{w}}},
        [mask](In in) { return residual_layer_norm(in[0], in[1], in[2], in[3], mask)[1]; }}},
      {"rms_norm", {{{{n, w}}, {{w}}}, [](In in) { return rms_norm(in[0], in[1]); }}},
      {"swiglu", {{{{n, 2 * h}}}, [](In in) { return swiglu(in[0]); }}},
      {"embedding", {{{{v, w}}}, [ids](In in) { return embedding(in[0], ids); }}},
      {"add_positions",
       {{{{n, w}}, {{sentence, w}}},
        [positions](In in) { return add_positions(in[0], in[1], positions); }}},
      {"rotary",
       {{{{n, 3 * w}}},
        [positions, angles, w](In in) { return rotary(in[0], positions, angles, 2 * w); }}},
      {"smear",
       {{{{n, 3 * w}}, {{c.heads}, 0, 1}},
        [positions](In in) { return smear(in[0], in[1], positions); }}},
      {"dropout", {{{{n, w}}}, [mask](In in) { return dropout(in[0], mask); }}},
      {"self_attention",
       {{{{n, 3 * w}}},
        [segments, causal](In in) { return self_attention(in[0], segments, causal); }}},
      {"linear_attention",
       {{{{n, 3 * w}}},
        [segments, features](In in) { return linear_attention(in[0], segments, features); }}},
      {"cross_attention",
       {{{{n, w}}, {{n, 2 * w}}},
        [segments, full](In in) {
          return cross_attention(in[0], in[1], segments, segments, full);
        }}},
      {"linear_cross_entropy",
       {{{{n, w}}, {{v, w}}},
        [ids](In in) {
          return linear_cross_entropy(in[0], in[1], Variable(), ids, {0.1, 1});
        }}},
  };
}

/// Elementwise ops take any shape, so their own sample is stretched; an op without a case of its
/// own is timed on its sample.
Case case_of(const OpInfo& op, bool elementwise, const std::map<std::string, Case>& realistic,
             const BenchOpsOptions& o, std::int64_t width) {
  if (const auto found = realistic.find(op.name); found != realistic.end()) return found->second;
  Case result{op.samples.back().inputs, op.samples.front().call};
  if (!elementwise) return {op.samples.front().inputs, op.samples.front().call};
  for (SampleInput& input : result.inputs) input.shape = {o.tokens, width};
  return result;
}

struct Timing {
  double forward = 0, backward = 0;  ///< milliseconds, medians
};

Timing measure(const Case& what, const BenchOpsOptions& o) {
  constexpr double kSeconds = 0.1;
  constexpr std::size_t kFewest = 3;
  const std::vector<Tensor> values =
      sample_inputs(what.inputs, o.compute.dtype(), 1, o.compute.device);
  std::vector<double> forward, backward;  // milliseconds
  const Stopwatch whole;
  while (forward.size() < kFewest || whole.seconds() < kSeconds) {
    Tape tape;
    std::vector<Variable> inputs;
    for (const Tensor& value : values) inputs.push_back(tape.watch(value));
    Stopwatch watch;
    const Variable output = what.call(inputs);
    backend(o.compute.device).synchronize();
    forward.push_back(1e3 * watch.seconds());
    const Tensor gradient = Tensor::full(output.shape(), 1, o.compute.dtype(), o.compute.device);
    watch.restart();
    tape.backward(output, gradient);
    backend(o.compute.device).synchronize();
    backward.push_back(1e3 * watch.seconds());
  }
  return {median(forward), median(backward)};
}

void run(const BenchOpsOptions& o) {
  const int threads = use_threads(o.common);
  o.compute.apply();
  const TransformerConfig config = TransformerConfig::preset(o.preset);
  const std::map<std::string, Case> realistic = realistic_cases(config, o);
  constexpr std::size_t kElementwise =
      std::tuple_size_v<UnaryFunctions> + std::tuple_size_v<BinaryFunctions>;
  const std::vector<OpInfo> ops = all_ops();
  Table table{.key = "ops",
              .columns = {{.key = "op", .title = "op"},
                          {.key = "forward_ms", .title = "forward, ms", .digits = decimals(3)},
                          {.key = "backward_ms", .title = "backward, ms", .digits = decimals(3)},
                          {.key = "inputs", .title = "inputs"}}};
  to_stdout() << text("%-26s %12s %12s  %s\n", "op", "forward, ms", "backward, ms", "inputs");
  for (std::size_t i = 0; i < ops.size(); ++i) {
    check_interrupt();
    const Case what = case_of(ops[i], i < kElementwise, realistic, o, config.width);
    const Timing timing = measure(what, o);
    std::string shapes;
    for (const SampleInput& input : what.inputs)
      shapes += (shapes.empty() ? "" : " ") + input.shape.str();
    to_stdout() << text("%-26s %12.3f %12.3f  %s\n", ops[i].name.c_str(), timing.forward,
                        timing.backward, shapes.c_str())
                << std::flush;
    table.rows.push_back({{ops[i].name, timing.forward, timing.backward, shapes}});
  }
  Report report =
      Report::of_facts({{"preset", o.preset}, {"tokens", o.tokens}, {"threads", threads}});
  report.table(std::move(table), kJson | kPage);
  show(report, o.common);
}

void add_bench_ops_options(CLI::App& command) {
  auto options = std::make_shared<BenchOpsOptions>();
  OptionGroup group(command, "Sizes");
  group.choice("--preset", options->preset, transformer_family().presets, "Widths of this preset");
  add_compute_options(group, options->compute);
  group.number("--tokens", options->tokens, at_least(1), "Rows");
  group.number("--sentence", options->sentence, at_least(1), "Tokens of a sentence, for attention");
  add_ids_option(group, options->ids);
  add_common_options(command, options->common);
  when_run(command, [options] { run(*options); });
}

}  // namespace

const Command bench_ops_command = {"ops", "Every op of the table, forward and backward",
                                   add_bench_ops_options};

}  // namespace kette::cli
