// Against the op that training uses. Its projection to the vocabulary is the identity here.
#include "smoothed_loss.h"

#include "autograd/ops/linear_cross_entropy.h"
#include "autograd/tape.h"
#include "check.h"

using namespace kette;

int main() {
  Check check("smoothed_loss");
  const std::vector<double> identity = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  const Variable weight = Tensor::from(identity, {4, 4});
  const std::vector<std::vector<double>> rows = {{0, 0, 0, 0}, {2, -1, 0.5, 3}, {800, 790, 0, 1}};
  for (const double smoothing : {0.0, 0.1}) {
    for (const std::vector<double>& logits : rows) {
      CrossEntropyOptions options;
      options.smoothing = smoothing;
      Tape tape;
      const Variable z = tape.watch(Tensor::from(logits, {1, 4}));
      const Variable loss =
          linear_cross_entropy(z, weight, {}, Tensor::from(std::vector<std::int32_t>{1}), options);
      tape.backward(loss);
      const std::vector<double> gradient = tape.gradient(z).values<double>();
      const LossOfToken came = smoothed_loss(logits, 1, smoothing);
      const std::string of = "logits from " + std::to_string(static_cast<int>(logits[0])) +
                             " on, smoothing " + std::to_string(smoothing).substr(0, 3) + ": ";
      check.near(of + "loss", loss.value().item(), came.loss);
      for (std::size_t j = 0; j < 4; ++j) {
        check.near(of + "gradient by logit " + std::to_string(j), gradient[j], came.gradient.at(j));
      }
    }
  }
  return check.end();
}
