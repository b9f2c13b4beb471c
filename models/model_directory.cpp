#include "models/model_directory.h"

#include "data/atomic_file.h"
#include "data/safetensors.h"

namespace kette {
namespace {

namespace fs = std::filesystem;

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  KETTE_CHECK(!error, folder.string(), ": expected a folder that can be written, given ",
              error.message());
}

fs::path parameter_file(const fs::path& folder, const fs::path& parameters) {
  return parameters.empty() ? folder / "model.safetensors" : parameters;
}

void check_vocabulary(const fs::path& folder, std::int64_t tokenizer, std::int64_t model) {
  KETTE_CHECK(tokenizer <= model, folder.string(), ": expected a tokenizer of at most ", model,
              " pieces, given ", tokenizer, "; it belongs to another model");
}

}  // namespace

void save_parameters(const fs::path& file, const ParamStore& parameters, const Metadata& metadata) {
  std::vector<std::pair<std::string, Tensor>> tensors;
  for (const auto& leaf : parameters.leaves())
    tensors.emplace_back(leaf->name, parameters.value_of(*leaf));
  write_safetensors(file, tensors, metadata, Checksum::crc32);
}

Metadata load_parameters(const fs::path& file, ParamStore& parameters) {
  const SafetensorsFile stored = SafetensorsFile::open(file, Checksum::crc32);
  for (const auto& leaf : parameters.leaves()) stored.expect(leaf->name, leaf->value.shape());
  KETTE_CHECK(stored.names().size() == parameters.leaves().size(), file.string(), ": expected ",
              parameters.leaves().size(), " parameters, given ", stored.names().size(),
              "; it belongs to a model of another architecture");
  for (const auto& leaf : parameters.leaves()) {
    const Tensor value = parameters.value_of(*leaf);
    value.copy_from(stored.tensor(leaf->name).to(value.dtype()).to(value.device()));
  }
  parameters.round();
  return stored.metadata();
}

void save_description(const fs::path& folder, const TransformerConfig& config,
                      const Tokenizer& tokenizer) {
  make_folder(folder);
  write_file_atomically(folder / "config.json", to_json(config));
  for (const auto& [name, content] : tokenizer.files()) {
    write_file_atomically(folder / name, content);
  }
}

void save_description(const fs::path& folder, const GptConfig& config,
                      const TextTokenizer& tokenizer) {
  make_folder(folder);
  write_file_atomically(folder / "config.json", to_json(config, tokenizer.kind()));
  for (const auto& [name, content] : tokenizer.files()) {
    write_file_atomically(folder / name, content);
  }
}

TranslationModel load_translation_model(const fs::path& folder, const fs::path& parameters,
                                        Device device) {
  const TransformerConfig config = read_transformer_config(folder);
  Tokenizer tokenizer = Tokenizer::load(folder);
  check_vocabulary(folder, tokenizer.vocab_size(), config.vocabulary);
  KETTE_CHECK(tokenizer.special() == config.special, folder.string(),
              ": expected a tokenizer with the special tokens of config.json (pad, unknown, begin, "
              "end), given other ones; it belongs to another model");
  auto transformer = std::make_unique<Transformer>(config);
  transformer->allocate(DType::f32, device, Gradients::none);
  Metadata metadata =
      load_parameters(parameter_file(folder, parameters), transformer->parameters());
  return {std::move(transformer), std::move(tokenizer), std::move(metadata)};
}

LanguageModel load_language_model(const fs::path& folder, const fs::path& parameters,
                                  Device device) {
  const GptDescription description = read_gpt_description(folder);
  SharedTextTokenizer tokenizer = load_text_tokenizer(description.tokenizer, folder);
  check_vocabulary(folder, tokenizer->vocabulary(), description.config.vocabulary);
  auto gpt = std::make_unique<Gpt>(description.config);
  gpt->allocate(DType::f32, device, Gradients::none);
  Metadata metadata = load_parameters(parameter_file(folder, parameters), gpt->parameters());
  return {std::move(gpt), std::move(tokenizer), std::move(metadata)};
}

}  // namespace kette
