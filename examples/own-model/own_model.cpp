// A model of one's own: a GRU (Cho et al. 2014) that learns to add two numbers digit by digit, the last digits first,
// and to carry. It learns on numbers of 6 digits and is tested on longer ones.
//   r, z = sigmoid(W x + b + U h),  n = tanh(W x + b + r * (U h)),  h' = z * h + (1 - z) * n
#include <cstdlib>
#include <iostream>

#include "autograd/all_ops.h"
#include "autograd/gradient_check.h"
#include "autograd/tape.h"
#include "models/model_directory.h"
#include "nn/layers.h"
#include "train/adam.h"

using namespace kette;

/// Sums to compute. pairs and sums: for each digit, from the last on, a tensor of ids of all rows: 10 a + b, and the
/// digit of a + b.
struct Sums {
  std::vector<Tensor> pairs, sums;
};

Sums random_sums(Random& random, int rows, int digits) {
  Sums result;
  std::vector<std::int32_t> carry(rows, 0);
  for (int digit = 0; digit < digits; ++digit) {
    std::vector<std::int32_t> pair(rows), sum(rows);
    for (int i = 0; i < rows; ++i) {
      pair[i] = static_cast<std::int32_t>(random.below(100));
      const std::int32_t total = pair[i] / 10 + pair[i] % 10 + carry[i];
      sum[i] = total % 10;
      carry[i] = total / 10;
    }
    result.pairs.push_back(Tensor::from(pair));
    result.sums.push_back(Tensor::from(sum));
  }
  return result;
}

class Adder {
 public:
  explicit Adder(ParamStore& store, std::int64_t width = 32)
      : width_(width),
        embedding_(Scope(store) / "embedding", 100, width, 1.0),
        input_(Scope(store) / "input", width, 3 * width, {.stacked = 3}),
        state_(Scope(store) / "state", width, 3 * width, {.stacked = 3, .biased = false}),
        output_(Scope(store) / "output", width, 10) {}

  /// The state after each digit: [rows, width].
  std::vector<Variable> states(const Sums& batch) const {
    const Variable& any = output_.weight;  // the states have its dtype
    Variable h = Tensor::zeros({batch.pairs[0].elements(), width_}, any.value().dtype());
    std::vector<Variable> all;
    for (const Tensor& pair : batch.pairs) {
      const Variable x = input_(embedding_(pair)), u = state_(h);
      const Variable r = sigmoid(part(x, 0) + part(u, 0)), z = sigmoid(part(x, 1) + part(u, 1));
      const Variable n = tanh(part(x, 2) + r * part(u, 2));
      h = n + z * (h - n);
      all.push_back(h);
    }
    return all;
  }

  /// Cross entropy, its mean over rows and digits.
  Variable loss(const Sums& batch) const {
    const double count =
        static_cast<double>(batch.sums.size()) * static_cast<double>(batch.sums[0].elements());
    Variable total;
    const std::vector<Variable> all = states(batch);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Variable one = linear_cross_entropy(all[i], output_.weight, output_.bias, batch.sums[i],
                                                {.scale = 1 / count});
      total = i == 0 ? one : total + one;
    }
    return total;
  }

  /// The share of rows with every digit right.
  double right(const Sums& batch) const {
    const std::vector<Variable> all = states(batch);
    std::vector<bool> is_right(static_cast<std::size_t>(batch.sums[0].elements()), true);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto logits = output_(all[i]).value().values<float>();
      const auto expected = batch.sums[i].values<std::int32_t>();
      for (std::size_t row = 0; row < expected.size(); ++row) {
        const auto first = logits.begin() + static_cast<std::ptrdiff_t>(10 * row);
        if (std::max_element(first, first + 10) - first != expected[row]) is_right[row] = false;
      }
    }
    return static_cast<double>(std::count(is_right.begin(), is_right.end(), true)) /
           static_cast<double>(is_right.size());
  }

 private:
  Variable part(const Variable& gates, std::int64_t index) const {
    return columns(gates, index * width_, (index + 1) * width_);
  }

  std::int64_t width_;
  Embedding embedding_;
  Linear input_, state_, output_;
};

/// The gradient of each parameter against differences, in f64, on a smaller model.
bool gradients_are_right() {
  ParamStore store;
  const Adder adder(store, 4);
  store.materialize(1, DType::f64);
  Random random(2);
  const Sums batch = random_sums(random, 3, 4);
  bool ok = true;
  for (const auto& [name, check] :
       check_parameter_gradients([&] { return adder.loss(batch); }, store.leaves())) {
    std::cout << name << ": " << (check.ok() ? "the gradient is right\n" : check.str());
    ok = ok && check.ok();
  }
  return ok;
}

int main(int count, char** words) {
  const int steps = count > 1 ? std::atoi(words[1]) : 1000;
  if (!gradients_are_right()) return 1;

  ParamStore store;
  const Adder adder(store);
  store.materialize(1);
  Adam adam(store, {.epsilon = 1e-8});
  Random random(1);
  for (int step = 1; step <= steps; ++step) {
    const Sums batch = random_sums(random, 64, 6);
    Tape tape;
    const Variable loss = adder.loss(batch);
    store.clear_gradients();
    tape.backward(loss);
    adam.step(3e-3);
    if (step % 100 == 0 || step == steps)
      std::cout << "step " << step << "  loss " << loss.value().item() << '\n';
  }
  for (const int digits : {6, 20, 100}) {
    std::cout << "sums of " << digits
              << " digits: " << 100 * adder.right(random_sums(random, 500, digits)) << " % right\n";
  }
  if (count > 2) save_parameters(words[2], store, {});  // safetensors, which other tools open
}
