#include "models/adapter_directory.h"

#include <new>

#include "data/corpora/lexicon.h"
#include "data/corpora/text_facts.h"
#include "data/files/atomic_file.h"
#include "data/files/json_text.h"
#include "data/files/safetensors.h"
#include "data/files/text_file.h"
#include "data/files/utf8.h"
#include "data/files/visible_text.h"
#include "models/model_directory.h"
#include "models/parameter_room.h"

namespace kette {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDescriptionFile = "adapter.json";

}  // namespace

bool holds_adapters(const fs::path& folder) { return fs::exists(folder / kDescriptionFile); }

void remove_adapters(const fs::path& folder) {
  for (const char* file : {kDescriptionFile, kAdapterFile}) fs::remove(folder / file);
}

std::string path_to_base(const fs::path& base, const fs::path& folder) {
  std::string path = fs::proximate(base, folder).string();
  KETTE_CHECK(first_invalid_utf8(path) == std::string::npos, base.string(),
              ": expected a base whose path from its adapters is in UTF-8, as ", kDescriptionFile,
              " is that names it, given ", path, " (rename the folder)");
  return path;
}

void save_description(const fs::path& folder, const AdapterDescription& description) {
  const LoraOptions& lora = description.lora;
  const Json json = {{"rank", lora.rank},
                     {"alpha", lora.scale() * static_cast<double>(lora.rank)},
                     {"on", lora.on},
                     {"base", path_to_base(description.base, folder)},
                     {"base_crc32", description.base_checksum}};
  write_file_atomically(folder / kDescriptionFile, json.dump(2) + "\n");
}

AdapterDescription read_adapter_description(const fs::path& folder) {
  const fs::path file = folder / kDescriptionFile;
  const Json json = parse_json<Json>(read_text(file), file.string());
  AdapterDescription description;
  LoraOptions& lora = description.lora;
  try {
    KETTE_CHECK(json.at("rank").is_number_integer(), "expected a whole number as rank, given ",
                json.at("rank").dump());
    lora.rank = json.at("rank");
    lora.alpha = json.at("alpha");
    lora.on = json.at("on").get<std::vector<std::string>>();
    // Files of older versions have an absolute path.
    description.base = fs::weakly_canonical(folder / json.at("base").get<std::string>());
    description.base_checksum = json.at("base_crc32");
    lora.check();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    fail(file.string(),
         ": expected a JSON object with rank, alpha, on, base and base_crc32 of adapters, given "
         "another one (",
         error.what(), ")");
  }
  return description;
}

void merge_adapters(const fs::path& folder, const fs::path& out, const fs::path& base) {
  KETTE_CHECK(holds_adapters(folder), folder.string(), ": expected a directory of adapters, with ",
              kDescriptionFile, ", given a model without them");
  check_is_free(out);
  // The room at another base is looked at below.
  const auto config = base.empty() ? read_config_with_room(folder) : read_config(folder);
  const auto model = config->make_model();
  const SharedTokenizer tokenizer = load_tokenizer_of(folder, model->config());
  if (!base.empty() && fs::exists(base / kModelFile)) {
    expect_room(base / kModelFile, model->parameters().elements(),
                (folder / "config.json").string());
  }
  model->allocate(DType::f32, Device{}, Gradients::none);
  // The merged values get the adapters' metadata.
  Metadata metadata = load_values(folder, *model, {}, base);
  metadata["merged"] = visible(fs::absolute(folder).lexically_normal().filename().string());
  AtomicFolder merged(out);
  save_description(merged.path(), model->config(), *tokenizer);
  save_parameters(merged.path() / kModelFile, model->parameters(), metadata);
  copy_lexicon(folder, merged.path(), *tokenizer);
  copy_text_facts(folder, merged.path());
  merged.commit();
}

}  // namespace kette
