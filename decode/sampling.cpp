#include "decode/sampling.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tensor/error.h"
#include "tensor/kernels.h"
#include "tensor/observer.h"

namespace kette {

void SamplingOptions::check() const {
  KETTE_CHECK(std::isfinite(temperature) && temperature >= 0,
              "temperature: expected a number of at least 0, given ", temperature);
  KETTE_CHECK(top_k >= 0, "top_k: expected 0 (all) or more tokens, given ", top_k);
  KETTE_CHECK(top_p > 0 && top_p <= 1, "top_p: expected a probability above 0 and up to 1, given ",
              top_p);
}

DrawSettings draw_settings(const std::vector<Draw>& rows, Device device) {
  constexpr std::int64_t kAll = std::numeric_limits<std::int32_t>::max();
  const std::size_t count = rows.size();
  std::vector<double> reals(2 * count);
  std::vector<std::int32_t> whole(4 * count);
  DrawSettings settings;
  settings.cut = false;
  for (std::size_t row = 0; row < count; ++row) {
    const SamplingOptions& options = *rows[row].options;
    reals[row] = options.temperature;
    reals[count + row] = options.top_p;
    whole[row] = static_cast<std::int32_t>(std::min(options.top_k, kAll));
    whole[count + row] = static_cast<std::int32_t>(static_cast<std::uint32_t>(options.seed));
    whole[2 * count + row] = static_cast<std::int32_t>(options.seed >> 32);
    whole[3 * count + row] = rows[row].text;
    const bool cuts = options.top_k > 0 || options.top_p < 1;
    settings.cut = settings.cut || (options.temperature > 0 && cuts);
  }
  const auto length = static_cast<std::int64_t>(count);
  settings.reals = Tensor::from(reals, {2, length}, device);
  settings.whole = Tensor::from(whole, {4, length}, device);
  return settings;
}

void sample(const Tensor& logits, const DrawSettings& settings, const Tensor& positions,
            const Tensor& drawn) {
  const Work work("sample", {&logits}, {&drawn});
  on(logits.device(), [&](auto exec) {
    kernels::sample(exec, {logits, settings, positions, drawn});
  });
}

void mask_tokens(const Tensor& logits, const TokenMasks& masks) {
  const Work work("mask_tokens", {&logits, &masks.words}, {&logits});
  const rows::MaskTokens<float> body{
      logits.data<float>(), logits.width(), masks.words.data<std::int32_t>(), masks.words.width(),
      masks.rows.defined() ? masks.rows.data<std::int32_t>() : nullptr};
  on(logits.device(), [&](auto exec) { kernels::for_rows(exec, body, logits.rows()); });
}

std::int32_t checked_draw(const std::int32_t* drawn, std::int64_t rows, std::int64_t row) {
  KETTE_CHECK(drawn[rows + row] == 0,
              "sample: expected finite logits, given NaN or infinity; the model may be damaged");
  return drawn[row];
}

}  // namespace kette
