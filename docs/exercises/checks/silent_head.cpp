// Against the same model with zeros for the columns of the output map that read the head.
#include "silent_head.h"

#include "autograd/tape.h"
#include "check.h"
#include "models/transformer.h"

using namespace kette;

int main() {
  Check check("silent_head");
  const TransformerConfig config = small_transformer(NormOrder::post);
  Transformer model(config);
  model.materialize(1);
  const Batch batch = config.example_batch(1);
  const std::string attention = "encoder/0/self_attention";
  const Shape shape = model.parameters().find(attention + "/output/weight")->value.shape();
  const std::int64_t width = shape.width(), head_width = width / config.heads,
                     head = config.heads - 1;
  SilentHead tap(attention, head, head_width);

  Run with_tap(&tap), plain;
  const auto before = model.logits(batch, plain).value().values<float>();
  const auto came = model.logits(batch, with_tap).value().values<float>();
  model.parameters().clear_gradients();
  {
    Tape tape;
    tape.backward(model.loss(batch, {}, with_tap));
  }
  const auto gradient =
      model.parameters().find(attention + "/query_key_value/weight")->gradient.values<float>();
  float* weight = model.parameters().find(attention + "/output/weight")->value.data<float>();
  for (std::int64_t row = 0; row < shape.rows(); ++row) {
    for (std::int64_t j = head * head_width; j < width; ++j) weight[row * width + j] = 0;
  }
  const auto expected = model.logits(batch, plain).value().values<float>();
  check.that(before != expected, "the head does something", "other logits without it", "the same");
  for (std::size_t i = 0; i < expected.size(); ++i) {
    check.near("logit " + std::to_string(i), expected[i], came[i], 1e-5);
  }
  // Rows of the weight: queries, head by head, then keys and values.
  double silent = 0, others = 0;
  for (std::int64_t row = 0; row < width; ++row) {
    for (std::int64_t j = 0; j < width; ++j) {
      (row / head_width == head ? silent : others) += std::abs(gradient[row * width + j]);
    }
  }
  check.near("gradient of the silent head's queries", 0, silent);
  check.that(others > 0, "gradient of the other heads' queries", "more than 0", others);
  return check.end();
}
