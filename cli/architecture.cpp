#include "cli/architecture.h"

#include <algorithm>

namespace kette::cli {
namespace {

template <class Enum>
using Names = std::vector<std::pair<Enum, std::string>>;

/// One of an enumeration's values, by name.
template <class Enum>
Option named(OptionGroup& group, const std::string& option, Enum& value, const Names<Enum>& names,
             const std::string& help) {
  std::string type;
  for (const auto& entry : names) type += (type.empty() ? "" : "|") + entry.second;
  const auto set = [&value, names, type](const std::string& text) {
    for (const auto& entry : names) {
      if (text == entry.second) return void(value = entry.first);
    }
    fail("expected ", type, ", given ", text);
  };
  const auto current = [&value, names] {
    for (const auto& entry : names) {
      if (entry.first == value) return entry.second;
    }
    return std::string();
  };
  return group.custom(option, set, current, help, type);
}

/// The fields that both configurations have, and so have the options.
template <class From, class To>
void copy_shared(const From& from, To& to) {
  to.width = from.width;
  to.hidden = from.hidden;
  to.heads = from.heads;
  to.dropout = from.dropout;
  to.attention_dropout = from.attention_dropout;
}

}  // namespace

std::vector<std::string> all_presets() {
  std::vector<std::string> names = kTranslationPresets;
  names.insert(names.end(), GptConfig::presets().begin(), GptConfig::presets().end());
  return names;
}

void ArchitectureOptions::apply_preset(const std::string& name) {
  preset_ = name;
  const auto& gpts = GptConfig::presets();
  is_gpt_ = std::find(gpts.begin(), gpts.end(), name) != gpts.end();
  if (is_gpt_) {
    gpt_ = GptConfig::preset(name);
    copy_shared(gpt_, shared_);
  } else {
    transformer_ = TransformerConfig::preset(name);
    copy_shared(transformer_, shared_);
  }
}

TransformerConfig ArchitectureOptions::transformer() const {
  TransformerConfig config = transformer_;
  copy_shared(shared_, config);
  return config;
}

GptConfig ArchitectureOptions::gpt() const {
  GptConfig config = gpt_;
  copy_shared(shared_, config);
  return config;
}

void ArchitectureOptions::add_preset_option(OptionGroup& group,
                                            const std::vector<std::string>& presets,
                                            const std::string& help,
                                            const std::function<void(const std::string&)>& then) {
  group.choice("--preset", preset_, presets, help, [this, then](const std::string& name) {
    apply_preset(name);
    if (then) then(name);
  });
}

void ArchitectureOptions::add_field_options(CLI::App& command) {
  OptionGroup model(command, "Model");
  model.number("--width", shared_.width, at_least(1), "Width of the residual stream, d_model");
  model.number("--hidden", shared_.hidden, at_least(1),
               "Width inside the feed-forward layers, d_ff");
  model.number("--heads", shared_.heads, at_least(1), "Attention heads; a divisor of the width");
  model.number("--dropout", shared_.dropout, rate(), "Dropout on sub-layer outputs and embeddings");
  model.number("--attention-dropout", shared_.attention_dropout, rate(),
               "Dropout on attention weights");
  OptionGroup translation(command, "Encoder-decoder models");
  transformer_only_ = {
      translation.number("--encoder-layers", transformer_.encoder_layers, at_least(1),
                         "Layers of the encoder"),
      translation.number("--decoder-layers", transformer_.decoder_layers, at_least(1),
                         "Layers of the decoder"),
      translation.number("--activation-dropout", transformer_.activation_dropout, rate(),
                         "Dropout inside the feed-forward layers"),
      named(translation, "--norm", transformer_.norm,
            {{NormOrder::post, "post"}, {NormOrder::pre, "pre"}},
            "Layer norm after each sub-layer, as in the paper, or before it"),
      named(translation, "--activation", transformer_.feed_forward,
            {{FeedForwardKind::relu, "relu"},
             {FeedForwardKind::gelu, "gelu"},
             {FeedForwardKind::silu, "silu"},
             {FeedForwardKind::swiglu, "swiglu"}},
            "Of the feed-forward layers; swiglu: with a gate"),
      translation.number(
          "--model-max-length", transformer_.max_length, at_least(3),
          "Longest sequence the model can be given, in tokens, with the marks of its "
          "beginning and end")};
  OptionGroup gpt(command, "GPT models");
  gpt_only_ = {
      gpt.number("--layers", gpt_.layers, at_least(1), "Layers"),
      gpt.number("--context", gpt_.context, at_least(1), "Tokens the model sees at once"),
      named(gpt, "--positions", gpt_.positions,
            {{Positions::learned, "learned"}, {Positions::rotary, "rotary"}},
            "Added to the tokens, as GPT-2 has them, or turning queries and keys"),
      named(gpt, "--norm-kind", gpt_.norm, {{NormKind::layer, "layer"}, {NormKind::rms, "rms"}},
            "Layer norm, or the root mean square alone"),
      named(gpt, "--feed-forward", gpt_.feed_forward,
            {{FeedForwardKind::gelu, "gelu"}, {FeedForwardKind::swiglu, "swiglu"}},
            "What is inside the feed-forward layers")};
}

void ArchitectureOptions::check() const {
  if (is_gpt_) {
    gpt().check();
  } else {
    transformer().check();
  }
  for (const Option& option : foreign()) {
    if (!option.given()) continue;
    throw UsageError(option.name() + ": expected with " +
                     (is_gpt_ ? "an encoder-decoder preset (tiny, base, big)" : "a preset of GPT") +
                     ", given with " + preset_);
  }
}

std::vector<std::string> ArchitectureOptions::foreign_options() const {
  std::vector<std::string> names;
  for (const Option& option : foreign()) names.push_back(option.name().substr(2));
  return names;
}

}  // namespace kette::cli
