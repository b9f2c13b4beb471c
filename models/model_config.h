// The sizes and settings of a model, and its family. With these config.json, command lines,
// summaries and gradient checks serve all models without naming one.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "data/corpora/batch.h"
#include "models/model_summary.h"
#include "models/size_limits.h"
#include "nn/head_shape.h"
#include "tensor/enum_names.h"
#include "tensor/suggestion.h"

namespace kette {

class Model;
class Tokenizer;
struct ModelConfig;

/// A setting as config.json and command lines show it. It points into its configuration.
struct Field {
  /// The name of an enumeration's value.
  struct Choice {
    std::vector<std::string> names;
    std::function<std::string()> get;
    std::function<void(const std::string&)> set;  ///< an unknown name is an Error
  };
  using Numbers = std::vector<std::int64_t>;
  using Value = std::variant<std::int64_t*, std::int32_t*, double*, bool*, Numbers*, Choice>;

  std::string key;  ///< in config.json
  Value value;
  std::string option{};      ///< of command lines, such as "--norm"; empty: none
  std::string help{};        ///< of that option
  std::int64_t minimum = 1;  ///< the smallest whole number that the option accepts
  bool optional = false;     ///< older files lack it, and mean the default
  std::string former_key{};  ///< the key in older files

  template <class Enum>
  static Choice choice(Enum& value) {
    return {all_names<Enum>(), [&value] { return enum_name(value); },
            [&value](const std::string& name) { value = enum_named<Enum>(name); }};
  }
};

/// A kind of model: its names, and its configurations.
struct Family {
  std::string name;     ///< on command lines; in config.json with the prefix "kette-"
  std::string what;     ///< for error texts: "translation model"
  std::string options;  ///< the title of its options in --help
  std::string use;      ///< for error texts: "kette translate is for those"
  std::vector<std::string> presets;
  /// The default configuration, or a preset.
  std::function<std::unique_ptr<ModelConfig>(const std::string& preset)> config;
  /// Small models for gradient checks in all variants, each with a label.
  std::vector<std::pair<std::string, std::shared_ptr<const ModelConfig>>> small_models;

  std::string architecture() const { return "kette-" + name; }
};

/// The size of a text's keys and values, or of its state.
struct CacheSize {
  std::int64_t tokens = 0, bytes = 0;
  bool is_state = false;  ///< the size does not depend on the number of tokens
};

/// Settings of all families. Table 3 of Vaswani et al. 2017 calls them d_model, d_ff, h and P_drop.
struct ModelConfig {
  std::int64_t width = 512, hidden = 2048, heads = 8;
  /// d_k; 0: d_v, which is width / heads. See rows (B) of Table 3.
  std::int64_t key_width = 0;
  std::int64_t vocabulary = 37000;  ///< source and target tokens together
  double dropout = 0.1;             ///< on sub-layer outputs and on embeddings
  double attention_dropout = 0;
  /// The heads of each attention after pruning: encoder layers, then decoder layers, then their
  /// cross-attentions. Empty: all have `heads`.
  std::vector<std::int64_t> heads_left;

  virtual ~ModelConfig() = default;

  virtual const Family& family() const = 0;
  virtual std::unique_ptr<ModelConfig> clone() const = 0;
  /// A model whose parameters have no values yet.
  virtual std::unique_ptr<Model> make_model() const = 0;
  virtual std::vector<Field> fields();
  /// Throws an Error that names the setting that makes no sense.
  virtual void check() const;
  /// The number of attentions; 0 for a family whose heads cannot be pruned.
  virtual std::int64_t attentions() const { return 0; }
  /// The size of the source vocabulary.
  virtual std::int64_t source_pieces() const { return vocabulary; }
  HeadShape heads_of(std::int64_t attention) const {
    const std::int64_t values = width / heads, keys = key_width > 0 ? key_width : values;
    return {heads_left.empty() ? heads : heads_left[attention], keys, values / keys};
  }
  /// The smallest `hidden`; 0 if a family may have no feed-forward layers.
  virtual std::int64_t min_hidden() const { return 1; }
  /// An Error that begins with `where` unless the tokenizer fits the model.
  virtual void check_tokenizer(const Tokenizer& tokenizer, const std::string& where) const;
  /// All parts of the model, in the order of summaries.
  virtual std::vector<ModelPart> parts() const = 0;
  /// Sets the number of layers of each stack to 1.
  virtual void keep_one_layer() {}
  /// The number of query-key pairs in a batch, summed over attentions. A pruned attention counts by
  /// the fraction of its heads that are left.
  virtual double attention_pairs(const Segments& source, const Segments& target) const = 0;
  /// The largest cache of one text; 0 tokens if the family does not say.
  virtual CacheSize largest_cache() const { return {}; }
  /// A batch of a few random tokens.
  virtual Batch example_batch(std::uint64_t seed) const;
};

/// Copies those fields of `from` that `to` has, too.
void copy_fields(ModelConfig& from, ModelConfig& to);
/// The value as text: "4", "0.1", "pre".
std::string text_of_value(const Field& field);
/// "layers 4, width 128, ...": the fields that have options, and the vocabulary.
std::string headline(const ModelConfig& config);

/// Named configurations of a family, in the order of --help.
template <class Config>
using Presets = std::vector<std::pair<std::string, Config>>;
template <class Config>
std::vector<std::string> names_of(const Presets<Config>& presets) {
  std::vector<std::string> names;
  for (const auto& entry : presets) names.push_back(entry.first);
  return names;
}
/// An unknown name is an Error that lists all.
template <class Config>
const Config& find_preset(const Presets<Config>& presets, const std::string& name) {
  for (const auto& entry : presets) {
    if (entry.first == name) return entry.second;
  }
  fail("preset: expected one of ", joined(names_of(presets)), ", given ", name);
}

/// Family::config for a configuration with a static preset().
template <class Config>
std::unique_ptr<ModelConfig> preset_or_defaults(const std::string& preset) {
  return std::make_unique<Config>(preset.empty() ? Config() : Config::preset(preset));
}

/// Returns config after config.check().
template <class Config>
const Config& checked(const Config& config) {
  config.check();
  return config;
}

}  // namespace kette
