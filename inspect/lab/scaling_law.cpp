#include "inspect/lab/scaling_law.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

#include "tensor/error.h"
#include "tensor/random.h"

namespace kette {
namespace {

constexpr std::size_t kNumbers = 5;
/// Logarithms of E and, at the middle of the points, of A / N^alpha and B / D^beta; alpha, beta.
using Numbers = std::array<double, kNumbers>;

/// The least of a function near a start, without derivatives (Nelder and Mead 1965).
Numbers nelder_mead(const std::function<double(const Numbers&)>& cost, const Numbers& start) {
  using Vertex = std::pair<double, Numbers>;
  std::vector<Vertex> simplex{{cost(start), start}};
  for (std::size_t i = 0; i < kNumbers; ++i) {
    Numbers moved = start;
    moved[i] += 0.2;
    simplex.emplace_back(cost(moved), moved);
  }
  const auto lower = [](const Vertex& a, const Vertex& b) { return a.first < b.first; };
  for (int step = 0; step < 2000; ++step) {
    std::sort(simplex.begin(), simplex.end(), lower);
    Vertex& worst = simplex.back();
    if (worst.first - simplex.front().first < 1e-12) break;
    Numbers center{};
    for (std::size_t k = 0; k < kNumbers; ++k) {
      for (std::size_t i = 0; i < kNumbers; ++i) center[i] += simplex[k].second[i] / kNumbers;
    }
    const auto along = [&](double factor) {
      Numbers point;
      for (std::size_t i = 0; i < kNumbers; ++i) {
        point[i] = center[i] + factor * (worst.second[i] - center[i]);
      }
      return Vertex{cost(point), point};
    };
    const Vertex reflected = along(-1);
    if (reflected.first < simplex.front().first) {
      worst = std::min(along(-2), reflected, lower);
    } else if (reflected.first < simplex[kNumbers - 1].first) {
      worst = reflected;
    } else {
      const Vertex contracted = along(reflected.first < worst.first ? -0.5 : 0.5);
      if (contracted.first < std::min(worst.first, reflected.first)) {
        worst = contracted;
        continue;
      }
      const Numbers best = simplex.front().second;
      for (std::size_t k = 1; k <= kNumbers; ++k) {
        for (std::size_t i = 0; i < kNumbers; ++i) {
          simplex[k].second[i] = (simplex[k].second[i] + best[i]) / 2;
        }
        simplex[k].first = cost(simplex[k].second);
      }
    }
  }
  return std::min_element(simplex.begin(), simplex.end(), lower)->second;
}

double mean_log(std::span<const ScalingPoint> points, double ScalingPoint::*number) {
  double sum = 0;
  for (const ScalingPoint& point : points) sum += std::log(point.*number);
  return sum / static_cast<double>(points.size());
}

double huber(double x) {
  constexpr double kDelta = 1e-3;
  return std::abs(x) < kDelta ? x * x / 2 : kDelta * (std::abs(x) - kDelta / 2);
}

ScalingInterval middle_90_percent(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double share) {
    return values[static_cast<std::size_t>(
        std::lround(share * static_cast<double>(values.size() - 1)))];
  };
  return {at(0.05), at(0.95)};
}

}  // namespace

double ScalingLaw::operator()(double parameters, double tokens) const {
  return floor + size_factor / std::pow(parameters, alpha) + data_factor / std::pow(tokens, beta);
}

double ScalingLaw::best_parameters(double operations) const {
  const double factor = std::pow(alpha * size_factor / (beta * data_factor), 1 / (alpha + beta));
  return factor * std::pow(operations / kOperationsPerParameterAndToken, size_exponent());
}

double ScalingLaw::best_loss(double operations) const {
  const double parameters = best_parameters(operations);
  return (*this)(parameters, operations / kOperationsPerParameterAndToken / parameters);
}

ScalingLaw fit_scaling_law(std::span<const ScalingPoint> points) {
  KETTE_CHECK(points.size() >= kNumbers, "scaling law: expected at least ", kNumbers,
              " points, given ", points.size());
  const double size = mean_log(points, &ScalingPoint::parameters),
               data = mean_log(points, &ScalingPoint::tokens);
  const auto law_of = [&](const Numbers& n) {
    return ScalingLaw{std::exp(n[0]), std::exp(n[1] + n[3] * size), n[3],
                      std::exp(n[2] + n[4] * data), n[4]};
  };
  const auto cost = [&](const Numbers& numbers) {
    const ScalingLaw law = law_of(numbers);
    double sum = 0;
    for (const ScalingPoint& point : points) {
      sum += huber(std::log(point.loss) - std::log(law(point.parameters, point.tokens)));
    }
    return std::isfinite(sum) ? 1e3 * sum : HUGE_VAL;
  };
  const double least =
      std::min_element(points.begin(), points.end(), [](const auto& a, const auto& b) {
        return a.loss < b.loss;
      })->loss;
  Numbers best{};
  double best_cost = HUGE_VAL;
  for (const double floor : {0.5, 0.9}) {
    for (const double exponent_n : {0.3, 0.8}) {
      for (const double exponent_d : {0.3, 0.8}) {
        const double rest = std::log(least * (1 - floor) / 2 + 1e-3);
        Numbers found =
            nelder_mead(cost, {std::log(floor * least), rest, rest, exponent_n, exponent_d});
        found = nelder_mead(cost, found);  // a new simplex, where the old one has collapsed
        if (cost(found) < best_cost) {
          best_cost = cost(found);
          best = found;
        }
      }
    }
  }
  return law_of(best);
}

ScalingInterval ScalingBootstrap::prediction(double parameters, double tokens) const {
  std::vector<double> values;
  for (const ScalingLaw& law : laws) {
    for (const double error : errors) values.push_back(law(parameters, tokens) * std::exp(error));
  }
  return middle_90_percent(std::move(values));
}

ScalingInterval ScalingBootstrap::of(const std::function<double(const ScalingLaw&)>& number) const {
  std::vector<double> values;
  for (const ScalingLaw& law : laws) values.push_back(number(law));
  return middle_90_percent(std::move(values));
}

ScalingBootstrap bootstrap_scaling_law(std::span<const ScalingPoint> points, const ScalingLaw& law,
                                       std::int64_t times, std::uint64_t seed) {
  ScalingBootstrap result;
  for (const ScalingPoint& point : points) {
    result.errors.push_back(std::log(point.loss / law(point.parameters, point.tokens)));
  }
  Random random(seed);
  for (std::int64_t i = 0; i < times; ++i) {
    std::vector<ScalingPoint> drawn;
    for (std::size_t k = 0; k < points.size(); ++k) {
      drawn.push_back(points[random.below(std::ssize(points))]);
    }
    result.laws.push_back(fit_scaling_law(drawn));
  }
  return result;
}

}  // namespace kette
