#include "train/shards.h"

#include "tensor/kernels.h"

namespace kette {

Shards::Shards(std::int64_t elements, int process, int processes, std::int64_t chunk_elements)
    : elements_(elements),
      chunks_(ceil_div(std::max<std::int64_t>(elements, 1),
                       std::max<std::int64_t>(chunk_elements, kSquaresBlock))),
      block_(kSquaresBlock),
      process_(process),
      processes_(processes) {}

}  // namespace kette
