// Which setting and which tensor of transformers is which of Kette's: one table a form, for both directions. Queries, keys
// and values, which Kette stacks in one matrix, are parts of it by rows.
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

/// A setting of a config.json; it points into a configuration.
struct Setting {
  const char* key;
  /// Or a value that is only written.
  std::variant<std::int64_t*, double*, bool*, FeedForwardKind*, Json> value;
  bool may_lack = false;  ///< and stays as it is then
};
void read(const Settings& from, const std::vector<Setting>& settings);
/// Adds them to what is to become a config.json.
void write(const std::vector<Setting>& settings, Json& json);

/// A tensor, or what a linear map, a norm or a table is made of: weight and bias. A row for each layer has a * for the
/// layer's number in both names, and the rows of a stack stand together.
struct Name {
  const char *theirs, *ours;  ///< ours: a path (nn/param_store.h) that a model may lack
  int part = -1;              ///< which of the maps that are stacked in ours, from the top; -1: all
  bool transposed = false;    ///< a matrix that transformers keeps as [in, out] (its Conv1D)
  bool of_vocabulary = false;  ///< a row for each token
  bool is_apart = false;       ///< has not the prefix of the others
};
/// What the two vectors of a norm are called there.
struct NormNames {
  const char* gain = ".weight";
  const char* bias = ".bias";
};

struct Part {
  std::string name;  ///< in transformers
  Tensor ours;       ///< shares storage with the parameter: f32 on the CPU
  bool transposed = false, of_vocabulary = false;
};
using Parts = std::vector<Part>;
/// Of a model with values, of which the names leave nothing out.
Parts parts_of(Model& model, std::span<const Name> names, const std::string& prefix = "",
               const NormNames& norms = {});

inline constexpr const char* kHead = "lm_head.weight";  ///< the projection to the vocabulary

/// "" for an activation that transformers has no name for.
const char* name_of_activation(FeedForwardKind activation);

/// Without values yet; an Error if the files have fewer than it wants.
std::unique_ptr<Model> make_model(const ModelConfig& config, const Parameters& parameters);
/// A head that is the token embedding may stand in a file a second time; an Error if it is another.
void check_tied_head(Parameters& parameters, const Part& embedding);

/// Fills the parts.
void read(Parameters& from, const Parts& parts);
/// Writes them as the model.safetensors of a folder.
void write(const std::filesystem::path& folder, const Parts& parts);

}  // namespace kette::hugging_face
