#include "tests/autograd/planted_gradients.h"

#include <algorithm>
#include <cmath>

namespace kette::testing {

Spoil times(double factor, std::size_t input) {
  return [=](std::vector<Values>& g, const std::vector<Values>&) {
    for (double& value : g[input]) value *= factor;
  };
}
Spoil one_element(double factor, std::size_t input) {
  return [=](std::vector<Values>& g, const std::vector<Values>&) {
    g[input][g[input].size() / 2] *= factor;
  };
}
Spoil smallest_element(double factor, std::size_t input) {
  return [=](std::vector<Values>& g, const std::vector<Values>&) {
    double* smallest = nullptr;
    for (double& value : g[input]) {
      if (value != 0 && (smallest == nullptr || std::abs(value) < std::abs(*smallest))) {
        smallest = &value;
      }
    }
    if (smallest != nullptr) *smallest *= factor;
  };
}
Spoil where_negative(double factor, std::size_t input) {
  return [=](std::vector<Values>& g, const std::vector<Values>& x) {
    for (std::size_t i = 0; i < g[input].size(); ++i) {
      if (x[input][i] < 0) g[input][i] *= factor;
    }
  };
}
Spoil last_rows(double factor, std::int64_t width, std::size_t input) {
  return [=](std::vector<Values>& g, const std::vector<Values>&) {
    const std::int64_t rows = std::ssize(g[input]) / width;
    for (std::int64_t i = rows * 2 / 3 * width; i < std::ssize(g[input]); ++i)
      g[input][i] *= factor;
  };
}
Spoil shifted(std::int64_t elements, std::size_t input) {
  return [=](std::vector<Values>& g, const std::vector<Values>&) {
    std::rotate(g[input].rbegin(), g[input].rbegin() + elements, g[input].rend());
  };
}
Spoil transposed(std::int64_t width, std::size_t input) {
  return [=](std::vector<Values>& g, const std::vector<Values>&) {
    const Values right = g[input];
    const std::int64_t rows = std::ssize(right) / width;
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < width; ++j) g[input][j * rows + i] = right[i * width + j];
    }
  };
}

namespace {

using In = const std::vector<Variable>&;

/// The mean where a sum belongs: rows that were broadcast.
Spoil over(double count, std::size_t input) { return times(1 / count, input); }

/// Only the first of several rows that a broadcast row's gradient is summed over.
DifferentiableFunction first_row_alone(
    const std::function<Variable(const Variable&, const Variable&)>& f, std::int64_t rows) {
  return [=](In in) {
    const Variable detached(in[1].value());
    const Variable first = f(slice(in[0], 0, 1), in[1]);
    return concatenate(first, f(slice(in[0], 1, rows), detached));
  };
}

}  // namespace

std::vector<PlantedGradient> planted_gradients() {
  std::vector<PlantedGradient> all;
  const auto spoiled = [&](const std::string& what, const std::vector<SampleInput>& inputs,
                           const DifferentiableFunction& f, const Spoil& spoil) {
    all.push_back({what, [=](In in) { return planted({f, {}, spoil}, in); }, inputs});
  };
  const auto mistaken = [&](const std::string& what, const std::vector<SampleInput>& inputs,
                            const DifferentiableFunction& f, const DifferentiableFunction& g) {
    all.push_back({what, [=](In in) { return planted({f, g, {}}, in); }, inputs});
  };
  const auto constant = [](const Variable& x) { return Variable(x.value()); };

  // Elementwise.
  const SampleInput rows{{4, 6}, -2, 2};
  spoiled(
      "exp: sign", {rows}, [](In in) { return exp(in[0]); }, times(-1));
  spoiled(
      "exp: zero where x < 0, in +-16", {{{3, 20}, -16, 16}}, [](In in) { return exp(in[0]); },
      where_negative(0));
  spoiled(
      "exp: smallest element by 0.1 %, in +-8", {{{3, 20}, -8, 8}},
      [](In in) { return exp(in[0]); }, smallest_element(1.001));
  spoiled(
      "log: factor 1.01", {{{4, 6}, 0.1, 3}}, [](In in) { return log(in[0]); }, times(1.01));
  spoiled(
      "log: one element by 0.1 %", {{{4, 6}, 0.1, 3}}, [](In in) { return log(in[0]); },
      one_element(1.001));
  mistaken(
      "sqrt: 1 / sqrt(x) for 1 / (2 sqrt(x))", {{{4, 6}, 0.5, 2}},
      [](In in) { return sqrt(in[0]); }, [](In in) { return affine(sqrt(in[0]), 2); });
  mistaken(
      "tanh: 1 - y for 1 - y^2", {rows}, [](In in) { return tanh(in[0]); },
      [=](In in) { return affine(constant(tanh(in[0])), -1, 1) * in[0]; });
  mistaken(
      "sigmoid: y for y (1 - y)", {rows}, [](In in) { return sigmoid(in[0]); },
      [=](In in) { return constant(sigmoid(in[0])) * in[0]; });
  spoiled(
      "square: half of the rows", {rows}, [](In in) { return square(in[0]); }, last_rows(0.5, 6));
  mistaken(
      "relu: slope 1 everywhere", {rows}, [](In in) { return relu(in[0]); },
      [](In in) { return in[0] * Variable(Tensor::full(in[0].shape(), 1, DType::f64)); });
  mistaken(
      "gelu: of the exact one", {rows}, [](In in) { return gelu(in[0]); },
      [](In in) { return gelu_erf(in[0]); });
  spoiled(
      "gelu_erf: smallest element by 0.1 %", {rows}, [](In in) { return gelu_erf(in[0]); },
      smallest_element(0.999));
  mistaken(
      "silu: the gate taken for a constant", {rows}, [](In in) { return silu(in[0]); },
      [=](In in) { return in[0] * constant(sigmoid(in[0])); });
  spoiled(
      "affine: shifted by one", {rows}, [](In in) { return affine(in[0], 0.5, 2) * in[0]; },
      shifted(1));

  // Two operands, broadcasting, reductions.
  const std::vector<SampleInput> two{{{4, 6}, 0.5, 2}, {{4, 6}, 0.5, 2}},
      broadcast{{{4, 6}, 0.5, 2}, {{6}, 0.5, 2}};
  spoiled(
      "subtract: sign of the second", two, [](In in) { return in[0] - in[1]; }, times(-1, 1));
  mistaken(
      "multiply: the second taken for a constant", two, [](In in) { return in[0] * in[1]; },
      [=](In in) { return in[0] * constant(in[1]); });
  spoiled(
      "multiply: mean for sum over a broadcast", broadcast, [](In in) { return in[0] * in[1]; },
      over(4, 1));
  mistaken(
      "multiply: first row alone of a broadcast", broadcast, [](In in) { return in[0] * in[1]; },
      first_row_alone([](const Variable& a, const Variable& b) { return a * b; }, 4));
  mistaken(
      "divide: 1 / b for -a / b^2", two, [](In in) { return in[0] / in[1]; },
      [=](In in) { return in[0] / constant(in[1]) + in[1] / constant(in[1]); });
  spoiled(
      "divide: one element of the divisor by 0.1 %", two, [](In in) { return in[0] / in[1]; },
      one_element(1.001, 1));
  mistaken(
      "maximum: to both", two, [](In in) { return maximum(in[0], in[1]); },
      [](In in) { return in[0] + in[1]; });
  mistaken(
      "lerp: weights exchanged", two, [](In in) { return lerp(in[0], in[1], 0.3); },
      [](In in) { return lerp(in[0], in[1], 0.7); });
  spoiled(
      "sum: mean", {rows}, [](In in) { return sum(in[0]); }, over(24, 0));
  mistaken(
      "sum over rows: over columns", {{{6, 6}}}, [](In in) { return sum_to(in[0], {6}); },
      [](In in) {
        return reshape(sum_to(in[0], {6, 1}), {6});
      });
  mistaken(
      "max: to all", {rows}, [](In in) { return max_last(in[0]); },
      [](In in) {
        return sum_to(in[0], {4, 1});
      });
  spoiled(
      "concatenate: second forgotten", {{{2, 3}}, {{4, 3}}},
      [](In in) { return concatenate(in[0], in[1]); }, times(0, 1));
  spoiled(
      "slice: off by one row", {{{5, 3}}}, [](In in) { return slice(in[0], 1, 4); }, shifted(3));
  spoiled(
      "transpose: not transposed back", {{{4, 6}}}, [](In in) { return transpose(in[0]); },
      transposed(6));
  spoiled(
      "reshape: element order", {{{4, 6}}},
      [](In in) {
        return reshape(in[0], {6, 4});
      },
      shifted(2));

  // Products.
  spoiled(
      "matmul: transposed", {{{4, 4}}, {{4, 4}}}, [](In in) { return matmul(in[0], in[1]); },
      transposed(4, 1));
  spoiled(
      "matmul: last rows forgotten", {{{9, 5}}, {{5, 7}}},
      [](In in) { return matmul(in[0], in[1]); }, last_rows(0, 5));
  const std::vector<SampleInput> layer{{{5, 8}}, {{6, 8}}, {{6}}};
  spoiled(
      "linear: bias forgotten", layer, [](In in) { return linear(in[0], in[1], in[2]); },
      times(0, 2));
  spoiled(
      "linear: mean for sum in the bias", layer, [](In in) { return linear(in[0], in[1], in[2]); },
      over(5, 2));
  mistaken(
      "linear with gelu: its derivative left out", layer,
      [](In in) { return linear(in[0], in[1], in[2], Activation::gelu); },
      [](In in) { return linear(in[0], in[1], in[2]); });
  const std::vector<SampleInput> block{{{5, 4}}, {{8, 4}}, {{8}}, {{4, 8}}, {{4}}};
  const auto ffn = [](Activation activation) {
    return [=](In in) { return feed_forward(in[0], in[1], in[2], in[3], in[4], activation); };
  };
  mistaken("feed_forward: of another activation", block, ffn(Activation::gelu),
           ffn(Activation::silu));
  spoiled("feed_forward: one weight by 0.1 %", block, ffn(Activation::gelu), one_element(1.001, 3));
  const std::vector<SampleInput> adapted{{{5, 8}}, {{6, 8}}, {{6}}, {{2, 8}}, {{6, 2}}};
  const auto lora = [](double scale) {
    return [=](In in) { return lora_linear(in[0], in[1], in[2], in[3], in[4], {{0, 6}}, scale); };
  };
  mistaken("lora_linear: scale forgotten", adapted, lora(0.5), lora(1));
  spoiled("lora_linear: sign of the down map", adapted, lora(0.5), times(-1, 3));

  // Rows.
  const auto norm = [](In in) { return layer_norm(in[0], in[1], in[2]); };
  const std::vector<SampleInput> normed{{{5, 8}}, {{8}, 0.5, 1.5}, {{8}}};
  mistaken(
      "softmax: the sum left out", {rows}, [](In in) { return softmax(in[0]); },
      [=](In in) {
        return exp(in[0]) / constant(sum_to(exp(in[0]), {4, 1}));
      });
  spoiled(
      "softmax: smallest element by 0.1 %, in +-6", {{{3, 12}, -6, 6}},
      [](In in) { return softmax(in[0]); }, smallest_element(1.001));
  mistaken(
      "log_softmax: the sum left out", {rows}, [](In in) { return log_softmax(in[0]); },
      [](In in) { return in[0] * Variable(Tensor::full(in[0].shape(), 1, DType::f64)); });
  mistaken("layer_norm: the mean taken for a constant", normed, norm, [=](In in) {
    const Variable centered = in[0] - constant(mean_last(in[0]));
    return centered / sqrt(affine(mean_last(square(centered)), 1, 1e-5)) * in[1] + in[2];
  });
  mistaken("layer_norm: the variance taken for a constant", normed, norm, [=](In in) {
    const Variable centered = in[0] - mean_last(in[0]);
    return centered / constant(sqrt(affine(mean_last(square(centered)), 1, 1e-5))) * in[1] + in[2];
  });
  spoiled("layer_norm: gain of the last row alone", normed, norm, times(0.2, 1));
  mistaken(
      "rms_norm: the scale taken for a constant", {{{5, 8}}, {{8}, 0.5, 1.5}},
      [](In in) { return rms_norm(in[0], in[1]); },
      [=](In in) {
        return in[0] / constant(sqrt(affine(mean_last(square(in[0])), 1, 1e-5))) * in[1];
      });
  mistaken(
      "swiglu: halves exchanged", {{{4, 12}}}, [](In in) { return swiglu(in[0]); },
      [](In in) { return silu(columns(in[0], 6, 12)) * columns(in[0], 0, 6); });

  // Tables and positions.
  const Tensor ids = Tensor::from(std::vector<std::int32_t>{3, 0, 3, 1, 5});
  const Tensor others = Tensor::from(std::vector<std::int32_t>{3, 0, 4, 1, 5});
  const auto look_up = [](const Tensor& which, double scale) {
    return [=](In in) { return embedding(in[0], which, scale); };
  };
  mistaken("embedding: a row that occurs twice counted once", {{{6, 4}}}, look_up(ids, 1),
           [=](In in) {
             return concatenate(slice(embedding(in[0], ids), 0, 2),
                                concatenate(slice(constant(embedding(in[0], ids)), 2, 3),
                                            slice(embedding(in[0], ids), 3, 5)));
           });
  mistaken("embedding: another row", {{{6, 4}}}, look_up(ids, 1), look_up(others, 1));
  mistaken("embedding: scale forgotten", {{{6, 4}}}, look_up(ids, 2), look_up(ids, 1));
  const Tensor places = Tensor::from(std::vector<std::int32_t>{0, 1, 2, 0, 1});
  const Tensor later = Tensor::from(std::vector<std::int32_t>{1, 2, 3, 1, 2});
  mistaken(
      "add_positions: off by one", {{{5, 4}}, {{4, 4}}},
      [=](In in) { return add_positions(in[0], in[1], places); },
      [=](In in) { return add_positions(in[0], in[1], later); });
  const auto turned = [](const Tensor& positions) {
    const Tensor table = rotary_table(8, 4, 10000, DType::f64);
    return [=](In in) { return rotary(in[0], positions, table, 8); };
  };
  mistaken("rotary: positions off by one", {{{5, 12}}}, turned(places), turned(later));
  mistaken(
      "smear: a text's first row has one before it", {{{5, 12}}, {{2}, 0.1, 0.9}},
      [=](In in) { return smear(in[0], in[1], places); },
      [=](In in) {
        const Tensor one_text = Tensor::from(std::vector<std::int32_t>{0, 1, 2, 3, 4});
        return smear(in[0], in[1], one_text);
      });

  // Attention.
  const Segments texts = Segments::from_lengths({5, 3}), keys = Segments::from_lengths({4, 6});
  AttentionOptions causal{2, {}}, seen{2, {}}, narrow{2, {}}, dropped{2, {}};
  causal.pattern.mask = Mask::causal;
  narrow.pattern.mask = Mask::causal;
  narrow.pattern.window = 2;
  dropped.dropout = DropoutMask(0.3, {1, 2});
  AttentionOptions redrawn = dropped;
  redrawn.dropout = DropoutMask(0.3, {1, 3});
  const auto self = [=](const AttentionOptions& options) {
    return [=](In in) { return self_attention(in[0], texts, options); };
  };
  const auto cross = [=](In in) { return cross_attention(in[0], in[1], texts, keys, seen); };
  const SampleInput heads{{8, 24}};
  mistaken("self_attention: no causal mask", {heads}, self(causal), self(seen));
  mistaken("self_attention: a window too wide", {heads}, self(narrow), self(causal));
  mistaken("self_attention: dropout redrawn", {heads}, self(dropped), self(redrawn));
  mistaken("self_attention: texts see each other", {heads}, self(seen),
           [=](In in) { return self_attention(in[0], Segments::from_lengths({8}), seen); });
  spoiled("self_attention: smallest element by 0.1 %", {heads}, self(causal),
          smallest_element(1.001));
  spoiled("cross_attention: keys and values forgotten", {{{8, 8}}, {{10, 16}}}, cross, times(0, 1));
  spoiled("cross_attention: last keys", {{{8, 8}}, {{10, 16}}}, cross, last_rows(0.99, 16, 1));
  AttentionOptions linear_causal = causal, linear_seen = seen;
  linear_causal.pattern.weights = linear_seen.pattern.weights = AttentionWeights::linear;
  const auto linear_self = [=](const AttentionOptions& options) {
    return [=](In in) { return linear_attention(in[0], texts, options); };
  };
  mistaken("linear_attention: not causal", {heads}, linear_self(linear_causal),
           linear_self(linear_seen));
  const auto mask = [](std::uint64_t stream) { return DropoutMask(0.4, {7, stream}); };
  mistaken(
      "dropout: redrawn", {{{6, 20}}}, [=](In in) { return dropout(in[0], mask(1)); },
      [=](In in) { return dropout(in[0], mask(2)); });
  mistaken(
      "dropout: not scaled", {{{6, 20}}}, [=](In in) { return dropout(in[0], mask(1)); },
      [=](In in) { return affine(dropout(in[0], mask(1)), 0.6); });

  // The loss.
  const Tensor targets = Tensor::from(std::vector<std::int32_t>{1, 0, 5, 2, 3});
  const auto loss = [=](const CrossEntropyOptions& options) {
    return [=](In in) { return linear_cross_entropy(in[0], in[1], in[2], targets, options); };
  };
  const std::vector<SampleInput> words{{{5, 8}}, {{6, 8}}, {{6}}};
  mistaken("linear_cross_entropy: smoothing forgotten", words, loss({0.1, 0.2}), loss({0, 0.2}));
  mistaken("linear_cross_entropy: sum for mean", words, loss({0.1, 0.2}), loss({0.1, 1}));
  spoiled("linear_cross_entropy: smallest weight by 0.1 %", words, loss({0.1, 0.2}),
          smallest_element(1.001, 1));
  return all;
}

}  // namespace kette::testing
