#include "inspect/lab/power_iteration.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "autograd/hessian.h"
#include "tensor/random.h"

namespace kette {
namespace {

double inner(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

double norm(const std::vector<double>& a) { return std::sqrt(inner(a, a)); }

}  // namespace

SymmetricProduct hessian_product(std::function<Variable()> loss,
                                 const std::vector<std::shared_ptr<Leaf>>& leaves) {
  return [loss = std::move(loss), &leaves](const std::vector<double>& v) {
    std::vector<Tensor> directions;
    auto at = v.begin();
    for (const auto& leaf : leaves) {
      const Tensor& x = leaf->value;
      directions.push_back(
          Tensor::from(std::vector<double>(at, at + x.elements()), x.shape(), x.device()));
      at += x.elements();
    }
    std::vector<double> result;
    result.reserve(v.size());
    for (const Tensor& product : hessian_vector_product(loss, leaves, directions)) {
      const std::vector<double> values = product.values<double>();
      result.insert(result.end(), values.begin(), values.end());
    }
    return result;
  };
}

PowerIteration::PowerIteration(std::int64_t elements, const PowerIterationOptions& options)
    : options_(options), v_(static_cast<std::size_t>(elements)) {
  KETTE_CHECK(elements > 0, "power iteration: expected at least one element, given ", elements);
  mix(1);
}

void PowerIteration::mix(double share) {
  Random random(options_.seed, drawn_++);
  std::vector<double> drawn(v_.size());
  for (double& element : drawn) element = random.normal();
  const double length = norm(drawn);
  for (std::size_t i = 0; i < v_.size(); ++i) v_[i] += share * (drawn[i] / length - v_[i]);
  const double mixed = norm(v_);
  for (double& element : v_) element /= mixed;
}

EigenvalueEstimate PowerIteration::run(const SymmetricProduct& product) {
  // An eigenvalue that has overtaken the one of before would stay unseen if nothing of its vector were there.
  if (ran_) mix(0.1);
  ran_ = true;
  EigenvalueEstimate found;
  double before = NAN;
  while (found.products < options_.most_products) {
    std::vector<double> next = product(v_);
    ++found.products;
    KETTE_CHECK(next.size() == v_.size(), "power iteration: expected a product of ", v_.size(),
                " elements, given ", next.size());
    found.value = inner(v_, next);
    const double length = norm(next);
    KETTE_CHECK(std::isfinite(length), "power iteration: expected finite products, given ", length);
    double squares = 0;
    for (std::size_t i = 0; i < v_.size(); ++i) {
      squares += std::pow(next[i] - found.value * v_[i], 2);
    }
    found.residual = std::sqrt(squares);
    const double magnitude = std::max(length, found.shift);
    const bool stays = std::abs(found.value - before) <= options_.tolerance * magnitude;
    // Of estimates that stay, the residual is larger only where a negative eigenvalue is nearly the largest in
    // magnitude: the two outermost then share the vector, and the estimate rests between them.
    const bool is_near = found.residual <= 2 * std::sqrt(options_.tolerance) * magnitude;
    before = found.value;
    if (stays && (found.value + found.shift < 0 || !is_near)) {
      found.shift += length;
      mix(1);  // the shift makes next to nothing of the vector that has been found
      before = NAN;
      continue;
    }
    for (std::size_t i = 0; i < v_.size(); ++i) next[i] += found.shift * v_[i];
    const double shifted = norm(next);
    found.settled = stays || shifted == 0;
    if (found.settled) break;
    for (std::size_t i = 0; i < v_.size(); ++i) v_[i] = next[i] / shifted;
  }
  return found;
}

}  // namespace kette
