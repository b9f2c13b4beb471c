// The tape of a step, node by node, against what the tape and its gradients say themselves.
#include <doctest/doctest.h>

#include <cmath>
#include <sstream>

#include "autograd/ops/elementwise.h"
#include "autograd/tape.h"
#include "inspect/steps/tape_listing.h"
#include "models/families.h"
#include "models/gpt.h"
#include "models/transformer.h"
#include "tensor/backend.h"
#include "tests/devices.h"
#include "tests/gradients.h"
#include "tests/support.h"

using namespace kette;
using testing::contains;

namespace {

constexpr TapeStep kStep{0.1, 1};

double norm_of(const Tensor& tensor) {
  double squares = 0;
  for (const double value : tensor.values<double>()) squares += value * value;
  return std::sqrt(squares);
}

Variable loss_of(const Model& model, const Batch& batch, Tap* tap = nullptr) {
  Run run(kStep.seed, 1, tap);
  return model.loss(batch, {0.1, 1.0 / static_cast<double>(batch.target_out.size())}, run);
}

/// Puts in the place of one point the same, plus zeros whose gradient is watched.
class GradientTap final : public Tap {
 public:
  GradientTap(Tape& tape, std::string point) : tape_(tape), point_(std::move(point)) {}
  bool wants(const std::string& point) const override { return point == point_; }
  Variable at(const std::string&, const Variable& value) override {
    watched =
        tape_.watch(Tensor::zeros(value.shape(), value.value().dtype(), value.value().device()));
    return value + watched;
  }
  Variable watched;

 private:
  Tape& tape_;
  std::string point_;
};

std::string line_of_source(const std::string& place) {
  const std::size_t colon = place.find(':');
  std::istringstream text(
      kette::testing::read_file(kette::testing::source_folder() / place.substr(0, colon)));
  std::string line;
  for (int i = std::stoi(place.substr(colon + 1)); i > 0; --i) std::getline(text, line);
  return line;
}

}  // namespace

TEST_CASE("a listing has every node of the tape, in its order and with its inputs") {
  for (const Family* family : families()) {
    for (const auto& small : family->small_models) {
      CAPTURE(small.first);
      const auto model = small.second->make_model();
      model->materialize(1);
      const Batch batch = small.second->example_batch(1);
      const TapeListing listing = list_tape(*model, batch, kStep);
      Tape tape;
      const Variable loss = loss_of(*model, batch);
      CHECK(listing.loss == loss.value().item());
      REQUIRE(std::ssize(listing.nodes) == tape.size());
      std::istringstream lines(tape.str());
      for (const TapeNode& node : listing.nodes) {
        std::string line;
        std::getline(lines, line);
        CAPTURE(line);
        CHECK(contains(line, "= " + node.op + " "));
        CHECK(contains(line, "-> " + node.outputs[0].shape.str()));
        CHECK(!node.scope.empty());
        CHECK(line_of_source(node.source).find('"' + node.op + '"') != std::string::npos);
        for (const TapeInput& input : node.inputs) {
          CHECK(input.node < node.number);
          CHECK(input.wanted == (input.node >= 0 || !input.leaf.empty()));
          if (!input.leaf.empty()) CHECK(contains(line, input.leaf));
        }
      }
    }
  }
}

TEST_CASE("the gradients of a listing are those of the tape") {
  for (const Device device : test_devices()) {
    Gpt model(small_gpt());
    model.materialize(1, DType::f32, device);
    const Batch batch = model.config().example_batch(1);
    const TapeListing listing = list_tape(model, batch, kStep);
    const std::string point = "layers/0/attention/heads";
    model.parameters().clear_gradients();
    Tape tape;
    GradientTap tap(tape, point);
    tape.backward(loss_of(model, batch, &tap));
    int found = 0;
    for (const TapeNode& node : listing.nodes) {
      if (node.scope != point || node.op != "self_attention") continue;
      ++found;
      CHECK(node.gradient_norm() == doctest::Approx(norm_of(tape.gradient(tap.watched))));
      CHECK(node.gradient_norm() > 0);
      CHECK(node.gradients[0].values[0] ==
            doctest::Approx(tape.gradient(tap.watched).values<double>()[0]));
    }
    CHECK(found == 1);
    // The last node that a parameter's gradient gathers from leaves it as it is in the end.
    for (const auto& leaf : model.parameters().leaves()) {
      CAPTURE(leaf->name);
      const TapeInput* last = nullptr;
      for (const TapeNode& node : listing.nodes) {
        for (const TapeInput& input : node.inputs) {
          if (input.leaf == leaf->name && last == nullptr) last = &input;
        }
      }
      REQUIRE(last != nullptr);
      CHECK(last->after.norm == doctest::Approx(norm_of(leaf->gradient)).epsilon(1e-5));
    }
  }
}

TEST_CASE("what had gathered and what a node adds give what there is then") {
  Gpt model(small_gpt());
  model.materialize(1);
  const TapeListing listing = list_tape(model, model.config().example_batch(1), kStep);
  int sums = 0;
  for (const TapeNode& node : listing.nodes) {
    for (const TapeInput& input : node.inputs) {
      if (!input.wanted) continue;
      REQUIRE(input.after.values.size() == input.contribution.values.size());
      for (std::size_t i = 0; i < input.before.values.size(); ++i) {
        CHECK(input.after.values[i] ==
              doctest::Approx(input.before.values[i] + input.contribution.values[i]));
      }
      sums += !input.before.values.empty();
      if (input.before.values.empty()) CHECK(input.after.norm == input.contribution.norm);
    }
  }
  CHECK(sums > 0);  // such as the token embedding, which is the projection to the logits, too
}

TEST_CASE("what nodes keep is what the forward pass leaves in the pool") {
  for (const Device device : test_devices()) {
    Transformer model(small_transformer(NormOrder::post));
    model.materialize(1, DType::f32, device);
    const Batch batch = model.config().example_batch(1);
    const TapeListing listing = list_tape(model, batch, kStep);
    std::int64_t kept = 0;
    for (const TapeNode& node : listing.nodes) kept += node.kept_bytes;
    const std::int64_t before = backend(device).memory().in_use_bytes;
    Tape tape;
    const Variable loss = loss_of(model, batch);
    const std::int64_t left = backend(device).memory().in_use_bytes - before;
    CHECK(kept <= left);
    CHECK(kept > left * 9 / 10);  // the rest: positions and what else is on its way between ops
  }
}

TEST_CASE("the op of every node can be checked as it is set, on its shapes") {
  const GradientCheckOptions options{.elements = 4};
  for (const Family* family : families()) {
    const auto& [label, config] = family->small_models.front();
    const auto model = config->make_model();
    model->materialize(1, DType::f64);
    const Batch batch = config->example_batch(1);
    const TapeListing listing = list_tape(*model, batch, kStep);
    for (const TapeNode& node : listing.nodes) {
      const NodeCheck check = check_node(*model, batch, node.number, options, kStep);
      CAPTURE(node.number);
      CAPTURE(node.op);
      CHECK(check.op == node.op);
      CHECK(check.scope == node.scope);
      REQUIRE(check.inputs.size() == node.inputs.size());
      CHECK(check.inputs[0].shape == node.inputs[0].tensor.shape);
      testing::expect_right(check.check);
    }
    CHECK_THROWS_WITH(check_node(*model, batch, std::ssize(listing.nodes), options, kStep),
                      doctest::Contains("given"));
  }
}
