// The drawing of a small tape.
#include <doctest/doctest.h>

#include "autograd/all_ops.h"
#include "inspect/steps/tape_graph.h"
#include "tests/support.h"

using namespace kette;
using testing::contains;
using testing::count_of;

TEST_CASE("a small tape is drawn with values, and after backward with gradients") {
  const Variable w = parameter(Tensor::full({}, 3.0, DType::f64), "w<1>");
  Tape tape;
  TapeGraph graph(tape);
  CHECK(graph.svg().empty());
  const OpObservation observation(&graph);
  const Variable y = square(w) * Variable(Tensor::full({}, 2.0, DType::f64));
  const std::string before = graph.svg();
  CHECK(before.starts_with("<svg "));
  CHECK(count_of(before, "<rect ") == 4);  // w, its square, 2, the product
  CHECK(count_of(before, "<path ") == 3);
  CHECK(contains(before, ">w&lt;1&gt;<"));
  CHECK(contains(before, ">18<"));
  CHECK_FALSE(contains(before, "∇"));
  tape.backward(y);
  const std::string after = graph.svg();
  CHECK(contains(after, "∇ 12<"));  // of w
  CHECK(contains(after, "∇ 2<"));   // of its square
  CHECK(contains(after, "∇ 1<"));   // of the product
}

TEST_CASE("an input stands left of all that reads it, also where that is in the first column") {
  const Variable w = parameter(Tensor::full({}, 0.5, DType::f64), "w"),
                 x = parameter(Tensor::full({}, 2.0, DType::f64), "x");
  Tape tape;
  TapeGraph graph(tape);
  const OpObservation observation(&graph);
  const Variable late = exp(exp(exp(w))) * x, early = exp(x);
  const Variable y = late + early;
  const std::string svg = graph.svg();
  CHECK(contains(svg, "<title>w f64 []</title><rect x='8'"));
  CHECK(contains(svg, "<title>x f64 []</title><rect x='8'"));
}

TEST_CASE("a large tape is not drawn, and other tapes are left out") {
  const Variable w = parameter(Tensor::full({2, 3}, 3.0, DType::f64), "w");
  Tape tape;
  TapeGraph graph(tape);
  const OpObservation observation(&graph);
  Variable y = exp(w);
  {
    Tape other;
    exp(w);
  }
  CHECK(count_of(graph.svg(), "<rect ") == 2);
  CHECK(contains(graph.svg(), ">f64 [2, 3]<"));
  for (std::int64_t i = 0; i < TapeGraph::kMostOps; ++i) y = y + w;
  CHECK_FALSE(graph.is_whole());
  CHECK(graph.svg().empty());
  tape.backward(sum(y));
}
