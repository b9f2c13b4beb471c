// Token embeddings (Vaswani et al. 2017, section 3.4: multiplied by sqrt(d_model)) and positions
// (section 3.5). ids: i32 [rows], on the host or on the table's device; table: [entries, width];
// result: [rows, width]. With `with_holes` an id may be kNoEntry: its embedding is 0
// (autograd/ops/ids.h).
#pragma once

#include "autograd/op_types.h"

namespace kette::ops {

struct Embedding {
  static constexpr OpName name = "embedding";
  static constexpr bool kIsLinear = true;
  static constexpr const char* formula = "scale * table[id]";
  static constexpr const char* signature = "embedding(table, ids, scale=1, with_holes=False)";
  static constexpr const char* about =
      "Rows of a table. table: [entries, width], ids: i32 [rows] -> [rows, width]. With holes "
      "the id -1 has the embedding 0.";
  static constexpr bool kReadsRowsOfTable = true;
  Tensor ids;
  double scale = 1;
  bool with_holes = false;  ///< ids may be kNoEntry
  Tensor table{};

  Tensor forward(const Tensor& entries);
  void backward(const Tensor& dy, GradientSlot& dtable);
  static std::vector<Sample> samples();
};

/// y = x + table[position of the row within its sequence].
struct AddPositions {
  static constexpr OpName name = "add_positions";
  static constexpr bool kIsLinear = true;
  static constexpr const char* formula = "x + table[position]";
  static constexpr const char* signature = "add_positions(x, table, positions=None, lengths=None)";
  static constexpr const char* about =
      "Adds to each row the table's row of its position. x: [rows, width], table: [positions, "
      "width], positions: i32 [rows].";
  static constexpr bool kReadsRowsOfTable = true;
  Tensor positions;  // i32 [rows]
  Tensor table{};

  Tensor forward(const Tensor& x, const Tensor& entries);
  void backward(const Tensor& dy, GradientSlot& dx, GradientSlot& dtable);
  static std::vector<Sample> samples();
};

}  // namespace kette::ops

namespace kette {

Variable embedding(const Variable& table, const Tensor& ids, double scale = 1,
                   bool with_holes = false);
Variable add_positions(const Variable& x, const Variable& table, const Tensor& positions);

}  // namespace kette
