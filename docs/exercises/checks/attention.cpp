// Against Kette's op of all heads and sentences at once, in its order: [queries, keys, values], each head by head.
#include "attention.h"

#include "autograd/ops/attention.h"
#include "autograd/sample.h"
#include "check.h"

using namespace kette;

int main() {
  Check check("attention");
  constexpr std::int64_t kRows = 6, kHeads = 2, kHeadWidth = 5, kWidth = kHeads * kHeadWidth;
  for (const double range : {1.0, 60.0}) {
    const Tensor qkv = sample_inputs({{{kRows, 3 * kWidth}, -range, range}}, DType::f64, 1)[0];
    const auto part = [&](std::int64_t row, std::int64_t which, std::int64_t head) {
      const double* begin =
          qkv.data<double>() + row * 3 * kWidth + which * kWidth + head * kHeadWidth;
      return Row(begin, begin + kHeadWidth);
    };
    AttentionOptions options;
    options.heads = kHeads;
    const Segments one_sentence = Segments::from_lengths({kRows});
    const auto expected = self_attention(qkv, one_sentence, options).value().values<double>();
    for (std::int64_t head = 0; head < kHeads; ++head) {
      std::vector<Row> keys, values;
      for (std::int64_t row = 0; row < kRows; ++row) {
        keys.push_back(part(row, 1, head));
        values.push_back(part(row, 2, head));
      }
      for (std::int64_t row = 0; row < kRows; ++row) {
        const Row came = attend(part(row, 0, head), keys, values);
        for (std::int64_t j = 0; j < kHeadWidth; ++j) {
          check.near((range > 1 ? "large scores, head " : "head ") + std::to_string(head) +
                         ", query " + std::to_string(row) + ", column " + std::to_string(j),
                     expected[row * kWidth + head * kHeadWidth + j], came.at(j));
        }
      }
    }
  }
  return check.end();
}
