// Against the table that the Transformer adds to its embeddings (nn/positions.h).
#include "positions.h"

#include "check.h"
#include "nn/positions.h"

int main() {
  Check check("positions");
  for (const std::int64_t width : {16, 7}) {
    const kette::Tensor table = kette::sinusoidal_positions(60, width);
    const std::vector<float> expected = table.values<float>();
    for (std::int64_t position = 0; position < 60; ++position) {
      for (std::int64_t column = 0; column < width; ++column) {
        check.near("position " + std::to_string(position) + ", column " + std::to_string(column) +
                       " of " + std::to_string(width),
                   expected[position * width + column], position_encoding(position, column, width),
                   1e-6);
      }
    }
  }
  return check.end();
}
