#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "autograd/gradient_check.h"
#include "nn/layers.h"
#include "train/adam.h"
#include "train/run_length.h"
#include "train/schedule.h"

using namespace kette;

TEST_CASE("Adam follows Algorithm 1 of Kingma and Ba, matrices decayed and vectors not") {
  ParamStore store;
  const Scope root(store);
  const Variable matrix = root.parameter("matrix", {2, 3}, Init::normal(1));
  const Variable vector = root.parameter("vector", {3}, Init::normal(1));
  store.materialize(1, DType::f64);
  const AdamOptions options{0.9, 0.98, 1e-9, 0.1};
  Adam adam(store, options);
  struct Element {
    double value, m = 0, v = 0;
  };
  const auto start = [](const Variable& v) {
    std::vector<Element> elements;
    for (const double value : v.value().values<double>()) elements.push_back({value});
    return elements;
  };
  std::vector<Element> matrix_expected = start(matrix), vector_expected = start(vector);
  for (int t = 1; t <= 5; ++t) {
    const bool is_short = t % 2 == 0;  // a gradient that is not clipped
    const double lr = 0.01 * t, scale = is_short ? 1 : 0.5;
    const auto advance = [&](const Variable& parameter, std::vector<Element>& expected,
                             double decay) {
      double* gradient = parameter.leaf()->gradient.data<double>();
      for (std::size_t i = 0; i < expected.size(); ++i) {
        gradient[i] = std::sin(double(t) + double(i));
        const double g = scale * gradient[i];
        Element& e = expected[i];
        e.m = 0.9 * e.m + 0.1 * g;
        e.v = 0.98 * e.v + 0.02 * g * g;
        const double m_hat = e.m / (1 - std::pow(0.9, t)), v_hat = e.v / (1 - std::pow(0.98, t));
        e.value -= lr * (m_hat / (std::sqrt(v_hat) + 1e-9) + decay * e.value);
      }
    };
    advance(matrix, matrix_expected, 0.1);
    advance(vector, vector_expected, 0);
    adam.step(lr, Tensor::full({1}, 16.0, DType::f64), is_short ? 8 : 2);  // a norm of 4
  }
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(matrix.value().values<double>()[i] ==
          doctest::Approx(matrix_expected[i].value).epsilon(1e-12));
  }
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(vector.value().values<double>()[i] ==
          doctest::Approx(vector_expected[i].value).epsilon(1e-12));
  }
}

TEST_CASE("the Noam schedule is equation (3): peak 7.0e-4 for base, 4.9e-4 for big") {
  ScheduleOptions noam{ScheduleKind::noam, 1, 4000, 512, 0};
  CHECK(learning_rate(noam, 4000) == doctest::Approx(7.0e-4).epsilon(0.01).scale(0));
  CHECK(learning_rate(noam, 2000) ==
        doctest::Approx(std::pow(512, -0.5) * 2000 * std::pow(4000, -1.5)));
  CHECK(learning_rate(noam, 16000) == doctest::Approx(std::pow(512, -0.5) / std::sqrt(16000.0)));
  noam.width = 1024;
  CHECK(learning_rate(noam, 4000) == doctest::Approx(4.9e-4).epsilon(0.01).scale(0));
  CHECK_THROWS_AS(learning_rate(noam, 0), Error);
}

TEST_CASE("the cosine ends when the time of a run does, whatever a step takes") {
  TrainOptions options;
  options.schedule = {ScheduleKind::cosine, 1e-3, 4, 0, 0};
  options.minutes = 0.5;
  for (const double seconds : {0.01, 0.25, 2.0}) {
    CAPTURE(seconds);
    RunStanding at;
    std::vector<double> rates;
    while (!is_over(options, at)) {
      rates.push_back(next_learning_rate(options, at, 16));
      ++at.step;
      at.seconds += seconds;
      at.seconds_per_step = seconds;
    }
    CHECK(static_cast<double>(rates.size()) * seconds == doctest::Approx(30).epsilon(0.01));
    CHECK(rates[3] == doctest::Approx(1e-3));
    CHECK(rates.back() < 1.1e-4);
    CHECK(std::is_sorted(rates.begin() + 3, rates.end(), std::greater<>()));
  }
}

TEST_CASE("the other schedules rise over the warm-up and fall as named") {
  const ScheduleOptions sqrt_decay{ScheduleKind::inverse_sqrt, 5e-3, 100, 0, 0};
  CHECK(learning_rate(sqrt_decay, 50) == doctest::Approx(2.5e-3));
  CHECK(learning_rate(sqrt_decay, 400) == doctest::Approx(2.5e-3));
  const ScheduleOptions cosine{ScheduleKind::cosine, 1e-3, 10, 0, 110};
  CHECK(learning_rate(cosine, 10) == doctest::Approx(1e-3));
  CHECK(learning_rate(cosine, 60) == doctest::Approx(5.5e-4));
  CHECK(learning_rate(cosine, 110) == doctest::Approx(1e-4));
  CHECK(learning_rate(cosine, 500) == doctest::Approx(1e-4));
  const ScheduleOptions constant{ScheduleKind::constant, 1e-3, 10, 0, 0};
  CHECK(learning_rate(constant, 5) == doctest::Approx(5e-4));
  CHECK(learning_rate(constant, 5000) == doctest::Approx(1e-3));
  CHECK_THROWS_AS(enum_named<ScheduleKind>("linear"), Error);
}
