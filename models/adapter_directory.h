// What training with adapters (models/lora.h) leaves: a model directory whose parameters are small
// and stand on those of another one, the base.
//   config.json, tokenizer  as in every model directory (models/model_directory.h)
//   adapter.json            rank, alpha and on which maps; the way from here to the folder of the base, and the
//                           checksum of its model.safetensors, so that no other is taken for it
//   adapter.safetensors     A and B of every adapted map
// All that reads a model directory reads such a one, too, while its base is there.
#pragma once

#include <filesystem>
#include <string>

#include "models/lora.h"

namespace kette {

inline constexpr const char* kAdapterFile = "adapter.safetensors";

struct AdapterDescription {
  LoraOptions lora;
  std::filesystem::path base;
  std::string base_checksum;
};

bool holds_adapters(const std::filesystem::path& folder);
/// Removes them and their description, if there are any.
void remove_adapters(const std::filesystem::path& folder);
void save_description(const std::filesystem::path& folder, const AdapterDescription& description);
AdapterDescription read_adapter_description(const std::filesystem::path& folder);

/// Makes a plain model directory of adapters and their base. base: where that lies, if not where it
/// was.
void merge_adapters(const std::filesystem::path& folder, const std::filesystem::path& out,
                    const std::filesystem::path& base = {});

}  // namespace kette
