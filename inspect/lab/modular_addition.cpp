#include "inspect/lab/modular_addition.h"

#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>

#include "autograd/ops/elementwise.h"
#include "autograd/ops/embedding.h"
#include "autograd/ops/shaping.h"

namespace kette {

std::array<ModularSums, 2> modular_sums(std::int64_t modulus, double share, Random& random) {
  std::vector<std::int64_t> pairs(static_cast<std::size_t>(modulus * modulus));
  std::iota(pairs.begin(), pairs.end(), 0);
  for (std::int64_t i = std::ssize(pairs) - 1; i > 0; --i) {
    std::swap(pairs[i], pairs[random.below(i + 1)]);
  }
  const auto trained = std::llround(share * static_cast<double>(pairs.size()));
  std::array<ModularSums, 2> parts;
  for (std::int64_t i = 0; i < std::ssize(pairs); ++i) {
    ModularSums& sums = parts[i < trained ? 0 : 1];
    const std::int64_t a = pairs[i] / modulus, b = pairs[i] % modulus;
    for (const std::int64_t token : {a, b, modulus}) {
      sums.ids.push_back(static_cast<std::int32_t>(token));
    }
    sums.answers.push_back(static_cast<std::int32_t>((a + b) % modulus));
  }
  for (ModularSums& sums : parts) {
    sums.modulus = modulus;
    sums.segments = Segments::from_lengths(std::vector<std::int64_t>(sums.answers.size(), 3));
  }
  return parts;
}

GptConfig modular_addition_gpt(std::int64_t modulus, std::int64_t width, std::int64_t heads,
                               std::int64_t hidden) {
  GptConfig config;
  config.layers = 1;
  config.width = width;
  config.heads = heads;
  config.hidden = hidden;
  config.vocabulary = modulus + 1;  // and "="
  config.context = 3;
  config.norm_kind = NormKind::none;
  config.feed_forward = FeedForwardKind::relu;
  config.tied_output = config.biases = false;
  config.dropout = config.attention_dropout = 0;
  return config;
}

Variable states_at_ends(const Gpt& model, const ModularSums& sums, Run& run) {
  // Row place * modulus + token of x is of that token at that place; the last, of "=".
  const std::int64_t modulus = sums.modulus, end = 2 * modulus;
  std::vector<std::int32_t> tokens, places, rows, ends;
  for (std::int64_t row = 0; row <= end; ++row) {
    tokens.push_back(static_cast<std::int32_t>(row < end ? row % modulus : modulus));
    places.push_back(static_cast<std::int32_t>(row / modulus));
  }
  for (std::int64_t row = 0; row < std::ssize(sums.ids); ++row) {
    const bool is_end = row % 3 == 2;
    rows.push_back(static_cast<std::int32_t>(is_end ? end : row % 3 * modulus + sums.ids[row]));
    if (is_end) ends.push_back(static_cast<std::int32_t>(row));
  }
  const Block& block = model.decoder().front();
  const MultiHeadSelfAttention& attention = block.self_attention;
  const Variable x = add_positions(model.token_embedding()(Tensor::from(tokens)),
                                   model.position_embedding()->table, Tensor::from(places));
  const Variable qkv = embedding(attention.query_key_value(x), Tensor::from(rows));
  const Variable heads =
      PackedSequences(sums.segments)
          .self_attention(0, qkv, {attention.heads.count, attention.pattern, {}});
  const Variable attended = attention.output(embedding(heads, Tensor::from(ends)));
  const Variable sum = attended + slice(x, end, end + 1);
  return sum + (*block.feed_forward)(sum, run);
}

std::vector<double> frequency_shares(std::span<const float> table, std::int64_t modulus,
                                     std::int64_t width) {
  std::vector<double> shares;
  double all = 0;
  for (std::int64_t frequency = 1; frequency <= modulus / 2; ++frequency) {
    double power = 0;
    for (std::int64_t column = 0; column < width; ++column) {
      std::complex<double> sum;
      for (std::int64_t a = 0; a < modulus; ++a) {
        const double angle = 2 * std::numbers::pi * static_cast<double>(frequency * a % modulus) /
                             static_cast<double>(modulus);
        sum += static_cast<double>(table[a * width + column]) * std::polar(1.0, angle);
      }
      power += std::norm(sum);
    }
    shares.push_back(power);
    all += power;
  }
  for (double& share : shares) share /= all;
  return shares;
}

}  // namespace kette
