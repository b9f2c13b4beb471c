// The list of row bodies: each is instantiated for f32, f64 and bf16 on every device. To add a row
// kernel: write its body in this folder and list it here; for_rows() in kernels.h then accepts it.
#pragma once

#include <tuple>
#include <utility>

#include "tensor/rows/embedding.h"
#include "tensor/rows/layer_norm.h"
#include "tensor/rows/rms_norm.h"
#include "tensor/rows/rotary.h"
#include "tensor/rows/softmax.h"
#include "tensor/rows/swiglu.h"

namespace kette::rows {

template <class T>
using RowBodies = std::tuple<Softmax<T>, SoftmaxBackward<T>, LogSoftmax<T>, LogSoftmaxBackward<T>,
                             ResidualLayerNorm<T>, Dropout<T>, AddPositions<T>, Gather<T>,
                             PutInColumn<T>, Rotary<T>, RmsNorm<T>, SwiGlu<T>, SwiGluBackward<T>>;

template <class T>
using RowBodiesWithSums = std::tuple<std::pair<ResidualLayerNormBackward<T>, LayerNormColumns<T>>,
                                     std::pair<RmsNormBackward<T>, RmsNormColumns<T>>>;

}  // namespace kette::rows
