// The output of training with adapters (models/lora.h): a model directory with few parameters,
// which are added to those of another directory, the base.
//   config.json, tokenizer  as in every model directory (models/model_directory.h)
//   adapter.json            rank, alpha and the adapted maps; the path from here to the base, and the
//                           checksum of its model.safetensors, which must match
//   adapter.safetensors     A and B of every adapted map
// Everything that reads a model directory also reads this one, as long as its base exists.
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
/// Removes adapters and their description, if there are any.
void remove_adapters(const std::filesystem::path& folder);
/// From adapters in a folder to their base, as adapter.json has it. An Error unless it is UTF-8.
std::string path_to_base(const std::filesystem::path& base, const std::filesystem::path& folder);
void save_description(const std::filesystem::path& folder, const AdapterDescription& description);
AdapterDescription read_adapter_description(const std::filesystem::path& folder);

/// Writes a plain model directory `out` with the adapters merged into their base. base: the base's
/// folder, if it has moved.
void merge_adapters(const std::filesystem::path& folder, const std::filesystem::path& out,
                    const std::filesystem::path& base = {});

}  // namespace kette
