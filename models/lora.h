// Low-rank adapters (Hu et al. 2021, "LoRA") on a trained model: chosen blocks of its weights become
//   W + alpha / rank * B A      A: [rank, in], B: [out, rank]
// and only A and B are trained. A starts random and B at 0, so that training starts from the model
// as it is (section 4.1). They lie in a store of their own, by the path of the layer they sit on:
// layers/0/attention/query_key_value/lora_down (A) and .../lora_up (B).
#pragma once

#include <string>
#include <vector>

#include "models/model.h"

namespace kette {

struct LoraOptions {
  std::int64_t rank = 0;  ///< 0: no adapters
  /// 0: 2 * rank, after Biderman et al. 2024, "LoRA Learns Less and Forgets Less". As a multiple of
  /// the rank it lets the learning rate stay when that changes.
  double alpha = 0;
  /// Which maps: query, key, value and output of every attention, inner and outer of the
  /// feed-forward layers, or all. Query and value: Hu et al. 2021, section 7.1.
  std::vector<std::string> on = {"query", "value"};

  double scale() const { return alpha > 0 ? alpha / static_cast<double>(rank) : 2; }
  /// "query,value" -> the names; an unknown one is an Error that lists them.
  static std::vector<std::string> parse_names(const std::string& list);
  /// Throws an Error that names the setting that makes no sense.
  void check() const;
};

class LoraAdapters {
 public:
  /// Puts adapters on a model that has its values, or room for them, and outlives this; the
  /// adapters' own come with materialize().
  LoraAdapters(Model& model, const LoraOptions& options);
  LoraAdapters(const LoraAdapters&) = delete;
  LoraAdapters& operator=(const LoraAdapters&) = delete;

  const LoraOptions& options() const { return options_; }
  ParamStore& parameters() { return store_; }
  const ParamStore& parameters() const { return store_; }
  /// In the dtype and on the device of the model.
  void allocate(Gradients gradients);
  void materialize(std::uint64_t seed);

  /// Adds the products to the model's weights, in f32 where it computes in bf16, and takes the
  /// adapters off. Throws if a sum is not finite, as that of finite values may be.
  void merge();

 private:
  /// parts: the blocks of rows of the map's weight, from the top.
  void add(Linear& map, const std::vector<MapPart>& parts);

  LoraOptions options_;
  ParamStore& base_;
  ParamStore store_;
  std::vector<Linear*> adapted_;
};

}  // namespace kette
