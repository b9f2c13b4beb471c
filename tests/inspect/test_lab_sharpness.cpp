// Power iteration: on matrices whose eigenvalues are known, and on a model's Hessian beside LAPACK; sharpness along
// gradient descent.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "autograd/ops/elementwise.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/reduce.h"
#include "inspect/lab/power_iteration.h"
#include "inspect/lab/sharpness.h"
#include "inspect/linear_algebra.h"
#include "models/gpt.h"
#include "tensor/random.h"
#include "tests/cli/call_kette.h"
#include "tests/devices.h"
#include "tests/inspect/browser.h"
#include "tests/inspect/inspected_models.h"

using namespace kette;
using namespace kette::testing;

namespace {

/// Q diag(values) Q^T, where Q is a reflection.
DenseMatrix with_eigenvalues(const std::vector<double>& values) {
  const std::int64_t n = std::ssize(values);
  Random random(11);
  std::vector<double> u;
  double squares = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    u.push_back(random.normal());
    squares += u.back() * u.back();
  }
  DenseMatrix q(n, n), diagonal(n, n);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) q(i, j) = (i == j ? 1 : 0) - 2 * u[i] * u[j] / squares;
    diagonal(i, i) = values[i];
  }
  return product(product(q, diagonal), q);
}

/// The Hessian's products of 1/2 w^T A w, by a tape.
class Quadratic {
 public:
  Quadratic(const DenseMatrix& a, Device device)
      : a_(Tensor::from(a.values, {a.rows, a.columns}, device)),
        w_(parameter(Tensor::full({1, a.rows}, 0.5, DType::f64, device), "w")),
        leaves_{w_.leaf()} {}
  SymmetricProduct hessian() const {
    return hessian_product([this] { return affine(sum(matmul(w_, Variable(a_)) * w_), 0.5); },
                           leaves_);
  }

 private:
  Tensor a_;
  Variable w_;
  std::vector<std::shared_ptr<Leaf>> leaves_;
};

}  // namespace

TEST_CASE(
    "lab sharpness: the largest eigenvalue of a quadratic, also where a negative one is larger") {
  const std::vector<std::pair<std::vector<double>, double>>
      known = {{{3, 1, 0.5, -0.2}, 3},
               {{7, 6.9, 2, -1, 0}, 7},
               {{2, 1, 0.3, -5}, 2},   // the negative one dominates
               {{4, 1, -4, 0}, 4},     // neither does
               {{4, 1, -3.99, 0}, 4},  // nearly so, either way
               {{4, 1, -4.01, 0}, 4},
               {{-1, -2, -6}, -1},
               {{-2, -2, -2}, -2},
               {{5}, 5},
               {{-5}, -5},
               {{0, 0, 0}, 0}};
  for (const Device device : test_devices()) {
    CAPTURE(device.str());
    for (const auto& pair : known) {
      const std::vector<double>& values = pair.first;
      const double largest = pair.second;
      CAPTURE(largest);
      const Quadratic quadratic(with_eigenvalues(values), device);
      PowerIteration iteration(std::ssize(values), {.tolerance = 1e-8, .most_products = 20000});
      const EigenvalueEstimate found = iteration.run(quadratic.hessian());
      CHECK(found.settled);
      CHECK(std::abs(found.value - largest) < 1e-4);
      CHECK(found.residual < 1e-2);
      const double least = *std::min_element(values.begin(), values.end());
      if (least <= -largest) CHECK((found.shift > 0) == (largest != 0));
      if (least > -largest / 2) CHECK(found.shift == 0);
    }
  }
}

TEST_CASE("lab sharpness: power iteration goes on from where it was, and sees what has overtaken") {
  const Quadratic before(with_eigenvalues({5, 1, 0.1, 0.2}), {});
  PowerIteration iteration(4, {.tolerance = 1e-8});
  const std::int64_t cold = iteration.run(before.hessian()).products;
  const Quadratic near(with_eigenvalues({5.01, 1, 0.1, 0.2}), {});
  const EigenvalueEstimate warm = iteration.run(near.hessian());
  CHECK(warm.value == doctest::Approx(5.01));
  CHECK(warm.products <= cold);
  const Quadratic after(with_eigenvalues({5, 9, 0.1, 0.2}), {});
  CHECK(iteration.run(after.hessian()).value == doctest::Approx(9));
  double squares = 0;
  for (const double element : iteration.eigenvector()) squares += element * element;
  CHECK(squares == doctest::Approx(1));
}

TEST_CASE("lab sharpness: power iteration says that it has not settled, and what it cannot use") {
  const Quadratic quadratic(with_eigenvalues({5, 4.99, 1, 0}), {});
  const EigenvalueEstimate found =
      PowerIteration(4, {.tolerance = 1e-12, .most_products = 3}).run(quadratic.hessian());
  CHECK_FALSE(found.settled);
  CHECK(found.products == 3);
  CHECK_THROWS_WITH(PowerIteration(0), "power iteration: expected at least one element, given 0");
  CHECK_THROWS_WITH(PowerIteration(2).run([](const auto&) { return std::vector<double>(3, 1); }),
                    "power iteration: expected a product of 2 elements, given 3");
  const auto infinite = [](const auto&) {
    return std::vector<double>(2, std::numeric_limits<double>::infinity());
  };
  CHECK_THROWS_WITH(PowerIteration(2).run(infinite),
                    "power iteration: expected finite products, given inf");
}

TEST_CASE("lab sharpness: of a model's Hessian it finds what LAPACK finds") {
  GptConfig config = small_gpt();
  config.layers = 1;
  config.width = 4;
  config.hidden = 8;
  config.heads = 2;
  config.vocabulary = 7;
  config.context = 6;
  config.dropout = config.attention_dropout = 0;
  Gpt model(config);
  model.materialize(3, DType::f64);
  vary_vectors<double>(model.parameters(), 5);
  const Batch batch = one_sentence(model, {}, std::vector<std::int32_t>{3, 5, 2, 5, 1});
  const auto loss = [&] {
    Run run;
    return model.loss(batch, {.scale = 0.2}, run);
  };
  const SymmetricProduct hessian = hessian_product(loss, model.parameters().leaves());
  const std::int64_t n = model.parameters().elements();
  DenseMatrix dense(n, n);
  for (std::int64_t column = 0; column < n; ++column) {
    std::vector<double> unit(static_cast<std::size_t>(n));
    unit[column] = 1;
    const std::vector<double> along = hessian(unit);
    for (std::int64_t row = 0; row < n; ++row) dense(row, column) = along[row];
  }
  double asymmetry = 0, largest = -std::numeric_limits<double>::infinity();
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < i; ++j) {
      asymmetry = std::max(asymmetry, std::abs(dense(i, j) - dense(j, i)));
    }
  }
  CHECK(asymmetry < 1e-12);
  for (const std::complex<double>& value : eigenvalues(dense)) {
    largest = std::max(largest, value.real());
  }
  PowerIteration iteration(n, {.tolerance = 1e-9, .most_products = 2000});
  const EigenvalueEstimate found = iteration.run(hessian);
  CHECK(found.settled);
  CHECK(found.value == doctest::Approx(largest).epsilon(1e-5));
}

TEST_CASE(
    "lab sharpness: gradient descent ends near 2 / eta, whichever way curvature is measured") {
  const OneThread one;
  const SharpnessSizes sizes{
      .width = 8, .windows = 8, .context = 8, .steps = 800, .every = 20, .early_steps = 0};
  for (const double step_size : {0.1, 0.05}) {
    CAPTURE(step_size);
    const SharpnessRun run = measure_sharpness(sizes, step_size, 1, {}, [](double) {});
    CHECK(run.edge() == doctest::Approx(2 / step_size));
    REQUIRE(run.losses.size() == 801);
    REQUIRE(run.steps.size() == 41);
    CHECK(run.reached() >= 0);
    CHECK(run.late_share() > 0.7);  // it goes up and down, on each processor otherwise
    CHECK(run.late_share() < 1.5);
    CHECK(run.losses.back() < 0.5 * run.losses.front());
    CHECK(run.by_product == doctest::Approx(run.by_difference).epsilon(1e-6));
    for (const EigenvalueEstimate& found : run.sharpness) {
      CHECK(found.settled);
      CHECK(found.residual < 0.03 * std::abs(found.value));
    }
  }
}

TEST_CASE("lab sharpness: what a run says of its curve") {
  SharpnessRun run;
  run.step_size = 0.5;
  run.steps = {0, 10, 20, 30};
  for (const double value : {1.0, 4.5, 3.0, 5.0}) run.sharpness.push_back({.value = value});
  CHECK(run.edge() == 4);
  CHECK(run.reached() == 10);
  CHECK(run.late_share() == 1);
  CHECK(run.share_since_reached() == doctest::Approx(12.5 / 3 / 4));
  run.step_size = 0.1;
  CHECK(run.reached() == -1);
  CHECK(std::isnan(run.share_since_reached()));
  CHECK_THROWS_WITH(
      measure_sharpness({.width = 8, .windows = 2, .context = 4, .steps = 50, .every = 50}, 1e150,
                        1, {}, [](double) {}),
      doctest::Contains("(a smaller step size does not diverge)"));
}

TEST_CASE("lab sharpness: in a browser its page draws three charts and a table") {
  KETTE_NEEDS_BROWSER();
  const ScratchFolder folder;
  REQUIRE(call_kette({"lab", "sharpness", "--quick", "--threads", "1", "--out",
                      (folder / "page.html").string()})
              .code == 0);
  const Opened opened = open_page(read_file(folder / "page.html"), R"(
      const drawn = [...document.querySelectorAll('.plot')].filter((plot) => plot.querySelector('canvas')).length;
      const rows = [...document.querySelectorAll('table')].map((table) => table.querySelectorAll('tbody tr').length);
      document.body.prepend(element('output', { textContent: [drawn, ...rows].join(' ; ') }));)");
  CHECK(opened.console == "");
  CHECK(contains(opened.document, "<output>3 ; 6 ; 3</output>"));
}
