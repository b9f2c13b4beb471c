// Weights and rows in int8: what they are rounded to, and that every path multiplies them alike.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "decode/decoder_state.h"
#include "decode/translator.h"
#include "tensor/cpu/int8_path.h"
#include "tensor/int8_matrix.h"
#include "tests/decode/decode_models.h"
#include "tests/decode/prepacked.h"

using namespace kette;
using namespace kette::testing;

namespace {

/// Rows in int8, and what they are multiples of.
Tensor seen(const Tensor& rows) { return values_of(rounded_to_int8(rows)); }

}  // namespace

TEST_CASE("int8: a row is whole multiples of a scale, the largest 127, and is so again") {
  const Tensor matrix = random_tensor({40, 37}, 1);
  for (std::int64_t row = 0; row < 40; ++row) {
    for (std::int64_t p = 0; p < 37; ++p) {
      matrix.data<float>()[row * 37 + p] *= std::pow(10.0f, static_cast<float>(row - 20));
    }
  }
  const Int8Matrix rounded = rounded_to_int8(matrix);
  const auto q = rounded.values.values<std::int8_t>();
  const auto scales = rounded.scales.values<float>(), given = matrix.values<float>();
  for (std::int64_t row = 0; row < 40; ++row) {
    CAPTURE(row);
    int largest = 0;
    for (std::int64_t p = row * 37; p < row * 37 + 37; ++p) {
      largest = std::max(largest, std::abs(int(q[p])));
      REQUIRE(std::abs(double(given[p]) - double(q[p]) * double(scales[row])) <=
              0.50001 * double(scales[row]));
    }
    CHECK(largest == 127);
    CHECK((std::bit_cast<std::uint32_t>(scales[row]) & 0x7f) == 0);
  }
  const Int8Matrix again = rounded_to_int8(values_of(rounded));
  CHECK(again.values.values<std::int8_t>() == q);
  CHECK(again.scales.values<float>() == scales);
}

TEST_CASE("int8: halves go to the even number, in the vectors of a row and in what is left") {
  const Tensor row = Tensor::from(std::vector<float>(37, 2.5f), {1, 37});
  row.data<float>()[3] = -3.5f;
  row.data<float>()[36] = 127;
  const auto q = rounded_to_int8(row).values.values<std::int8_t>();
  CHECK(q[0] == 2);
  CHECK(q[3] == -4);
  CHECK(q[35] == 2);
  CHECK(q[36] == 127);
}

TEST_CASE("int8: rows of nothing are zeros, and what is not finite makes a row that is not") {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const Tensor x = random_tensor({5, 19}, 2);
  x.slice(1, 2).zero();
  for (std::int64_t p = 0; p < 19; ++p) x.data<float>()[2 * 19 + p] = 1e-38f;
  x.data<float>()[3 * 19 + 18] = NAN;
  x.data<float>()[4 * 19 + 2] = -kInfinity;
  const PrepackedWeight weight =
      pack(Device{}, random_tensor({7, 19}, 3), random_tensor({7}, 4), DType::int8);
  const auto y = multiply(weight, x).values<float>(),
             bias = weight.bias.view(0, {7}).values<float>();
  for (std::int64_t j = 0; j < 7; ++j) {
    CHECK(y[j] != bias[j]);
    CHECK(y[7 + j] == bias[j]);
    CHECK(y[14 + j] == bias[j]);
    CHECK(std::isnan(y[21 + j]));
    CHECK(std::isnan(y[28 + j]));
  }
}

TEST_CASE("int8: every path that this CPU has gives the sums of plain loops") {
  Random random(5, 1);
  std::vector<Int8Path> paths = cpu::int8_paths();
  if (paths.back() != Int8Path::amx) paths.push_back(Int8Path::amx);  // emulated
  for (const Int8Path path : paths) {
    CAPTURE(enum_name(path));
    for (const auto& [rows, quads] :
         {std::pair{1, 1}, {2, 3}, {3, 7}, {4, 2}, {5, 130}, {6, 1}, {13, 5}, {24, 9}, {37, 50}}) {
      for (const bool extreme : {false, true}) {
        const std::int64_t depth = 4 * quads;
        const auto draw = [&] {
          const std::int64_t value = random.below(extreme ? 2 : 255);
          return static_cast<std::int8_t>(extreme ? 254 * value - 127 : value - 127);
        };
        std::vector<std::int8_t> x(static_cast<std::size_t>(rows * depth)),
            w(static_cast<std::size_t>(cpu::kInt8Panel * depth));
        for (std::int8_t& value : x) value = draw();
        for (std::int8_t& value : w) value = draw();
        std::vector<std::uint8_t> panel(w.size());
        for (std::int64_t j = 0; j < cpu::kInt8Panel; ++j) {
          for (std::int64_t p = 0; p < depth; ++p) {
            panel[(p / 4 * cpu::kInt8Panel + j) * 4 + p % 4] =
                static_cast<std::uint8_t>(w[j * depth + p] + 128);
          }
        }
        std::vector<std::int32_t> of_rows(rows), expected, sums(rows * cpu::kInt8Panel);
        for (std::int64_t i = 0; i < rows; ++i) {
          for (std::int64_t p = 0; p < depth; ++p) of_rows[i] += x[i * depth + p];
          for (std::int64_t j = 0; j < cpu::kInt8Panel; ++j) {
            std::int32_t sum = 0;
            for (std::int64_t p = 0; p < depth; ++p) sum += x[i * depth + p] * w[j * depth + p];
            expected.push_back(sum);
          }
        }
        const std::vector<float> scales(rows);  // which sums do not read
        cpu::int8_panel_product(path)(rows, quads, {x.data(), depth, of_rows.data(), scales.data()},
                                      panel.data(), sums.data());
        REQUIRE(sums == expected);
      }
    }
  }
}

TEST_CASE("int8: products equal those of the rounded weights and rows, and no row notices others") {
  for (const auto& shape : {std::pair{7, 5}, {64, 128}, {130, 33}, {257, 64}, {40, 2050}}) {
    const int out = shape.first, in = shape.second;
    CAPTURE(out);
    const Tensor weight = random_tensor({out, in}, 1), bias = random_tensor({out}, 2);
    const Tensor x = random_tensor({53, in}, 3);
    const PrepackedWeight prepacked = pack(Device{}, weight, bias, DType::int8);
    const Tensor y = multiply(prepacked, x, Activation::relu);
    const auto ws = seen(weight).values<double>(), xs = seen(x).values<double>();
    for (std::int64_t i = 0; i < 53; ++i) {
      for (std::int64_t j = 0; j < out; ++j) {
        double expected = bias.data<float>()[j];
        for (std::int64_t p = 0; p < in; ++p) expected += xs[i * in + p] * ws[j * in + p];
        REQUIRE(y.data<float>()[i * out + j] ==
                doctest::Approx(std::max(expected, 0.0)).epsilon(1e-5));
      }
    }
    for (std::int64_t rows = 1; rows < 53; rows += 3) {
      const Tensor fewer = multiply(prepacked, x.slice(53 - rows, 53), Activation::relu);
      REQUIRE(fewer.values<float>() == y.slice(53 - rows, 53).values<float>());
    }
    const OneThread one;
    CHECK(multiply(prepacked, x, Activation::relu).values<float>() == y.values<float>());
  }
}

TEST_CASE("int8: panels are a quarter of the bytes, for a CPU, and of a depth that sums fit in") {
  const Tensor weight = random_tensor({64, 128}, 1);
  CHECK(4 * pack(Device{}, weight, {}, DType::int8).panels.bytes() ==
        pack(Device{}, weight).panels.bytes());
  CHECK_THROWS_WITH(
      pack(Device{}, Tensor::zeros({1, cpu::kInt8Depth + 1}), {}, DType::int8),
      "prepack_linear: expected rows of at most 131072 columns for int8, given 131073");
  // The largest sum there can be.
  const std::int64_t depth = cpu::kInt8Depth;
  const Tensor ones = Tensor::full({1, depth}, 1);
  const Tensor y = multiply(pack(Device{}, ones, {}, DType::int8), ones);
  CHECK(y.item() == doctest::Approx(static_cast<double>(depth)).epsilon(1e-4));
}

TEST_CASE("int8: the likeliest entries are those of the logits") {
  const Tensor weight = random_tensor({301, 40}, 5), states = random_tensor({9, 40}, 6);
  const PrepackedWeight prepacked = pack(Device{}, weight, {}, DType::int8);
  TopKArgs args;
  args.weight = &prepacked;
  args.states = states;
  args.targets = Tensor::from(Ids(9, 17));
  args.target_values = Tensor::empty({9});
  args.values = Tensor::empty({9, 1});
  args.entries = Tensor::empty({9, 1}, DType::i32);
  kernels::top_k(CpuExec{}, args);
  const Tensor expected = log_softmax(multiply(prepacked, states)).value();
  for (std::int64_t row = 0; row < 9; ++row) {
    const float* line = expected.data<float>() + row * 301;
    const std::int32_t best = args.entries.data<std::int32_t>()[row];
    CHECK(best == std::max_element(line, line + 301) - line);
    CHECK(args.values.data<float>()[row] == doctest::Approx(line[best]).epsilon(1e-5));
    CHECK(args.target_values.data<float>()[row] == doctest::Approx(line[17]).epsilon(1e-5));
  }
}

TEST_CASE("int8: models see their matrices rounded, tokens' tables too, and nothing else") {
  const OneThread one;
  const auto model = random_model(small_config());
  const auto found = [&](DType weights) {
    const auto ready = model->for_decoding(weights);
    DecoderState state(*ready);
    const Ids source = {5, 6, 7, 3}, past = {2, 9};
    state.add({{source, past}});
    return ready->logits(state.step({60})).value().values<float>();
  };
  const auto rounded = found(DType::int8);
  CHECK(rounded != found(DType::f32));
  for (const auto& leaf : model->parameters().leaves()) {
    if (leaf->value.shape().rank() == 2) leaf->value.copy_from(seen(leaf->value));
  }
  CHECK(found(DType::int8) == rounded);
}

TEST_CASE("int8: translations do not depend on their neighbours or on the threads") {
  const auto model = random_model(small_config(NormOrder::pre));
  const auto ready = model->for_decoding(DType::int8);
  SearchOptions options;
  options.beam = 4;
  options.extra_length = 8;
  const auto sources = random_sentences(9, 611);
  const auto all = translate_ids(*ready, sources, options);
  const OneThread one;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const auto alone = translate_ids(*ready, {sources[i]}, options).front().front();
    CHECK(alone.tokens == all[i].front().tokens);
    CHECK(alone.score == all[i].front().score);
  }
}
