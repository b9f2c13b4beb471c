// The whole model, parameter by parameter, in f64.
#include <doctest/doctest.h>

#include "models/gradient_check.h"
#include "models/transformer.h"

using namespace kette;

TEST_CASE("whole model: the gradient of every parameter agrees with central differences") {
  for (const TransformerConfig& config :
       {small_transformer(NormOrder::post), small_transformer(NormOrder::pre), small_marian(),
        small_pruned_transformer(), small_parser(), small_table_3_transformer()}) {
    const auto gaps = check_model(config, 4);
    CHECK(gaps.size() == Transformer(config).parameters().leaves().size());
    for (const auto& parameter : gaps) {
      CAPTURE(parameter.first);
      CAPTURE(parameter.second.where);
      CHECK(parameter.second.gap < 1e-6);
      CHECK(parameter.second.checked >= 4);
    }
  }
}
