// Small models with random weights and sources for the tests of decoding.
#pragma once

#include <doctest/doctest.h>
#include <omp.h>

#include <memory>

#include "autograd/ops/softmax.h"
#include "decode/translation_request.h"
#include "models/transformer.h"
#include "tensor/random.h"
#include "tests/vary_vectors.h"

namespace kette::testing {

using Ids = std::vector<std::int32_t>;

/// Widths that no vector length divides, so that a kernel that treats some rows otherwise is found
/// out.
inline TransformerConfig small_config(NormOrder norm = NormOrder::post) {
  TransformerConfig config;
  config.encoder_layers = 2;
  config.decoder_layers = 3;
  config.width = 40;
  config.hidden = 52;
  config.heads = 5;
  config.vocabulary = 611;
  config.max_length = 80;
  config.norm = norm;
  return config;
}

/// For many small steps: waking other threads for each would take longer than the steps do.
class OneThread {
 public:
  OneThread() { omp_set_num_threads(1); }
  ~OneThread() { omp_set_num_threads(before_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_ = omp_get_max_threads();
};

inline std::unique_ptr<Transformer> random_model(const TransformerConfig& config,
                                                 std::uint64_t seed = 1) {
  auto model = std::make_unique<Transformer>(config);
  model->materialize(seed);
  vary_vectors<float>(model->parameters(), seed);
  return model;
}

/// The sources, each with what its translation begins with.
inline std::vector<SourceIds> with_prefixes(const std::vector<Ids>& sources,
                                            const std::vector<Ids>& prefixes) {
  std::vector<SourceIds> all;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    all.push_back(
        {.ids = sources[i], .prefix = prefixes[i], .number = static_cast<std::int64_t>(i)});
  }
  return all;
}

/// The same model on another device.
template <class Model>
std::unique_ptr<Model> moved(const Model& model, Device device) {
  auto copy = std::make_unique<Model>(model.config());
  copy->allocate(DType::f32, device, Gradients::none);
  copy->parameters().values().copy_from(model.parameters().values());
  return copy;
}

inline std::vector<Ids> random_sentences(std::int64_t count, std::int64_t vocabulary,
                                         std::int64_t longest = 20, std::uint64_t seed = 3) {
  Random random(seed, 7);
  std::vector<Ids> sentences(static_cast<std::size_t>(count));
  for (Ids& sentence : sentences) {
    sentence.resize(static_cast<std::size_t>(1 + random.below(longest)));
    for (auto& id : sentence) {
      id = static_cast<std::int32_t>(4 + random.below(vocabulary - 4));
    }
  }
  return sentences;
}

/// source and target as the model reads them, marks included, on its packed path: [target,
/// vocabulary].
inline Tensor logits_of(const Transformer& model, const Ids& source, const Ids& target) {
  Run run;
  const Segments sources = Segments::from_lengths({static_cast<std::int64_t>(source.size())});
  const Segments targets = Segments::from_lengths({static_cast<std::int64_t>(target.size())});
  const Variable memory = model.encode(Tensor::from(source), PackedSequences(sources), run);
  return model
      .logits(model.decode(Tensor::from(target), PackedSequences(targets, memory, sources), run))
      .value();
}

/// log softmax of the logits after each of `inputs`, for a source without its end mark: [inputs,
/// vocabulary].
inline std::vector<float> full_log_probabilities(const Transformer& model, const Ids& source,
                                                 const Ids& inputs) {
  Ids ended = source;
  ended.push_back(3);
  return log_softmax(logits_of(model, ended, inputs)).value().values<float>();
}

/// Each token and every bit of the scores.
inline void check_same(const std::vector<Hypothesis>& a, const std::vector<Hypothesis>& b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t k = 0; k < a.size(); ++k) {
    REQUIRE(a[k].tokens == b[k].tokens);
    REQUIRE(a[k].log_probability == b[k].log_probability);  // every bit
    REQUIRE(a[k].score == b[k].score);
  }
}

}  // namespace kette::testing
