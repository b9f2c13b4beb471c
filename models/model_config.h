// The sizes and settings of a model, and what Kette knows of its family: all that config.json, command
// lines, summaries and gradient checks need to serve a model without naming it.
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

/// A setting as files and command lines know it. It points into its configuration.
struct Field {
  /// One value of an enumeration, by name.
  struct Choice {
    std::vector<std::string> names;
    std::function<std::string()> get;
    std::function<void(const std::string&)> set;  ///< an unknown name is an Error
  };
  using Numbers = std::vector<std::int64_t>;
  using Value = std::variant<std::int64_t*, std::int32_t*, double*, bool*, Numbers*, Choice>;

  std::string key;  ///< in config.json
  Value value;
  std::string option{};      ///< of command lines, "--norm"; empty: it has none
  std::string help{};        ///< of that option
  std::int64_t least = 1;    ///< that the option takes, of a whole number
  bool may_lack = false;     ///< older files do not have it, and mean the default
  std::string former_key{};  ///< of older files

  template <class Enum>
  static Choice choice(Enum& value) {
    return {all_names<Enum>(), [&value] { return enum_name(value); },
            [&value](const std::string& name) { value = enum_named<Enum>(name); }};
  }
};

/// A kind of model: what it is called, and its configurations.
struct Family {
  std::string name;     ///< of command lines; in config.json with "kette-" before it
  std::string what;     ///< "translation model", for people
  std::string options;  ///< the title of its own options in --help
  std::string use;      ///< "kette translate is for those", for who tries something else
  std::vector<std::string> presets;
  /// The defaults, or a preset.
  std::function<std::unique_ptr<ModelConfig>(const std::string& preset)> config;
  /// What a gradient check goes through whole: small models in all variants, each with a label.
  std::vector<std::pair<std::string, std::shared_ptr<const ModelConfig>>> small_models;

  std::string architecture() const { return "kette-" + name; }
};

/// Keys and values of a text, or states.
struct CacheSize {
  std::int64_t tokens = 0, bytes = 0;
  bool is_state = false;  ///< as large for any number of tokens
};

/// What all families have: Table 3 of Vaswani et al. 2017 names these d_model, d_ff, h, P_drop.
struct ModelConfig {
  std::int64_t width = 512, hidden = 2048, heads = 8;
  std::int64_t key_width = 0;       ///< d_k; 0: as d_v, which is width / heads. Rows (B) of Table 3
  std::int64_t vocabulary = 37000;  ///< shared by all that the model reads and writes
  double dropout = 0.1;             ///< on sub-layer outputs and on embeddings
  double attention_dropout = 0;
  /// How many heads each attention has left, where some were pruned: of the encoder's layers, then of the
  /// decoder's, then of its cross-attentions. Empty: all have `heads`.
  std::vector<std::int64_t> heads_left;

  virtual ~ModelConfig() = default;

  virtual const Family& family() const = 0;
  virtual std::unique_ptr<ModelConfig> clone() const = 0;
  /// Its parameters are without values.
  virtual std::unique_ptr<Model> make_model() const = 0;
  virtual std::vector<Field> fields();
  /// Throws an Error that names the setting that makes no sense.
  virtual void check() const;
  /// How many there are; 0 for a family whose heads cannot be pruned.
  virtual std::int64_t attentions() const { return 0; }
  /// What an encoder reads, if that has a vocabulary of its own.
  virtual std::int64_t source_pieces() const { return vocabulary; }
  HeadShape heads_of(std::int64_t attention) const {
    const std::int64_t values = width / heads, keys = key_width > 0 ? key_width : values;
    return {heads_left.empty() ? heads : heads_left[attention], keys, values / keys};
  }
  /// 0 for a family that may do without feed-forward layers.
  virtual std::int64_t least_hidden() const { return 1; }
  /// An Error that begins with `where` unless the tokenizer can be the model's.
  virtual void check_tokenizer(const Tokenizer& tokenizer, const std::string& where) const;
  /// All that a model has, in the order of summaries.
  virtual std::vector<ModelPart> parts() const = 0;
  /// Of each stack, where there are any.
  virtual void keep_one_layer() {}
  /// Pairs of a query and a key in a batch, over all attention layers; of one whose heads were pruned, the
  /// share of the pairs that the share of its heads is.
  virtual double attention_pairs(const Segments& source, const Segments& target) const = 0;
  /// What decoding keeps of the longest text; of no tokens where the family does not tell.
  virtual CacheSize largest_cache() const { return {}; }
  /// A few random tokens in the form that the model's batches have.
  virtual Batch example_batch(std::uint64_t seed) const;
};

/// The fields of `from` that `to` has, too.
void copy_fields(ModelConfig& from, ModelConfig& to);
/// "4", "0.1", "pre".
std::string text_of_value(const Field& field);
/// "layers 4, width 128, ...": what there are options for, and the vocabulary.
std::string headline(const ModelConfig& config);

/// Configurations of a family by their names, in the order that help lists them.
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

/// Family::config of a configuration with a static preset().
template <class Config>
std::unique_ptr<ModelConfig> preset_or_defaults(const std::string& preset) {
  return std::make_unique<Config>(preset.empty() ? Config() : Config::preset(preset));
}

/// The configuration itself, once its check() has found nothing.
template <class Config>
const Config& checked(const Config& config) {
  config.check();
  return config;
}

}  // namespace kette
