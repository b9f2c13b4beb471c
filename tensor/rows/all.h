// The list of row bodies: each is instantiated for f32, f64 and bf16 on every device. To add a row
// kernel: write its body in this folder and list it here; for_rows() in kernels.h then accepts it.
//
// A body is called with a row and the group of threads that work on it. The group has
//   each(width, f)       f(j) for the elements j of a row
//   sum<C>(width, f)     the sum of f(j), likewise max<C>; every thread gets it
//   once(f)              f() on one thread
//   mask(mask, ...)      keep(j): the dropout factor of element j
//   read(p, width)       the row at p, indexed by j; on a GPU it is then in registers
//   write(p, width)      a row to assign to; store(row, p, width) writes it to p
//   update(p, width)     likewise, with the values at p
// A body that accesses rows only in these ways may list their addresses(): if all of them, and the
// width, are multiples of 16 bytes, a GPU moves 16 bytes at once. A body with kSums also gets
// `sums` and adds to sums[k][j], over all rows.
#pragma once

#include <tuple>

#include "tensor/rows/cache.h"
#include "tensor/rows/dropout.h"
#include "tensor/rows/embedding.h"
#include "tensor/rows/layer_norm.h"
#include "tensor/rows/mask_tokens.h"
#include "tensor/rows/max.h"
#include "tensor/rows/rms_norm.h"
#include "tensor/rows/rotary.h"
#include "tensor/rows/smear.h"
#include "tensor/rows/softmax.h"
#include "tensor/rows/swiglu.h"

namespace kette::rows {

template <class T>
using RowBodies = std::tuple<Softmax<T>, SoftmaxBackward<T>, LogSoftmax<T>, LogSoftmaxBackward<T>,
                             ResidualLayerNorm<T>, Dropout<T>, AddPositions<T>, Gather<T>,
                             PutInColumn<T>, Rotary<T>, RmsNorm<T>, Smear<T>, SwiGlu<T>,
                             SwiGluBackward<T>, WriteToCache<T>, MaskTokens<T>>;

template <class T>
using RowBodiesWithSums =
    std::tuple<ResidualLayerNormBackward<T>, RmsNormBackward<T>, SmearBackward<T>>;

}  // namespace kette::rows
