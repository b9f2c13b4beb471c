// Maps settings and tensors of transformers to those of Kette: one table for each format, for both
// directions. Kette stacks queries, keys and values in one matrix. Each is a part of its rows.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "data/files/json_text.h"
#include "models/exchange/hugging_face_files.h"
#include "models/model.h"

namespace kette::hugging_face {

/// A setting of a config.json. It points into a configuration.
struct Setting {
  const char* key;
  /// A pointer to the setting, or a Json value that is only written.
  std::variant<std::int64_t*, double*, bool*, FeedForwardKind*, Json> value;
  bool optional = false;  ///< if absent, the setting keeps its value
};
void read(const Settings& from, const std::vector<Setting>& settings);
/// Adds the settings to `json`, a config.json.
void write(const std::vector<Setting>& settings, Json& json);

/// A tensor, or the weight and bias of a linear map, norm or embedding. In names of each layer, *
/// is the layer's number. All names of one stack must be adjacent.
struct Name {
  const char *theirs, *ours;  ///< ours: a path (nn/param_store.h); a model may lack it
  /// Index among the maps stacked in ours, from the first row on; -1: all.
  int part = -1;
  bool transposed = false;     ///< stored as [in, out] in transformers (Conv1D)
  bool of_vocabulary = false;  ///< one row for each token
  bool is_apart = false;       ///< without the prefix of the others
};
/// The suffixes of a norm's two vectors in transformers.
struct NormNames {
  const char* gain = ".weight";
  const char* bias = ".bias";
};

struct Part {
  std::string name;  ///< in transformers
  Tensor ours;       ///< shares storage with the parameter; f32, on the CPU
  bool transposed = false, of_vocabulary = false;
};
using Parts = std::vector<Part>;
/// The parts of an allocated model. An Error unless the names cover all parameters.
Parts parts_of(Model& model, std::span<const Name> names, const std::string& prefix = "",
               const NormNames& norms = {});

inline constexpr const char* kHead = "lm_head.weight";  ///< the projection to the vocabulary

/// "" if transformers has no name for the activation.
const char* name_of_activation(FeedForwardKind activation);

/// A model without values. An Error if the files have too few parameters for it.
std::unique_ptr<Model> make_model(const ModelConfig& config, const Parameters& parameters);
/// A tied projection may be stored in the file, too. An Error if its values differ from the
/// embedding.
void check_tied_head(Parameters& parameters, const Part& embedding);

/// Copies the values from the files into the parts.
void read(Parameters& from, const Parts& parts);
/// Writes the parts to the model.safetensors of a folder.
void write(const std::filesystem::path& folder, const Parts& parts);

}  // namespace kette::hugging_face
