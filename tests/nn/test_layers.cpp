#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "autograd/gradient_check.h"
#include "autograd/ops/dropout.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/feed_forward.h"
#include "autograd/ops/linear_cross_entropy.h"
#include "autograd/ops/lora.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/shaping.h"
#include "autograd/tape.h"
#include "nn/block.h"
#include "nn/positions.h"
#include "tests/gradients.h"
#include "tests/random_tensor.h"

using namespace kette;

TEST_CASE("a scope path is a parameter: the same path twice is a tied weight") {
  ParamStore store;
  const Scope root(store);
  const Variable a = (root / "encoder" / 3).parameter("weight", {2, 3}, Init::normal(1));
  const Variable b = (root / "encoder" / 3).parameter("weight", {2, 3}, Init::normal(1));
  CHECK(a.leaf() == b.leaf());
  CHECK(a.leaf()->name == "encoder/3/weight");
  CHECK_THROWS_AS((root / "encoder" / 3).parameter("weight", {3, 3}, Init::normal(1)), Error);
  CHECK(store.elements() == 6);
}

TEST_CASE(
    "parameters lie in one flat buffer, matrices before vectors, each drawn from its own stream") {
  const auto values = [](bool with_more) {
    ParamStore store;
    const Scope root(store);
    root.parameter("bias", {5}, Init::constant(2));
    if (with_more) root.parameter("another", {7, 7}, Init::normal(1));
    const Variable w = root.parameter("weight", {3, 4}, Init::xavier(4, 3));
    store.materialize(11);
    CHECK(store.find("bias")->value.values<float>() == std::vector<float>(5, 2));
    CHECK(store.values().elements() >= store.elements());
    CHECK(store.find("bias")->value.data<float>() ==
          store.values().data<float>() + store.matrix_elements());
    w.leaf()->gradient.data<float>()[0] = 4;
    CHECK(sum_of_squares(store.gradients()) == 16);
    return w.value().values<float>();
  };
  CHECK(values(false) == values(true));
  for (const float w : values(false)) CHECK(std::abs(w) <= std::sqrt(6.0f / 7.0f));
}

TEST_CASE("linear maps start after Glorot, stacked ones each by its own fan-out") {
  for (const std::int64_t stacked : {1, 3}) {
    CAPTURE(stacked);
    ParamStore store;
    const Linear map(Scope(store), 40, 60 * stacked, {.stacked = stacked});
    store.materialize(5);
    const double bound = std::sqrt(6.0 / (40 + 60));
    double squares = 0, largest = 0;
    const std::vector<double> values = map.weight.value().values<double>();
    for (const double value : values) {
      squares += value * value;
      largest = std::max(largest, std::abs(value));
    }
    CHECK(largest <= bound);
    CHECK(largest > 0.99 * bound);
    // Of a uniform distribution: a third of the squared bound.
    CHECK(squares / static_cast<double>(values.size()) ==
          doctest::Approx(bound * bound / 3).epsilon(0.08).scale(0));
    for (const float value : map.bias.value().values<float>()) CHECK(value == 0);
  }
}

TEST_CASE("parameters of the same last name are drawn from streams of their own") {
  ParamStore store;
  const Scope root(store);
  const Linear a(root / "a", 8, 8), b(root / "b", 8, 8);
  store.materialize(5);
  CHECK(a.weight.value().values<float>() != b.weight.value().values<float>());
}

TEST_CASE("sinusoidal positions have the paper's interleaved layout") {
  const auto table = sinusoidal_positions(50, 8).values<double>();
  for (int position : {0, 1, 7, 49}) {
    for (int i = 0; i < 4; ++i) {
      const double angle = position / std::pow(10000.0, 2.0 * i / 8);
      CHECK(table[position * 8 + 2 * i] == doctest::Approx(std::sin(angle)).epsilon(1e-6));
      CHECK(table[position * 8 + 2 * i + 1] == doctest::Approx(std::cos(angle)).epsilon(1e-6));
    }
  }
}

TEST_CASE("dropout: numbered masks, reproducible, off in inference") {
  Run inference;
  CHECK_FALSE(inference.mask(0.5).active());
  Run first(1, 10), again(1, 10), next_step(1, 11);
  const DropoutMask a = first.mask(0.5), b = first.mask(0.5), c = again.mask(0.5),
                    d = next_step.mask(0.5);
  const auto draw = [](const DropoutMask& mask) {
    std::string bits;
    for (int i = 0; i < 64; ++i) bits += mask.at(0, i, 64) > 0 ? '1' : '0';
    return bits;
  };
  CHECK(draw(a) == draw(c));
  CHECK(draw(a) != draw(b));
  CHECK(draw(a) != draw(d));
  double kept = 0;
  for (int row = 0; row < 200; ++row) {
    for (int i = 0; i < 200; ++i) kept += double(DropoutMask(0.3, {1, 1}).at(row, i, 200));
  }
  CHECK(kept / 40000 == doctest::Approx(1).epsilon(0.02));  // the scale keeps the mean
  CHECK(DropoutMask(1 - 1e-9, {1, 1}).scale == 65536);      // the highest, which is finite
}

TEST_CASE("the sum of a residual stream has the dropout of its last update") {
  const Tensor x = Tensor::full({4, 50}, 1), update = Tensor::full({4, 50}, 2);
  const DropoutMask mask(0.5, {1, 2});
  const auto sum = ResidualStream(x, update, mask).sum().value().values<float>();
  const auto dropped = dropout(update, mask).value().values<float>();
  for (std::size_t i = 0; i < sum.size(); ++i) CHECK(sum[i] == 1 + dropped[i]);
  CHECK(std::count(sum.begin(), sum.end(), 1.0f) > 0);
  CHECK(std::count(sum.begin(), sum.end(), 5.0f) > 0);
  CHECK(ResidualStream(x).sum().value().values<float>() == x.values<float>());
}

TEST_CASE("every layer passes the gradient check, parameters included") {
  const std::int64_t width = 8;
  const Segments segments = Segments::from_lengths({3, 2}),
                 memory_segments = Segments::from_lengths({2, 4});
  const Tensor x = sample_inputs({{{5, width}}}, DType::f64, 1)[0];
  const Tensor memory = sample_inputs({{{6, width}}}, DType::f64, 2)[0];
  const Tensor weights = sample_inputs({{{5, width}}}, DType::f64, 3)[0];
  ParamStore store;
  const Scope root(store);
  const MultiHeadSelfAttention self(root / "self", 0, width, {2, width / 2}, Mask::causal, 0.1);
  const MultiHeadCrossAttention cross(root / "cross", 0, width, {2, width / 2}, 0.1);
  const FeedForward feed_forward(root / "ffn", width, 12, Activation::gelu, 0.2);
  const Norm root_mean_square(root / "rms", width, NormKind::rms);
  const FeedForward gated = FeedForward::swiglu(root / "gated", width, 12, 0.2);
  const AddAndNorm post(root / "post", width, NormOrder::post, 0.1),
      pre(root / "pre", width, NormOrder::pre, 0.1);
  store.materialize(5, DType::f64);
  const auto loss = [&] {
    Run run(3, 1);
    const PackedSequences sequences(segments, memory, memory_segments);
    ResidualStream stream =
        post(Variable(x), run, [&](const Variable& in) { return self(in, sequences, run); });
    stream = pre(stream, run, [&](const Variable& in) { return cross(in, sequences, run); });
    stream = pre(stream, run, [&](const Variable& in) { return feed_forward(in, run); });
    stream =
        post(stream, run, [&](const Variable& in) { return gated(root_mean_square(in), run); });
    return sum(stream.sum() * weights);
  };
  testing::expect_right(check_parameter_gradients(loss, store.leaves()));
}

TEST_CASE("a gated feed-forward is silu of one product times another, projected back") {
  ParamStore store;
  const FeedForward gated = FeedForward::swiglu(Scope(store), 4, 6, 0.5);
  store.materialize(2, DType::f64);
  CHECK(gated.inner.weight.shape() == Shape{12, 4});
  const double bound = std::sqrt(6.0 / (4 + 6));  // of one of the two stacked maps
  for (const double w : gated.inner.weight.value().values<double>()) CHECK(std::abs(w) <= bound);
  const Variable x = sample_inputs({{{3, 4}}}, DType::f64, 1)[0];
  const auto half = [&](std::int64_t begin) {
    return linear(x, slice(gated.inner.weight, begin, begin + 6),
                  slice(gated.inner.bias, begin, begin + 6));
  };
  Run run;
  const auto expected = gated.outer(silu(half(0)) * half(6)).value().values<double>();
  const auto got = gated(x, run).value().values<double>();
  for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i] == doctest::Approx(expected[i]));
}

TEST_CASE("on a frozen store, gradients reach the adapters of a second one and nothing else") {
  constexpr std::int64_t kWidth = 4, kRank = 2;
  ParamStore base, adapters;
  const Scope root(base);
  const Embedding tokens = Embedding::scaled(root / "tokens", 7, kWidth);
  const Linear linear_map(root / "linear", kWidth, 6);
  const Norm layer_norms(root / "norm", 6);
  const Norm rms_norms(root / "rms", 6, NormKind::rms);
  const FeedForward feed_forward = FeedForward::swiglu(root / "ffn", 6, 5, 0.1);
  const Linear back(root / "back", 6, kWidth);
  const Variable a = Scope(adapters).parameter("a", {2 * kRank, kWidth}, Init::normal(0.5));
  const Variable b = Scope(adapters).parameter("b", {4, kRank}, Init::normal(0.5));
  base.materialize(1, DType::f64, {}, Gradients::none);
  adapters.materialize(2, DType::f64);
  const Tensor ids = Tensor::from(std::vector<std::int32_t>{3, 0, 6});
  const auto loss = [&] {
    Run run(1, 1);
    const Variable y =
        lora_linear(tokens(ids), linear_map.weight, linear_map.bias, a, b, {{0, 2}, {4, 6}}, 0.5);
    const Variable z = back(feed_forward(rms_norms(layer_norms(y)), run));
    return linear_cross_entropy(z, tokens.table, Variable(), ids, {});
  };
  testing::expect_right(check_parameter_gradients(loss, adapters.leaves()));
  testing::add_gradient_of(loss);
  for (const auto& leaf : adapters.leaves()) {
    CHECK(sum_of_squares(leaf->gradient) > 0);
  }
  for (const auto& leaf : base.leaves()) CHECK_FALSE(leaf->gradient.defined());
  CHECK_THROWS_AS(base.gradients(), Error);
  Tape tape;
  tokens(ids);
  CHECK(tape.size() == 0);
  CHECK_THROWS_AS(tape.backward(linear_map.bias, Tensor::zeros({6}, DType::f64)), Error);
}

TEST_CASE(
    "parameters: a frozen store may learn later, and an existing parameter may have a store") {
  ParamStore store;
  const Variable w = store.parameter("w", {2, 3}, Init::constant(1));
  store.materialize(1, DType::f64, {}, Gradients::none);
  CHECK(w.leaf()->frozen);
  store.keep_gradients();
  CHECK_FALSE(w.leaf()->frozen);
  w.leaf()->frozen = true;
  store.keep_gradients();  // which changes nothing
  CHECK(w.leaf()->frozen);
  CHECK(w.leaf()->gradient.raw() == store.gradients().raw());

  ParamStore own(parameter(Tensor::full(Shape{2, 3}, 2.0, DType::f64), "v").leaf());
  const std::shared_ptr<Leaf> v = own.leaves().front();
  CHECK(own.values().raw() == v->value.raw());
  CHECK(own.gradients().raw() == v->gradient.raw());
  CHECK(own.elements() == 6);
  CHECK(own.matrix_elements() == 6);
  CHECK(ParamStore(parameter(Tensor::zeros({4}), "b").leaf()).matrix_elements() == 0);
  CHECK_THROWS_WITH_AS(ParamStore(parameter(Tensor::zeros({4}, DType::bf16), "c").leaf()),
                       doctest::Contains("expected one of f32 or f64"), Error);
}
