#include "inspect/lab/superposition.h"

#include <cmath>

#include "autograd/all_ops.h"
#include "autograd/tape.h"
#include "tensor/splitmix.h"
#include "train/optimizer.h"
#include "train/schedule.h"

namespace kette {
namespace {

/// [densities, batch, features].
Tensor draw_features(const SuperpositionSizes& sizes, std::uint64_t seed, std::int64_t step,
                     Device device) {
  const std::int64_t of_one = sizes.batch * sizes.features;
  std::vector<float> values;
  for (std::size_t i = 0; i < sizes.densities.size(); ++i) {
    for (std::int64_t k = 0; k < of_one; ++k) {
      const std::uint64_t key = hash_of(seed, step, i * static_cast<std::uint64_t>(of_one) + k);
      const bool present = unit_interval(key) < sizes.densities[i];
      values.push_back(present ? static_cast<float>(unit_interval(splitmix64(key))) : 0.0F);
    }
  }
  return Tensor::from(values, {std::ssize(sizes.densities), sizes.batch, sizes.features}, device);
}

}  // namespace

std::vector<DenseMatrix> train_superposition(const SuperpositionSizes& sizes, std::uint64_t seed,
                                             Device device,
                                             const std::function<void(double share)>& progress) {
  const std::int64_t models = std::ssize(sizes.densities), n = sizes.features;
  ParamStore store;
  const Variable w = store.parameter("directions", {models, n, sizes.dimensions},
                                     Init::xavier(n, sizes.dimensions));
  const Variable b = store.parameter("bias", {models, 1, n}, Init::constant(0));
  store.materialize(seed, DType::f32, device);
  std::vector<float> importance;
  for (std::int64_t i = 0; i < n; ++i) {
    importance.push_back(static_cast<float>(std::pow(sizes.fading, static_cast<double>(i))));
  }
  const Variable weights = Tensor::from(importance, device);
  const auto optimizer = make_optimizer(store, {.beta2 = 0.999, .epsilon = 1e-8});
  const ScheduleOptions schedule{
      .kind = ScheduleKind::cosine, .lr = sizes.lr, .warmup = 1, .total_steps = sizes.steps};
  for (std::int64_t step = 1; step <= sizes.steps; ++step) {
    store.clear_gradients();
    Tape tape;
    const Variable x = draw_features(sizes, seed, step, device);
    const Variable back = relu(matmul(matmul(x, w), w, false, true) + b);
    tape.backward(affine(sum(square(x - back) * weights), 1 / static_cast<double>(sizes.batch)));
    optimizer->step(learning_rate(schedule, step));
    if (step % 100 == 0) progress(static_cast<double>(step) / static_cast<double>(sizes.steps));
  }
  std::vector<DenseMatrix> trained;
  const std::vector<double> values = w.value().values<double>();
  for (std::int64_t i = 0; i < models; ++i) {
    DenseMatrix one(n, sizes.dimensions);
    const auto begin = values.begin() + i * n * sizes.dimensions;
    one.values.assign(begin, begin + n * sizes.dimensions);
    trained.push_back(std::move(one));
  }
  return trained;
}

std::vector<double> feature_dimensionalities(const DenseMatrix& w) {
  const DenseMatrix products = product(w, transposed(w));
  std::vector<double> result;
  for (std::int64_t i = 0; i < w.rows; ++i) {
    const double square = products(i, i);
    double sum = 0;
    for (std::int64_t j = 0; j < w.rows; ++j) sum += products(i, j) * products(i, j) / square;
    result.push_back(square < 0.5 ? 0 : square / sum);
  }
  return result;
}

}  // namespace kette
