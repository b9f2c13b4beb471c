#include "models/model_directory.h"

#include "data/files/atomic_file.h"
#include "data/files/file_fingerprint.h"
#include "data/files/safetensors.h"
#include "models/adapter_directory.h"
#include "models/parameter_room.h"
#include "models/quantized.h"

namespace kette {
namespace {

namespace fs = std::filesystem;

/// An Error unless the checkpoint has the folder's vocabulary and, if it is of adapters, its run, which fixes base and
/// scale.
void expect_own(const fs::path& file, const fs::path& folder) {
  const Metadata metadata = SafetensorsFile::open(file).metadata();
  const auto given = metadata.find(kTokenizerKey);
  const std::string expected = read_tokenizer_description(folder).fingerprint;
  KETTE_CHECK(given == metadata.end() || expected.empty() || given->second == expected,
              file.string(), ": expected parameters of the vocabulary of ", folder.string(), ", ",
              expected, ", given those of another one, ", given->second,
              " (a checkpoint goes with its own model directory)");
  if (!holds_adapters(folder) || !fs::exists(parameter_file(folder))) return;
  const std::string own_run = training_run_of(folder), given_run = value_in(metadata, kRunKey);
  KETTE_CHECK(given_run == own_run, file.string(), ": expected adapters of the run of ",
              folder.string(), ", ", own_run.empty() ? "unknown" : own_run,
              ", given those of another one, ", given_run.empty() ? "unknown" : given_run,
              ", which may sit on another base (a checkpoint goes with its own model directory)");
}

}  // namespace

Metadata without_training(Metadata metadata) {
  for (const char* key :
       {kRunKey, "step", "averaged_runs", "averaged_steps", "valid_loss", "valid_score"}) {
    metadata.erase(key);
  }
  return metadata;
}

std::string training_run_of(const fs::path& folder) {
  return value_in(SafetensorsFile::open(parameter_file(folder)).metadata(), kRunKey);
}

std::string checksum_of(const Metadata& metadata, const fs::path& file) {
  const auto own = metadata.find(kChecksumKey);
  return own == metadata.end() ? file_fingerprint(file) : own->second;
}

void save_parameters(const fs::path& file, const ParamStore& parameters, const Metadata& metadata) {
  std::vector<std::pair<std::string, Tensor>> tensors;
  for (const auto& leaf : parameters.leaves())
    tensors.emplace_back(leaf->name, parameters.value_of(*leaf));
  Metadata of_all = metadata;
  of_all.erase(kWeightsKey);  // of the file that the values were read from
  write_safetensors(file, tensors, of_all, Checksum::crc32);
}

Metadata load_parameters(const fs::path& file, ParamStore& parameters) {
  const SafetensorsFile stored = SafetensorsFile::open(file, Checksum::if_present);
  for (const auto& leaf : parameters.leaves()) stored.expect(leaf->name, leaf->value.shape());
  const std::int64_t given = std::ssize(stored.names()) - scales_in(stored);
  KETTE_CHECK(given == std::ssize(parameters.leaves()), file.string(), ": expected ",
              parameters.leaves().size(), " parameters, given ", given,
              "; it belongs to a model of another architecture");
  for (const auto& leaf : parameters.leaves()) {
    const Tensor value = parameters.value_of(*leaf);
    value.copy_from(
        stored_parameter(stored, file, leaf->name).to(value.dtype()).to(value.device()));
  }
  const std::optional<std::string> bad = parameters.find_non_finite(parameters.values());
  KETTE_CHECK(!bad, file.string(), ": expected finite parameters, given ", *bad,
              " (the training diverged: take an earlier checkpoint)");
  parameters.round();
  return stored.metadata();
}

void save_description(const fs::path& folder, const ModelConfig& config,
                      const Tokenizer& tokenizer) {
  make_folder(folder);
  write_file_atomically(folder / "config.json", to_json(config, &tokenizer));
  tokenizer.save(folder);
}

fs::path parameter_file(const fs::path& folder) {
  return folder / (holds_adapters(folder) ? kAdapterFile : kModelFile);
}

SharedTokenizer load_tokenizer_of(const fs::path& folder, const ModelConfig& config) {
  const auto [kind, fingerprint] = read_tokenizer_description(folder);
  SharedTokenizer tokenizer = load_tokenizer(folder, kind);
  config.check_tokenizer(*tokenizer, folder.string());
  KETTE_CHECK(fingerprint.empty() || tokenizer->fingerprint() == fingerprint, folder.string(),
              ": expected the tokenizer that the model was made with, ", fingerprint, ", given ",
              tokenizer->fingerprint(), " (put its own files back)");
  return tokenizer;
}

Metadata load_values(const fs::path& folder, Model& model, const fs::path& parameters,
                     const fs::path& base) {
  const fs::path file = parameters.empty() ? parameter_file(folder) : parameters;
  if (!parameters.empty()) expect_own(parameters, folder);
  if (!holds_adapters(folder)) return load_parameters(file, model.parameters());
  const AdapterDescription description = read_adapter_description(folder);
  const fs::path base_folder = base.empty() ? description.base : base;
  KETTE_CHECK(fs::exists(base_folder / kModelFile), folder.string(),
              ": expected the model that its adapters sit on in ", base_folder.string(),
              ", given no ", kModelFile, " there; if it moved, kette merge --base makes a model of",
              " both");
  const Metadata of_base = load_parameters(base_folder / kModelFile, model.parameters());
  const std::string checksum = checksum_of(of_base, base_folder / kModelFile);
  KETTE_CHECK(checksum == description.base_checksum, folder.string(),
              ": expected the model that its adapters were trained on, with the checksum ",
              description.base_checksum, ", given ", (base_folder / kModelFile).string(), " with ",
              checksum, "; it is another one, or was trained on since");
  LoraAdapters adapters(model, description.lora);
  expect_room(file, adapters.parameters().elements(), (folder / "adapter.json").string());
  adapters.allocate(Gradients::none);
  Metadata metadata = load_parameters(file, adapters.parameters());
  adapters.merge();
  return metadata;
}

}  // namespace kette
