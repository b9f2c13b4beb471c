// Which tensor of transformers is which part of Kette's model: one list a model, for both
// directions. Queries, keys and values, which Kette stacks in one matrix, are parts of it by rows.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "models/exchange/hugging_face_files.h"
#include "nn/block.h"

namespace kette::hugging_face {

struct Part {
  std::string name;  ///< in transformers
  Tensor ours;       ///< shares storage with the parameter: f32 on the CPU
  /// A matrix that transformers keeps as [in, out] (its Conv1D).
  bool transposed = false;
  bool of_vocabulary = false;  ///< a row for each token
};
using Parts = std::vector<Part>;

inline constexpr const char* kHead = "lm_head.weight";  ///< the projection to the vocabulary

/// What a setting calls the activation of the feed-forward layers, and the reverse; "" for one that
/// transformers has no name for.
FeedForwardKind read_activation(const Settings& settings, const char* key);
const char* name_of_activation(FeedForwardKind activation);

/// A head that is the token embedding may stand in a file a second time; an Error if it is another.
void check_tied_head(Parameters& parameters, const char* embedding, const Tensor& table);
void add_norm(Parts& parts, const std::string& name, const Norm& norm);
/// Rows [begin, end) of it.
void add_linear(Parts& parts, const std::string& name, const Linear& linear, std::int64_t begin,
                std::int64_t end);

/// Fills the parts.
void read(Parameters& from, const Parts& parts);
/// Writes them as the model.safetensors of a folder.
void write(const std::filesystem::path& folder, const Parts& parts);

}  // namespace kette::hugging_face
