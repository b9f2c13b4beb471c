#include "models/transformer_config.h"

#include "models/size_limits.h"

namespace kette {

TransformerConfig TransformerConfig::preset(const std::string& name) {
  TransformerConfig config;
  if (name == "base") return config;
  if (name == "big") {
    config.width = 1024;
    config.hidden = 4096;
    config.heads = 16;
    config.dropout = 0.3;
    return config;
  }
  if (name == "tiny") {
    config.encoder_layers = config.decoder_layers = 4;
    config.width = 128;
    config.hidden = 256;
    config.heads = 4;
    config.vocabulary = 10000;
    config.dropout = 0.3;
    return config;
  }
  fail("preset: expected tiny, base or big, given ", name);
}

void TransformerConfig::check() const {
  check_size("encoder_layers", encoder_layers, kMostLayers);
  check_size("decoder_layers", decoder_layers, kMostLayers);
  check_size("width", width, kMostWidth);
  check_size("hidden", hidden, kMostHidden);
  check_size("heads", heads, width);
  check_size("vocabulary", vocabulary, kMostTokens);
  check_size("max_length", max_length, kMostPositions);
  for (const auto& [what, id] : {std::pair{"pad", special.pad},
                                 {"unknown", special.unknown},
                                 {"begin", special.begin},
                                 {"end", special.end}}) {
    KETTE_CHECK(id >= 0 && id < vocabulary, what, ": expected an id below the vocabulary ",
                vocabulary, ", given ", id);
  }
  KETTE_CHECK(width % heads == 0, "heads: expected a divisor of the width ", width, ", given ",
              heads);
  for (const auto& [what, rate] : {std::pair{"dropout", dropout},
                                   {"attention_dropout", attention_dropout},
                                   {"activation_dropout", activation_dropout}}) {
    KETTE_CHECK(rate >= 0 && rate < 1, what, ": expected a rate in [0, 1), given ", rate);
  }
}

}  // namespace kette
