// Looks into a pass of a translation model and changes it: where the heads look, and what a translation's loss is
// with each head switched off.
//   tap MODEL SOURCE TRANSLATION
#include "nn/tap.h"

#include <algorithm>
#include <cstdio>
#include <iostream>

#include "inspect/activations.h"
#include "models/model_directory.h"

using namespace kette;

/// Puts zeros in the place of what one head gives, of so many.
class WithoutHead final : public Tap {
 public:
  WithoutHead(std::string attention, std::int64_t head, std::int64_t heads)
      : point_(std::move(attention) + "/heads"), head_(head), heads_(heads) {}

  bool wants(const std::string& point) const override { return point == point_; }
  Variable at(const std::string&, const Variable& value) override {
    const Tensor changed = value.value().clone();  // [rows, heads * width], the heads side by side
    const std::int64_t width = changed.width() / heads_;
    float* values = changed.data<float>() + head_ * width;
    for (std::int64_t row = 0; row < changed.rows(); ++row) {
      std::fill_n(values + row * changed.width(), width, 0.0f);
    }
    return changed;  // with which the pass goes on
  }

 private:
  std::string point_;
  std::int64_t head_, heads_;
};

int main(int count, char** words) {
  if (count != 4) {
    std::cerr << "usage: tap MODEL SOURCE TRANSLATION\n";
    return 2;
  }
  const SavedModel<Transformer> saved = load_model<Transformer>(words[1]);
  const Transformer& model = *saved.model;
  const Tokenizer& tokenizer = *saved.tokenizer;
  const Batch batch =
      one_sentence(model, tokenizer.encode(words[2]), tokenizer.encode(words[3], Side::target));

  // Look: the attention of the last layer, whose mean over heads says which source token each target token is of.
  const std::string last =
      "decoder/" + std::to_string(model.config().decoder_layers - 1) + "/cross_attention";
  Activations seen([&](const std::string& point) { return point == last + "/probabilities"; });
  Run looking(&seen);
  model.logits(batch, looking);
  const Tensor probabilities = seen[last + "/probabilities"];  // [rows, heads, keys]
  const auto values = probabilities.values<float>();
  const std::int64_t heads = probabilities.shape()[1];  // kette heads --prune leaves some the fewer
  const std::size_t keys = batch.source.size(), looks = static_cast<std::size_t>(heads) * keys;
  for (std::size_t row = 0; row < batch.target_out.size(); ++row) {
    std::vector<double> sum(keys, 0);
    for (std::size_t i = 0; i < looks; ++i) sum[i % keys] += values[row * looks + i];
    const auto most =
        static_cast<std::size_t>(std::max_element(sum.begin(), sum.end()) - sum.begin());
    std::printf("%-12s looks at %-12s %3.0f %%\n", tokenizer.piece(batch.target_out[row]).c_str(),
                tokenizer.source_piece(batch.source[most]).c_str(),
                100 * sum[most] / static_cast<double>(heads));
  }

  // Change: the loss a token without each head of that attention.
  const auto loss = [&](Tap* tap) {
    Run run(tap);
    return model.loss(batch, {.scale = 1.0 / static_cast<double>(batch.target_out.size())}, run)
        .value()
        .item();
  };
  std::printf("loss %.4f\n", loss(nullptr));
  for (std::int64_t head = 0; head < heads; ++head) {
    WithoutHead without(last, head, heads);
    std::printf("loss %.4f without head %d of %s\n", loss(&without), static_cast<int>(head),
                last.c_str());
  }
}
