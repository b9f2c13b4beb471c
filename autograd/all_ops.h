// The op table: every differentiable op, once. The gradient check, the comparisons with references,
// dtypes and devices, docs/ops.md and `kette bench ops` use this list. (If samples are too small to
// time, cli/bench/bench_ops.cpp has larger inputs.)
#pragma once

#include <tuple>
#include <vector>

#include "autograd/op.h"
#include "autograd/op_info.h"
#include "autograd/ops/attention.h"
#include "autograd/ops/dropout.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/elementwise_op.h"
#include "autograd/ops/embedding.h"
#include "autograd/ops/feed_forward.h"
#include "autograd/ops/layer_norm.h"
#include "autograd/ops/linear_attention.h"
#include "autograd/ops/linear_cross_entropy.h"
#include "autograd/ops/lora.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/rms_norm.h"
#include "autograd/ops/rotary.h"
#include "autograd/ops/shaping.h"
#include "autograd/ops/smear.h"
#include "autograd/ops/softmax.h"
#include "autograd/ops/swiglu.h"

namespace kette::ops {

using Composite =
    std::tuple<Sum, Max, Reshape, Slice, Concatenate, Transpose, MatMul, Linear, FeedForward,
               LoraLinear, Softmax, LogSoftmax, LayerNorm, ResidualLayerNorm, RmsNorm, SwiGlu,
               Embedding, AddPositions, Rotary, Smear, Dropout, SelfAttention, CrossAttention,
               LinearAttention, LinearCrossEntropy>;

}  // namespace kette::ops

namespace kette {

/// Every op with its formula and samples: the elementwise functions first, then the others.
std::vector<OpInfo> all_ops();

}  // namespace kette
