#include "tests/reference.h"

#include <cmath>
#include <limits>
#include <vector>

namespace kette::reference {

Tensor matmul(const Tensor& a, const Tensor& b, bool transpose_a, bool transpose_b) {
  const std::int64_t m = a.shape()[transpose_a ? 1 : 0], k = a.shape()[transpose_a ? 0 : 1];
  const std::int64_t n = b.shape()[transpose_b ? 0 : 1];
  const Tensor c = Tensor::zeros({m, n}, DType::f64);
  const double *x = a.data<double>(), *y = b.data<double>();
  double* z = c.data<double>();
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t p = 0; p < k; ++p) {
        z[i * n + j] +=
            x[transpose_a ? p * m + i : i * k + p] * y[transpose_b ? j * k + p : p * n + j];
      }
    }
  }
  return c;
}

Tensor attention(const Tensor& query, const Tensor& key, const Tensor& value, double scale,
                 const AttentionPattern& pattern, const Tensor& dropout, double slope) {
  const std::int64_t queries = query.shape()[0], keys = key.shape()[0];
  const Tensor probabilities = matmul(query, key, false, true);
  for (std::int64_t t = 0; t < queries; ++t) {
    double* p = probabilities.data<double>() + t * keys;
    const std::int64_t own = t + keys - queries;
    double total = 0;
    for (std::int64_t s = 0; s < keys; ++s) {
      const bool sees = pattern.mask == Mask::none ||
                        (s <= own && (pattern.window == 0 || own - s < pattern.window));
      p[s] = sees ? std::exp(scale * p[s] - slope * static_cast<double>(own - s)) : 0;
      total += p[s];
    }
    for (std::int64_t s = 0; s < keys; ++s) {
      p[s] = total > 0 ? p[s] / total : 0;
      if (dropout.defined()) p[s] *= dropout.data<double>()[t * keys + s];
    }
  }
  return matmul(probabilities, value);
}

CrossEntropySums linear_cross_entropy(const LinearCrossEntropyArgs& args) {
  const std::int64_t rows = args.x.rows(), width = args.x.width(), vocabulary = args.weight.rows();
  const std::int64_t tokens = args.tokens();
  const Tensor logits = matmul(args.x, args.weight, false, true);
  const Tensor log_p = Tensor::empty({rows, vocabulary}, DType::f64);
  const std::int32_t* targets = args.targets.data<std::int32_t>();
  const auto row_of = [&](const Tensor& tensor, std::int64_t i) {
    return tensor.data<double>() + i * vocabulary;
  };
  CrossEntropySums sums;
  for (std::int64_t i = 0; i < rows; ++i) {
    const double counts = i < tokens ? 1 : args.views->second;
    double *z = row_of(logits, i), *log = row_of(log_p, i), total = 0;
    std::int64_t likeliest = 0;
    for (std::int64_t v = 0; v < vocabulary; ++v) {
      if (args.bias.defined()) z[v] += args.bias.data<double>()[v];
      total += std::exp(z[v]);
      if (z[v] > z[likeliest]) likeliest = v;
    }
    for (std::int64_t v = 0; v < vocabulary; ++v) log[v] = z[v] - std::log(total);
    if (i < tokens) sums.correct += likeliest == targets[i];
    if (i < tokens) sums.negative_log_likelihood -= log[targets[i]];
    for (std::int64_t v = 0; v < vocabulary; ++v) {
      const double wanted = args.smoothing / static_cast<double>(vocabulary) +
                            (v == targets[i] ? 1 - args.smoothing : 0);
      sums.loss -= counts * wanted * log[v];
      z[v] = counts * (std::exp(log[v]) - wanted);  // now dloss / dz
    }
  }
  // Adds weight KL(of || than) of two rows to the loss, and its slopes to those of the logits.
  const auto diverge = [&](double weight, std::int64_t of, std::int64_t than) {
    const double *log_of = row_of(log_p, of), *log_than = row_of(log_p, than);
    double divergence = 0;
    for (std::int64_t v = 0; v < vocabulary; ++v) {
      divergence += std::exp(log_of[v]) * (log_of[v] - log_than[v]);
    }
    sums.loss += weight * divergence;
    for (std::int64_t v = 0; v < vocabulary; ++v) {
      row_of(logits, of)[v] +=
          weight * std::exp(log_of[v]) * (log_of[v] - log_than[v] - divergence);
      row_of(logits, than)[v] += weight * (std::exp(log_than[v]) - std::exp(log_of[v]));
    }
  };
  for (std::int64_t i = 0; args.views && i < tokens; ++i) {
    diverge(args.views->forward, i, tokens + i);
    diverge(args.views->reverse, tokens + i, i);
  }
  for (std::int64_t i = 0; i < logits.elements(); ++i) {
    logits.data<double>()[i] *= args.gradient_scale;
  }
  if (!args.dx.defined()) return sums;
  args.dx.copy_from(matmul(logits, args.weight));
  const Tensor dweight = matmul(logits, args.x, true);
  for (std::int64_t v = 0; v < vocabulary; ++v) {
    for (std::int64_t j = 0; j < width; ++j) {
      args.dweight.data<double>()[v * width + j] += dweight.data<double>()[v * width + j];
    }
    for (std::int64_t i = 0; args.dbias.defined() && i < rows; ++i) {
      args.dbias.data<double>()[v] += logits.data<double>()[i * vocabulary + v];
    }
  }
  return sums;
}

}  // namespace kette::reference
