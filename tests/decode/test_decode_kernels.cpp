#include <doctest/doctest.h>

#include <cmath>

#include "tensor/kernels.h"
#include "tests/decode/decode_models.h"
#include "tests/devices.h"

using namespace kette;
using namespace kette::testing;

namespace {

Tensor random_tensor(Shape shape, std::uint64_t seed) {
  const Tensor tensor = Tensor::empty(shape);
  Random random(seed, 0);
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    tensor.data<float>()[i] = static_cast<float>(random.uniform(-1, 1));
  }
  return tensor;
}

PrepackedWeight pack(Device device, const std::vector<Tensor>& matrices,
                     const std::vector<Tensor>& biases, DType panels = DType::f32) {
  const auto there = [&](const std::vector<Tensor>& tensors) {
    std::vector<Tensor> copies;
    for (const Tensor& tensor : tensors) copies.push_back(tensor.to(device));
    return copies;
  };
  return on(device, [&](auto exec) {
    return kernels::prepack_linear(exec, there(matrices), there(biases), panels);
  });
}

struct Case {
  Device device;
  DType panels;

  std::string str() const { return device.str() + ", panels in " + name_of(panels); }
};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const Device device : test_devices()) {
    for (const DType panels : {DType::f32, DType::bf16}) cases.push_back({device, panels});
  }
  return cases;
}

/// What a product sees of a matrix in panels of that type.
Tensor rounded(const Tensor& matrix, DType panels) { return matrix.to(panels).to(DType::f32); }

/// Takes place on the weight's device; the result is on the host.
Tensor multiply(const PrepackedWeight& weight, const Tensor& x,
                Activation activation = Activation::none) {
  const Device device = weight.panels.device();
  const Tensor y = Tensor::empty({x.rows(), weight.out}, DType::f32, device);
  on(device, [&](auto exec) {
    kernels::prepacked_linear(exec, {&weight, x.to(device), y, activation});
  });
  return y.to(Device{});
}

struct Top {
  std::vector<float> values;
  std::vector<std::int32_t> entries;
  std::vector<float> target_values;
};

Top top_k(const PrepackedWeight& weight, const Tensor& states, std::int64_t count,
          const std::vector<std::int32_t>& banned, std::int32_t target) {
  const Device device = weight.panels.device();
  const std::int64_t rows = states.rows();
  TopKArgs args;
  args.weight = &weight;
  args.states = states.to(device);
  std::vector<bool> allowed(static_cast<std::size_t>(weight.out), true);
  for (const std::int32_t entry : banned) allowed[static_cast<std::size_t>(entry)] = false;
  args.masks.words = TokenMasks::pack({allowed}, device);
  args.targets = Tensor::full({rows}, target, DType::i32).to(device);
  args.target_values = Tensor::empty({rows}, DType::f32, device);
  args.values = Tensor::empty({rows, count}, DType::f32, device);
  args.entries = Tensor::empty({rows, count}, DType::i32, device);
  on(device, [&](auto exec) { kernels::top_k(exec, args); });
  return {args.values.values<float>(), args.entries.values<std::int32_t>(),
          args.target_values.values<float>()};
}

/// The rows of x, `times` over.
Tensor repeated(const Tensor& x, std::int64_t times) {
  const Tensor result = Tensor::empty({times * x.rows(), x.width()});
  for (std::int64_t i = 0; i < times; ++i) {
    result.slice(i * x.rows(), (i + 1) * x.rows()).copy_from(x);
  }
  return result;
}

}  // namespace

TEST_CASE("prepacked products equal plain loops, and a row does not notice the others") {
  for (const Case& given : all_cases()) {
    CAPTURE(given.str());
    for (const auto& [out, in] : {std::pair{7, 5}, {64, 128}, {130, 33}, {257, 64}, {40, 530}}) {
      const Tensor weight = random_tensor({out, in}, 1), bias = random_tensor({out}, 2);
      const PrepackedWeight prepacked = pack(given.device, {weight}, {bias}, given.panels);
      const Tensor seen = rounded(weight, given.panels);
      const Tensor x = random_tensor({23, in}, 3), y = multiply(prepacked, x, Activation::relu);
      for (std::int64_t i = 0; i < 23; ++i) {
        for (std::int64_t j = 0; j < out; ++j) {
          double expected = bias.data<float>()[j];
          for (std::int64_t p = 0; p < in; ++p) {
            expected +=
                double(x.data<float>()[i * in + p]) * double(seen.data<float>()[j * in + p]);
          }
          REQUIRE(y.data<float>()[i * out + j] ==
                  doctest::Approx(std::max(expected, 0.0)).epsilon(1e-4));
        }
      }
      const bool slow = given.device.kind == DeviceKind::cuda;
      for (std::int64_t rows = 0; rows < 23; rows += slow ? 4 : 1) {
        const Tensor fewer = multiply(prepacked, x.slice(0, rows), Activation::relu);
        REQUIRE(fewer.values<float>() == y.slice(0, rows).values<float>());
      }
    }
  }
}

TEST_CASE("panels in bf16 are half the bytes, and there are none in other types") {
  const Tensor weight = random_tensor({50, 70}, 1);
  for (const Device device : test_devices()) {
    CAPTURE(device.str());
    const Tensor wide = pack(device, {weight}, {}).panels;
    const Tensor narrow = pack(device, {weight}, {}, DType::bf16).panels;
    CHECK(narrow.elements() * size_of(narrow.dtype()) * 2 ==
          wide.elements() * size_of(wide.dtype()));
    for (const DType panels : {DType::f64, DType::i32}) {
      const std::string message =
          "prepack_linear: expected panels in f32 or bf16, given " + std::string(name_of(panels));
      CHECK_THROWS_WITH(pack(device, {weight}, {}, panels), message.c_str());
    }
  }
}

// The depth is more than a block of any kernel takes in one pass.
TEST_CASE("a row of a deep product does not notice the others") {
  const Tensor weight = random_tensor({9, 4200}, 1), bias = random_tensor({9}, 2);
  const Tensor x = random_tensor({97, 4200}, 3);
  for (const Case& given : all_cases()) {
    CAPTURE(given.str());
    const PrepackedWeight prepacked = pack(given.device, {weight}, {bias}, given.panels);
    const Tensor y = multiply(prepacked, x);
    for (const std::int64_t rows : {1, 3, 20}) {
      const Tensor fewer = multiply(prepacked, x.slice(0, rows));
      REQUIRE(fewer.values<float>() == y.slice(0, rows).values<float>());
    }
  }
}

TEST_CASE("a row does not notice thousands of others, whatever the activation") {
  const Tensor weight = random_tensor({257, 40}, 1), bias = random_tensor({257}, 2);
  const Tensor x = random_tensor({23, 40}, 3);
  for (const Case& given : all_cases()) {
    CAPTURE(given.str());
    const PrepackedWeight prepacked = pack(given.device, {weight}, {bias}, given.panels);
    // As many rows as it takes for a GPU to turn to larger and larger tiles.
    for (const auto& [times, activation] :
         {std::pair{40, Activation::gelu}, {150, Activation::silu}}) {
      const Tensor y = multiply(prepacked, x, activation);
      const Tensor one = multiply(prepacked, x.slice(0, 1), activation);
      const Tensor many = multiply(prepacked, repeated(x, times), activation);
      REQUIRE(one.values<float>() == y.slice(0, 1).values<float>());
      REQUIRE(many.values<float>() == repeated(y, times).values<float>());
    }
  }
}

TEST_CASE("stacked matrices give their outputs side by side") {
  const Tensor a = random_tensor({10, 6}, 1), b = random_tensor({3, 6}, 2),
               x = random_tensor({2, 6}, 3);
  const Tensor no_bias_a = Tensor::zeros({10}), no_bias_b = Tensor::full({3}, 0.5);
  for (const Device device : test_devices()) {
    CAPTURE(device.str());
    const PrepackedWeight both = pack(device, {a, b}, {no_bias_a, no_bias_b});
    const PrepackedWeight second = pack(device, {b}, {no_bias_b});
    const Tensor y = multiply(both, x), alone = multiply(second, x);
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 3; ++j)
        CHECK(y.data<float>()[i * 13 + 10 + j] == alone.data<float>()[i * 3 + j]);
    }
    const std::string message =
        "prepack_linear: expected matrices [out, 6], given f32 [3, 5] on " + device.str();
    CHECK_THROWS_WITH(pack(device, {a, random_tensor({3, 5}, 1)}, {}), message.c_str());
  }
}

TEST_CASE("the likeliest entries equal a sort of the log softmax") {
  constexpr std::int64_t kWidth = 24;
  for (const Device device : test_devices()) {
    CAPTURE(device.str());
    const std::int64_t rows = device.kind == DeviceKind::cpu ? 401 : 17;
    for (const auto& [vocabulary, wanted] :
         {std::pair{9, 7}, {300, 7}, {300, 200}, {1031, 7}, {1031, 65}, {90, 200}}) {
      const std::int64_t count = wanted;
      const Tensor weight = random_tensor({vocabulary, kWidth}, 5);
      // Equal rows make ties, which the lower entry wins.
      for (std::int64_t j = 0; j < kWidth; ++j) {
        for (const std::int64_t copy : {vocabulary / 2, vocabulary - 1}) {
          weight.data<float>()[copy * kWidth + j] = weight.data<float>()[4 * kWidth + j];
        }
      }
      const PrepackedWeight prepacked = pack(device, {weight}, {});
      const Tensor states = random_tensor({rows, kWidth}, 6);
      const Top top = top_k(prepacked, states, count, {0, 2, 6}, 2);
      const auto& [values, entries, target_values] = top;
      constexpr std::int64_t kFew = 3;
      const Top few = top_k(prepacked, states.slice(0, kFew), count, {0, 2, 6}, 2);
      REQUIRE(few.values == std::vector(values.begin(), values.begin() + kFew * count));
      REQUIRE(few.entries == std::vector(entries.begin(), entries.begin() + kFew * count));
      REQUIRE(few.target_values ==
              std::vector(target_values.begin(), target_values.begin() + kFew));
      for (std::int64_t row = 0; row < rows; ++row) {
        std::vector<std::pair<double, std::int64_t>> order;
        std::vector<double> logits;
        double total = 0;
        for (std::int64_t v = 0; v < vocabulary; ++v) {
          double logit = 0;
          for (std::int64_t j = 0; j < kWidth; ++j) {
            logit += double(states.data<float>()[row * kWidth + j]) *
                     double(weight.data<float>()[v * kWidth + j]);
          }
          logits.push_back(logit);
          total += std::exp(logit);
          if (v != 0 && v != 2 && v != 6) order.emplace_back(-logit, v);
        }
        std::sort(order.begin(), order.end());
        const double shift = std::log(total);
        REQUIRE(target_values[static_cast<std::size_t>(row)] ==
                doctest::Approx(logits[2] - shift).epsilon(1e-5));
        for (std::int64_t i = 0; i < count; ++i) {
          const auto at = static_cast<std::size_t>(row * count + i);
          const float value = values[at];
          const std::int32_t entry = entries[at];
          if (i >= static_cast<std::int64_t>(order.size())) {
            REQUIRE(entry == -1);
            REQUIRE(value == -INFINITY);
            continue;
          }
          REQUIRE(value ==
                  doctest::Approx(-order[static_cast<std::size_t>(i)].first - shift).epsilon(1e-5));
          REQUIRE(value ==
                  doctest::Approx(logits[static_cast<std::size_t>(entry)] - shift).epsilon(1e-5));
          // Entries that differ in the last bit of their logits may have equal log-probabilities.
          if (i > 0 && logits[static_cast<std::size_t>(entry)] ==
                           logits[static_cast<std::size_t>(entries[at - 1])]) {
            REQUIRE(entry > entries[at - 1]);
          }
        }
      }
    }
  }
}

TEST_CASE("the likeliest entries by panels in bf16 are those by the rounded weights") {
  const Tensor weight = random_tensor({301, 40}, 5), states = random_tensor({9, 40}, 6);
  for (const Device device : test_devices()) {
    CAPTURE(device.str());
    const Top narrow = top_k(pack(device, {weight}, {}, DType::bf16), states, 7, {0, 2, 6}, 2);
    const Top wide =
        top_k(pack(device, {rounded(weight, DType::bf16)}, {}), states, 7, {0, 2, 6}, 2);
    CHECK(narrow.values == wide.values);
    CHECK(narrow.entries == wide.entries);
    CHECK(narrow.target_values == wide.target_values);
    // And not those by the weights as they were.
    CHECK(narrow.values != top_k(pack(device, {weight}, {}), states, 7, {0, 2, 6}, 2).values);
  }
}

TEST_CASE("a state that is not a number has no likely entries, and says so") {
  for (const Device device : test_devices()) {
    CAPTURE(device.str());
    const PrepackedWeight prepacked = pack(device, {random_tensor({50, 8}, 1)}, {});
    const Top top = top_k(prepacked, Tensor::full({1, 8}, NAN), 2, {}, 3);
    CHECK(std::isnan(top.target_values[0]));
    for (const float value : top.values) CHECK(std::isnan(value));
    CHECK(top.entries == std::vector<std::int32_t>{-1, -1});
  }
}

TEST_CASE("cached attention follows the table, whatever is beside a row") {
  constexpr std::int64_t kSlots = 90, kLines = 3, kPositions = 310, kCopies = 8;
  // Lines go over all slots again and again. The last positions of lines differ.
  std::vector<std::int32_t> table(kLines * kPositions);
  Random random(9, 9);
  for (auto& slot : table) slot = static_cast<std::int32_t>(random.below(kSlots));
  const std::vector<std::int32_t> lines{2, 0, 1, 0}, positions{36, 309, 0, 31};
  const auto rows = static_cast<std::int64_t>(lines.size());
  using Widths = std::pair<std::int64_t, std::int64_t>;
  for (const Device device : test_devices()) {
    for (const Widths& widths : {Widths{12, 3}, {10, 2}, {40, 1}, {264, 2}}) {
      const std::int64_t width = widths.first, heads = widths.second, head_width = width / heads;
      CAPTURE(device.str());
      CAPTURE(width);
      // Queries are columns of something wider.
      const Tensor query = random_tensor({rows, width + 3}, 4),
                   cache = random_tensor({kSlots, 2 * width}, 5);
      const Tensor cache_there = cache.to(device);
      const Tensor table_there = Tensor::from(table, {kLines, kPositions}, device);
      const auto attend = [&](std::int64_t first, std::int64_t count, std::int64_t copies) {
        const auto repeat = [&](const std::vector<std::int32_t>& values) {
          std::vector<std::int32_t> result;
          for (std::int64_t i = 0; i < copies; ++i) {
            result.insert(result.end(), values.begin() + first, values.begin() + first + count);
          }
          return Tensor::from(result, device);
        };
        const Tensor there = repeated(query.slice(first, first + count), copies).to(device);
        CachedAttentionArgs args;
        args.rows = {there.data<float>(), width + 3,
                     Tensor::empty({copies * count, width}, DType::f32, device), heads, 0.5};
        args.cache = cache_there;
        args.places = {table_there, repeat(lines), repeat(positions)};
        on(device, [&](auto exec) { kernels::cached_attention(exec, args); });
        return args.rows.output.to(Device{});
      };
      const Tensor got = attend(0, rows, 1);
      // So many that a GPU treats them otherwise.
      REQUIRE(attend(0, rows, kCopies).values<float>() == repeated(got, kCopies).values<float>());
      for (std::int64_t row = 0; row < rows; ++row) {
        const auto at = static_cast<std::size_t>(row);
        CHECK(attend(row, 1, 1).values<float>() == got.slice(row, row + 1).values<float>());
        for (std::int64_t head = 0; head < width; head += head_width) {
          double total = 0;
          std::vector<double> sums(static_cast<std::size_t>(head_width));
          for (std::int64_t t = 0; t <= positions[at]; ++t) {
            const std::int32_t slot = table[static_cast<std::size_t>(lines[at] * kPositions + t)];
            const float* key = cache.data<float>() + slot * 2 * width + head;
            double score = 0;
            for (std::int64_t e = 0; e < head_width; ++e) {
              score += double(query.data<float>()[row * (width + 3) + head + e]) * double(key[e]);
            }
            const double weight = std::exp(0.5 * score);
            total += weight;
            for (std::int64_t e = 0; e < head_width; ++e) {
              sums[static_cast<std::size_t>(e)] += weight * double(key[width + e]);
            }
          }
          for (std::int64_t e = 0; e < head_width; ++e) {
            CHECK(got.data<float>()[row * width + head + e] ==
                  doctest::Approx(sums[static_cast<std::size_t>(e)] / total).epsilon(1e-5));
          }
        }
      }
    }
  }
}

TEST_CASE("rows are written to the slots that the table names") {
  const Tensor x = random_tensor({3, 14}, 1);  // of which the columns from 4 on
  const std::vector<std::int32_t> table{0, 5, 2, 6, 1, 3}, lines{1, 0, 1}, positions{2, 0, 0};
  const std::vector<std::size_t> slots{3, 0, 6};
  for (const Device device : test_devices()) {
    CAPTURE(device.str());
    const Tensor there = x.to(device), cache = Tensor::full({7, 10}, 9, DType::f32, device);
    const Tensor table_there = Tensor::from(table, {2, 3}, device);
    const Tensor lines_there = Tensor::from(lines, device);
    const Tensor positions_there = Tensor::from(positions, device);
    const rows::WriteToCache<float> body{there.data<float>() + 4,
                                         14,
                                         table_there.data<std::int32_t>(),
                                         lines_there.data<std::int32_t>(),
                                         positions_there.data<std::int32_t>(),
                                         3,
                                         cache.data<float>(),
                                         10};
    on(device, [&](auto exec) { kernels::for_rows(exec, body, 3); });
    std::vector<float> expected(70, 9);
    for (std::size_t row = 0; row < 3; ++row) {
      std::copy_n(x.data<float>() + row * 14 + 4, 10,
                  expected.begin() + static_cast<std::ptrdiff_t>(slots[row] * 10));
    }
    CHECK(cache.values<float>() == expected);
  }
}
