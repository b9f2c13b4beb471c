#include "autograd/ops/linear_cross_entropy.h"

#include "autograd/op.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/ids.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/shaping.h"
#include "autograd/ops/softmax.h"

namespace kette::ops {

Tensor LinearCrossEntropy::forward(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  LinearCrossEntropyArgs args;
  args.x = x;
  args.weight = weight;
  args.bias = bias;
  args.targets = targets;
  args.smoothing = options.smoothing;
  args.gradient_scale = options.scale;
  args.views = options.views;
  const Tensor ids = checked_ids(name, targets, weight);
  if (ids.device() != targets.device()) args.check_targets();  // a kernel of another device cannot
  args.targets = ids;
  if (Tape::current()) {
    dx = args.dx = Tensor::empty(x.shape(), x.dtype(), x.device());
    const DType sums_dtype = compute_dtype(x.dtype());
    if (weight_trains)
      dweight = args.dweight = Tensor::zeros(weight.shape(), sums_dtype, weight.device());
    if (bias_trains && bias.defined())
      dbias = args.dbias = Tensor::zeros(bias.shape(), sums_dtype, bias.device());
  }
  args.sums = sums.defined() ? sums : CrossEntropySums::zeros(x.device());
  args.loss = Tensor::empty({}, DType::f64, x.device());
  on(x.device(), [&](auto exec) { kernels::linear_cross_entropy(exec, args); });
  return args.loss.to(x.dtype());
}

void LinearCrossEntropy::backward(const Tensor& dy, GradientSlot& dx_slot,
                                  GradientSlot& dweight_slot, GradientSlot& dbias_slot) {
  const auto pass = [&](Tensor& gradient, GradientSlot& slot) {
    if (!slot.wanted() || !gradient.defined()) return;
    on(dy.device(), [&](auto exec) { kernels::scale(exec, gradient, dy); });
    slot.add(std::move(gradient));
  };
  pass(dx, dx_slot);
  pass(dweight, dweight_slot);
  pass(dbias, dbias_slot);
}

Variable LinearCrossEntropy::composed(const std::array<Variable, 3>& in) const {
  const Variable log_p = log_softmax(linear(in[0], in[1], in[2]));
  const std::int64_t rows = log_p.value().rows(), vocabulary = log_p.value().width();
  const std::int64_t tokens = options.views ? rows / 2 : rows;
  const std::vector<std::int32_t> ids = targets.to(Device{}).values<std::int32_t>();
  std::vector<double> q(static_cast<std::size_t>(rows * vocabulary),
                        options.smoothing / static_cast<double>(vocabulary));
  for (std::int64_t row = 0; row < rows; ++row) {
    q[row * vocabulary + ids[row]] += 1 - options.smoothing;
    if (row < tokens) continue;
    for (std::int64_t v = 0; v < vocabulary; ++v) q[row * vocabulary + v] *= options.views->second;
  }
  const Variable expected =
      Tensor::from(q, {rows, vocabulary}).to(log_p.value().dtype()).to(log_p.value().device());
  Variable loss = affine(sum(expected * log_p), -options.scale);
  if (!options.views) return loss;
  const Variable first = slice(log_p, 0, tokens), second = slice(log_p, tokens, rows);
  const auto divergence = [&](const Variable& a, const Variable& b, double weight) {
    return affine(sum(exp(a) * (a - b)), options.scale * weight);
  };
  loss = loss + divergence(first, second, options.views->forward);
  return loss + divergence(second, first, options.views->reverse);
}

namespace {

/// log softmax of each row of x W^T + bias.
std::vector<Values> log_probabilities(const std::vector<Values>& in, std::int64_t rows,
                                      std::int64_t width, std::int64_t vocabulary) {
  std::vector<Values> result;
  for (std::int64_t r = 0; r < rows; ++r) {
    Values z;
    double total = 0;
    for (std::int64_t v = 0; v < vocabulary; ++v) {
      z.push_back(in[2][v]);
      for (std::int64_t j = 0; j < width; ++j) {
        z.back() += in[0][r * width + j] * in[1][v * width + j];
      }
      total += std::exp(z.back());
    }
    for (double& value : z) value -= std::log(total);
    result.push_back(z);
  }
  return result;
}

/// KL(p || q) of logarithms.
double divergence(const Values& log_p, const Values& log_q) {
  double sum = 0;
  for (std::size_t v = 0; v < log_p.size(); ++v) sum += std::exp(log_p[v]) * (log_p[v] - log_q[v]);
  return sum;
}

}  // namespace

std::vector<Sample> LinearCrossEntropy::samples() {
  const auto sample = [](const char* label, std::int64_t rows, std::int64_t width,
                         std::int64_t vocabulary, const CrossEntropyOptions& options) {
    const std::int64_t tokens = options.views ? rows / 2 : rows;
    std::vector<std::int32_t> targets;
    for (std::int64_t r = 0; r < rows; ++r)
      targets.push_back(static_cast<std::int32_t>(r % tokens * 5 % vocabulary));
    return Sample{label,
                  {{{rows, width}}, {{vocabulary, width}}, {{vocabulary}}},
                  [=](const std::vector<Variable>& in) {
                    return linear_cross_entropy(in[0], in[1], in[2], Tensor::from(targets),
                                                options);
                  },
                  [=](const std::vector<Values>& in) {
                    const auto log_p = log_probabilities(in, rows, width, vocabulary);
                    double loss = 0;
                    for (std::int64_t r = 0; r < rows; ++r) {
                      const double counts = r < tokens ? 1 : options.views->second;
                      for (std::int64_t v = 0; v < vocabulary; ++v) {
                        const double q = options.smoothing / static_cast<double>(vocabulary) +
                                         (v == targets[r] ? 1 - options.smoothing : 0);
                        loss -= counts * q * log_p[r][v];
                      }
                    }
                    for (std::int64_t r = 0; options.views && r < tokens; ++r) {
                      loss += options.views->forward * divergence(log_p[r], log_p[tokens + r]) +
                              options.views->reverse * divergence(log_p[tokens + r], log_p[r]);
                    }
                    return Values{options.scale * loss};
                  }};
  };
  return {sample("3 rows, 7 words", 3, 4, 7, {.scale = 0.5}),
          sample("5 rows, 11 words, smoothing 0.1", 5, 6, 11, {.smoothing = 0.1, .scale = 0.5}),
          sample("40 rows, 50 words, smoothing 0.1", 40, 8, 50, {.smoothing = 0.1, .scale = 0.5}),
          sample("3 tokens in two views, R-Drop", 6, 4, 7,
                 {.smoothing = 0.1,
                  .scale = 0.5,
                  .views = TwoViews{.forward = 2.5, .reverse = 2.5, .second = 1}}),
          sample("20 tokens in two views, SimCut", 40, 8, 50,
                 {.smoothing = 0.1,
                  .scale = 0.5,
                  .views = TwoViews{.forward = 3, .reverse = 0, .second = 0}})};
}

}  // namespace kette::ops

namespace kette {

Variable linear_cross_entropy(const Variable& x, const Variable& weight, const Variable& bias,
                              const Tensor& targets, const CrossEntropyOptions& options,
                              const Tensor& sums) {
  const std::array<const Variable*, 3> inputs{&x, &weight, &bias};
  const Tape* tape = Tape::tracking(inputs);
  const auto trains = [&](const Variable& value) { return tape && tape->tracks(value); };
  return record(ops::LinearCrossEntropy{targets, options, sums, trains(weight), trains(bias)}, x,
                weight, bias);
}

}  // namespace kette
