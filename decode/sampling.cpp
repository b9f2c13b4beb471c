#include "decode/sampling.h"

#include <cmath>

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

void sample(const Tensor& logits, const SamplingOptions& options, const Tensor& texts,
            const Tensor& positions, const Tensor& drawn) {
  const Work work("sample", {&logits}, {&drawn});
  on(logits.device(), [&](auto exec) {
    kernels::sample(exec, {logits, options.temperature, options.top_k, options.top_p, options.seed,
                           texts, positions, drawn});
  });
}

void mask_tokens(const Tensor& logits, const Tensor& mask) {
  const Work work("mask_tokens", {&logits, &mask}, {&logits});
  const rows::MaskTokens<float> body{logits.data<float>(), logits.width(),
                                     mask.data<std::int32_t>(), mask.width(), nullptr};
  on(logits.device(), [&](auto exec) { kernels::for_rows(exec, body, logits.rows()); });
}

std::int32_t checked_draw(const std::int32_t* drawn, std::int64_t rows, std::int64_t row) {
  KETTE_CHECK(drawn[rows + row] == 0,
              "sample: expected finite logits, given NaN or infinity; the model may be damaged");
  return drawn[row];
}

}  // namespace kette
