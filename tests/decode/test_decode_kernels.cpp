// Products with weights laid out for decoding, and attention to what a cache keeps.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/decode/decode_models.h"
#include "tests/decode/prepacked.h"
#include "tests/devices.h"

using namespace kette;
using namespace kette::testing;

namespace {

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
      const PrepackedWeight prepacked = pack(given.device, weight, bias, given.panels);
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
    const Tensor wide = pack(device, weight).panels;
    const Tensor narrow = pack(device, weight, {}, DType::bf16).panels;
    CHECK(narrow.elements() * size_of(narrow.dtype()) * 2 ==
          wide.elements() * size_of(wide.dtype()));
    for (const DType panels : {DType::f64, DType::i32}) {
      const std::string message =
          std::string("prepack_linear: expected panels in f32, bf16 or on a CPU int8, given ") +
          name_of(panels) + " on " + device.str();
      CHECK_THROWS_WITH(pack(device, weight, {}, panels), message.c_str());
    }
  }
}

// The depth is more than a block of any kernel takes in one pass.
TEST_CASE("a row of a deep product does not notice the others") {
  const Tensor weight = random_tensor({9, 4200}, 1), bias = random_tensor({9}, 2);
  const Tensor x = random_tensor({97, 4200}, 3);
  for (const Case& given : all_cases()) {
    CAPTURE(given.str());
    const PrepackedWeight prepacked = pack(given.device, weight, bias, given.panels);
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
    const PrepackedWeight prepacked = pack(given.device, weight, bias, given.panels);
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

TEST_CASE("a weight that is no matrix, or has another's bias, is not packed") {
  for (const Device device : test_devices()) {
    CAPTURE(device.str());
    const std::string vector =
        "prepack_linear: expected a matrix [out, in], given f32 [6] on " + device.str();
    CHECK_THROWS_WITH(pack(device, random_tensor({6}, 1)), vector.c_str());
    const std::string shorter =
        "prepack_linear: expected a bias of 3 entries, given f32 [2] on " + device.str();
    CHECK_THROWS_WITH(pack(device, random_tensor({3, 5}, 1), random_tensor({2}, 2)),
                      shorter.c_str());
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
  struct Given {
    std::int64_t width, heads;
    AttentionPattern pattern;
  };
  const AttentionPattern causal = Mask::causal;
  const Given cases[] = {{12, 3, causal},
                         {10, 2, causal},
                         {40, 1, causal},
                         {264, 2, causal},
                         {24, 6, causal.in_groups_of(2)},
                         {10, 5, causal.in_groups_of(5)},
                         {12, 3, causal.within(40).with_slopes()},
                         {80, 2, causal.in_groups_of(2).within(1)},
                         {12, 3, causal.within(1000)}};
  for (const Case& where : all_cases()) {
    const Device device = where.device;
    for (const Given& given : cases) {
      const std::int64_t width = given.width, heads = given.heads, head_width = width / heads,
                         key_width = width / given.pattern.group;
      CAPTURE(where.str());
      CAPTURE(width);
      // Queries are columns of something wider.
      const Tensor query = random_tensor({rows, width + 3}, 4),
                   kept = random_tensor({kSlots, 2 * key_width}, 5).to(where.panels),
                   cache = kept.to(DType::f32);
      const Tensor cache_there = kept.to(device);
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
        args.rows = {there.data<float>(),
                     width + 3,
                     Tensor::empty({copies * count, width}, DType::f32, device),
                     heads,
                     0.5,
                     given.pattern};
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
          const std::int64_t number = head / head_width, window = given.pattern.window,
                             of_keys = number / given.pattern.group * head_width;
          const double slope = given.pattern.slope(number, heads);
          double total = 0;
          std::vector<double> sums(static_cast<std::size_t>(head_width));
          for (std::int64_t t = 0; t <= positions[at]; ++t) {
            if (window > 0 && positions[at] - t >= window) continue;
            const std::int32_t slot = table[lines[at] * kPositions + t];
            const float* key = cache.data<float>() + slot * 2 * key_width + of_keys;
            double score = 0;
            for (std::int64_t e = 0; e < head_width; ++e) {
              score += double(query.data<float>()[row * (width + 3) + head + e]) * double(key[e]);
            }
            const double weight =
                std::exp(0.5 * score - slope * static_cast<double>(positions[at] - t));
            total += weight;
            for (std::int64_t e = 0; e < head_width; ++e) {
              sums[e] += weight * double(key[key_width + e]);
            }
          }
          for (std::int64_t e = 0; e < head_width; ++e) {
            CHECK(got.data<float>()[row * width + head + e] ==
                  doctest::Approx(sums[e] / total).epsilon(1e-5));
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
