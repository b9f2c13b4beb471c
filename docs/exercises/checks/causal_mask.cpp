// Against the weights of Kette's attention. Values of (1, 0, 0, ...), (0, 1, 0, ...), ... make its output the weights
// themselves: row q has the weight of row k in column k.
#include "causal_mask.h"

#include "autograd/ops/attention.h"
#include "autograd/sample.h"
#include "check.h"

using namespace kette;

int main() {
  Check check("causal_mask");
  const Segments sentences = Segments::from_lengths({4, 1, 3});
  const std::int64_t rows = sentences.rows();
  const Tensor qkv = sample_inputs({{{rows, 3 * rows}}}, DType::f64, 1)[0];
  for (std::int64_t row = 0; row < rows; ++row) {
    double* values = qkv.data<double>() + row * 3 * rows + 2 * rows;
    for (std::int64_t column = 0; column < rows; ++column) values[column] = row == column ? 1 : 0;
  }
  AttentionOptions options;
  options.pattern = Mask::causal;
  const std::vector<double> weights =
      self_attention(qkv, sentences, options).value().values<double>();
  const auto words = [](bool visible) { return visible ? "it is seen" : "it is not seen"; };
  for (std::int64_t query = 0; query < rows; ++query) {
    for (std::int64_t key = 0; key < rows; ++key) {
      const bool expected = weights[query * rows + key] > 0, came = sees(query, key, sentences);
      check.that(expected == came,
                 "sentences of 4, 1 and 3 tokens, the token in row " + std::to_string(key) +
                     " from row " + std::to_string(query),
                 words(expected), words(came));
    }
  }
  return check.end();
}
