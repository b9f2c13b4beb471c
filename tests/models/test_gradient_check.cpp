// The whole model, parameter by parameter, in f64.
#include <doctest/doctest.h>

#include "models/gradient_check.h"
#include "models/transformer.h"
#include "nn/tap.h"
#include "tests/autograd/planted_gradients.h"
#include "tests/decode/decode_models.h"
#include "tests/gradients.h"

using namespace kette;
using namespace kette::testing;

namespace {

/// A point of a pass whose gradient is spoiled on its way back.
class SpoiledPoint final : public Tap {
 public:
  SpoiledPoint(std::string point, Spoil spoil)
      : point_(std::move(point)), spoil_(std::move(spoil)) {}
  bool wants(const std::string& point) const override { return point == point_; }
  Variable at(const std::string&, const Variable& value) override {
    const auto same = [](const std::vector<Variable>& in) { return affine(in[0], 1); };
    return planted({same, {}, spoil_}, {value});
  }

 private:
  std::string point_;
  Spoil spoil_;
};

int failed(const ParameterChecks& checks, bool by_adjoint) {
  int count = 0;
  for (const auto& [name, check] : checks) {
    count += by_adjoint ? !check.adjoint->ok() : !check.differences.ok();
  }
  return count;
}

}  // namespace

TEST_CASE("whole model: the gradient of every parameter is right") {
  for (const TransformerConfig& config :
       {small_transformer(NormOrder::post), small_transformer(NormOrder::pre), small_marian(),
        small_pruned_transformer(), small_parser(), small_table_3_transformer()}) {
    const ParameterChecks checks = check_model(config, {.elements = 4});
    CHECK(checks.size() == Transformer(config).parameters().leaves().size());
    expect_right(checks);
    for (const auto& [name, check] : checks) CHECK(check.adjoint->gap < 1e-11);
  }
  CHECK_THROWS_WITH_AS(check_model(small_parser(), GradientCheckOptions().in_f32()),
                       "dtype: expected f64 for a whole model, given f32", Error);
}

TEST_CASE("planted gradients: in a whole model, found by both proofs") {
  const auto config = std::make_unique<TransformerConfig>(small_transformer(NormOrder::pre));
  const auto model = config->make_model();
  model->materialize(1, DType::f64);
  const OneThread quick;
  const Batch batch = config->example_batch(1);
  struct Fault {
    std::string what;
    std::string point;
    Spoil spoil;
  };
  std::vector<std::shared_ptr<Leaf>> leaves;  // some of all layers
  for (const auto& leaf : model->parameters().leaves()) {
    if (leaf->name.ends_with("query_key_value/weight")) leaves.push_back(leaf);
  }
  int by_differences = 0;
  const std::string heads = "encoder/0/self_attention/heads",
                    hidden = "decoder/1/feed_forward/inner",
                    projected = "decoder/0/self_attention/query_key_value",
                    memory = "decoder/0/cross_attention/heads";
  const std::vector<Fault> faults = {{"sign", heads, times(-1)},
                                     {"factor 1.01", hidden, times(1.01)},
                                     {"forgotten", memory, times(0)},
                                     {"half of the domain", projected, where_negative(0)},
                                     {"half of the domain, heads", heads, where_negative(0.5)},
                                     {"last rows", projected, last_rows(0.9, 3 * 16)},
                                     {"one element by 0.1 %", projected, one_element(1.001)},
                                     {"one element by 0.1 %, memory", memory, one_element(0.999)},
                                     {"smallest element by 0.1 %", heads, smallest_element(1.001)},
                                     {"smallest element forgotten", memory, smallest_element(0)},
                                     {"off by one row", projected, shifted(3 * 16)},
                                     {"off by one column", heads, shifted(1)}};
  for (const Fault& fault : faults) {
    CAPTURE(fault.what);
    CAPTURE(fault.point);
    const auto loss = [&] {
      SpoiledPoint tap(fault.point, fault.spoil);
      Run run(1, 1, &tap);
      return model->loss(batch, {0.1, 0.1}, run);
    };
    const ParameterChecks full = check_parameter_gradients(loss, leaves, {.elements = 4});
    CHECK(failed(full, /*by_adjoint=*/true) > 0);
    by_differences += failed(full, false) > 0;
    const ParameterChecks fast = check_parameter_gradients(loss, leaves, {.directions = 1});
    CHECK(failed(fast, true) > 0);
  }
  CHECK(by_differences >=
        std::ssize(faults) - 1);  // the smallest one is below what differences see
}
