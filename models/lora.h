// Low-rank adapters (Hu et al. 2021, "LoRA") on a trained model. Selected blocks of its weights
// become
//   W + alpha / rank * B A      A: [rank, in], B: [out, rank]
// and only A and B are trained. A starts random and B at 0, so training starts from the trained
// model (section 4.1). A and B are in a ParamStore of their own, below the path of their layer:
// layers/0/attention/query_key_value/lora_down (A) and .../lora_up (B).
#pragma once

#include <string>
#include <vector>

#include "models/model.h"

namespace kette {

struct LoraOptions {
  std::int64_t rank = 0;  ///< 0: no adapters
  /// 0: 2 * rank, after Biderman et al. 2024, "LoRA Learns Less and Forgets Less". With a multiple
  /// of the rank the learning rate need not change when the rank does.
  double alpha = 0;
  /// The adapted maps: query, key, value and output of every attention, inner and outer of the
  /// feed-forward layers, or all. The default, query and value, is that of Hu et al. 2021, section
  /// 7.1.
  std::vector<std::string> on = {"query", "value"};

  double scale() const { return alpha > 0 ? alpha / static_cast<double>(rank) : 2; }
  /// "query,value" -> the names. An unknown one is an Error that lists all.
  static std::vector<std::string> parse_names(const std::string& list);
  /// Throws an Error that names the setting that makes no sense.
  void check() const;
};

/// Whether a parameter of this name is one of adapters.
bool is_of_adapters(const std::string& name);

class LoraAdapters {
 public:
  /// Adds adapters to a model. It must be allocated and outlive this. materialize() or a file gives
  /// the adapters' values.
  LoraAdapters(Model& model, const LoraOptions& options);
  LoraAdapters(const LoraAdapters&) = delete;
  LoraAdapters& operator=(const LoraAdapters&) = delete;

  const LoraOptions& options() const { return options_; }
  ParamStore& parameters() { return store_; }
  const ParamStore& parameters() const { return store_; }
  /// In the dtype and on the device of the model.
  void allocate(Gradients gradients);
  void materialize(std::uint64_t seed);

  /// Adds scale * B A to the model's weights (in f32 if the model computes in bf16) and removes the
  /// adapters. An Error if a sum is not finite.
  void merge();

 private:
  /// parts: the blocks of rows of the map's weight, from the first row on.
  void add(Linear& map, const std::vector<MapPart>& parts);

  LoraOptions options_;
  ParamStore& base_;
  ParamStore store_;
  std::vector<Linear*> adapted_;
};

}  // namespace kette
