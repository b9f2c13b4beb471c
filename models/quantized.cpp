#include "models/quantized.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "data/corpora/lexicon.h"
#include "data/corpora/text_facts.h"
#include "data/files/atomic_file.h"
#include "data/files/safetensors.h"
#include "models/adapter_directory.h"
#include "tensor/int8_matrix.h"

namespace kette {
namespace {

namespace fs = std::filesystem;

constexpr const char* kScale = "/scale";
constexpr const char* kStoredInt8 = "I8";

Int8Matrix read_int8(const SafetensorsFile& file, const fs::path& path, const std::string& name) {
  const std::string of_rows = name + kScale;
  const Shape shape = file.shape(name);
  file.expect(of_rows, {shape[0]});
  const std::vector<std::int8_t> values = file.elements<std::int8_t>(name, 0, shape.elements());
  KETTE_CHECK(std::find(values.begin(), values.end(), -128) == values.end(), path.string(),
              ": tensor \"", name, "\": expected int8 values from -127 to 127, given -128");
  const Int8Matrix matrix{Tensor::from(values, shape), file.tensor(of_rows)};
  for (const float scale : matrix.scales.values<float>()) {
    KETTE_CHECK(std::isfinite(scale) && scale >= 0, path.string(), ": tensor \"", of_rows,
                "\": expected finite scales of at least 0, given ", scale);
  }
  return matrix;
}

/// The parameters that are stored in fewer bits.
std::set<const Leaf*> matrices_of(AutoregressiveModel& model) {
  std::set<const Leaf*> matrices = {model.output().weight.leaf().get()};
  model.each_linear(
      [&](const Linear& map, const auto&) { matrices.insert(map.weight.leaf().get()); });
  for (const Embedding* table : model.token_tables()) matrices.insert(table->table.leaf().get());
  return matrices;
}

}  // namespace

Tensor stored_parameter(const SafetensorsFile& file, const fs::path& path,
                        const std::string& name) {
  if (file.stored_dtype(name) != kStoredInt8) return file.tensor(name);
  return values_of(read_int8(file, path, name));
}

std::int64_t scales_in(const SafetensorsFile& file) {
  return std::count_if(file.names().begin(), file.names().end(), [&](const std::string& name) {
    return file.stored_dtype(name) == kStoredInt8 && file.contains(name + kScale);
  });
}

DType weights_of(const Metadata& metadata, const fs::path& file) {
  const auto found = metadata.find(kWeightsKey);
  if (found == metadata.end()) return DType::f32;
  for (const DType weights : {DType::bf16, DType::int8}) {
    if (found->second == name_of(weights)) return weights;
  }
  fail(file.string(), ": expected weights in bf16 or int8, given ", found->second,
       " (was it made by a later version?)");
}

void expect_whole_weights(const Metadata& metadata, const fs::path& file,
                          const std::string& purpose) {
  const DType weights = weights_of(metadata, file);
  KETTE_CHECK(weights == DType::f32, file.string(), ": expected weights in f32 to ", purpose,
              ", given ", name_of(weights), " (take the model that it was made from)");
}

void quantize_model(const fs::path& folder, const fs::path& out, DType weights,
                    const fs::path& parameters) {
  check_is_free(out);
  const auto saved = load_model<AutoregressiveModel>(folder, parameters);
  expect_whole_weights(saved.metadata, parameters.empty() ? parameter_file(folder) : parameters,
                       "quantize");
  const std::set<const Leaf*> matrices = matrices_of(*saved.model);
  std::vector<std::pair<std::string, Tensor>> tensors;
  for (const auto& leaf : saved.model->parameters().leaves()) {
    const Tensor& value = leaf->value;
    if (!matrices.contains(leaf.get())) {
      tensors.emplace_back(leaf->name, value);
    } else if (weights == DType::int8) {
      const Int8Matrix rounded = rounded_to_int8(value);
      tensors.emplace_back(leaf->name, rounded.values);
      tensors.emplace_back(leaf->name + kScale, rounded.scales);
    } else {
      tensors.emplace_back(leaf->name, value.to(weights));
    }
  }
  Metadata metadata = saved.metadata;
  metadata[kWeightsKey] = name_of(weights);
  AtomicFolder made(out);
  save_description(made.path(), saved.model->config(), *saved.tokenizer);
  write_safetensors(made.path() / kModelFile, tensors, metadata, Checksum::crc32);
  copy_lexicon(folder, made.path(), *saved.tokenizer);
  copy_text_facts(folder, made.path());
  made.commit();
}

}  // namespace kette
