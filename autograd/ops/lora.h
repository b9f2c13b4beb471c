// A linear map with low-rank adapters (Hu et al. 2021, "LoRA", section 4.1): to the product with
// the pretrained weight W [out, in] it adds one with B A of rank r, for chosen blocks of W's rows:
//   y = x W^T + b,   y_k += scale * (x A_k^T) B_k^T    for every block k of y's columns
// With t = x A^T and dt_k = scale * dy_k B_k:
//   dB_k = scale * dy_k^T t_k,   dA = dt^T x,   dx = dy W + dt A
// dW and db cost nothing if W and b are frozen. A: [blocks * r, in], all A_k stacked; B: [rows of
// all blocks, r], likewise.
#pragma once

#include "autograd/ops/matmul.h"
#include "autograd/ops/options.h"

namespace kette::ops {

struct LoraLinear {
  static constexpr OpName name = "lora_linear";
  static constexpr const char* formula = "x W^T + b + scale * (x A^T) B^T in chosen columns";
  static constexpr const char* signature =
      "lora_linear(x, weight, bias, a, b, blocks=None, scale=1)";
  static constexpr const char* about =
      "A linear map with low-rank adapters on blocks (begin, end) of the rows of its weight. "
      "x: [rows, in], weight: [out, in], bias: [out] or None, a: [blocks * rank, in], b: [rows "
      "of the blocks, rank] -> [rows, out]. Hu et al. 2021.";
  double scale = 1;
  std::vector<RowBlock> blocks;
  Linear base{};
  Tensor a{}, b{}, t{};

  Tensor forward(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& down,
                 const Tensor& up);
  void backward(const Tensor& dy, GradientSlot& dx, GradientSlot& dweight, GradientSlot& dbias,
                GradientSlot& da, GradientSlot& db);
  Variable composed(const std::array<Variable, 5>& in) const;
  static std::vector<Sample> samples();

 private:
  /// Calls function(block, first column of t, first row of B).
  template <class Function>
  void for_blocks(const Function& function) const;
};

}  // namespace kette::ops

namespace kette {

/// `bias` may be undefined, as for linear().
Variable lora_linear(const Variable& x, const Variable& weight, const Variable& bias,
                     const Variable& a, const Variable& b, const std::vector<RowBlock>& blocks,
                     double scale);

/// W_k += scale * B_k A_k for every block k of W's rows: the adapters become part of the weight.
void merge_lora(const Tensor& weight, const Tensor& a, const Tensor& b,
                const std::vector<RowBlock>& blocks, double scale);

}  // namespace kette
