// The part of an optimiser's step on one parameter that all optimisers share, written once for both
// devices; the maths are at UpdateArgs in kernels.h.
#pragma once

#include "tensor/kernels.h"
#include "tensor/scalar.h"

namespace kette {

/// kRounds: whether `rounded` is given. A test in the loop would prevent vectorisation.
template <class T, bool kRounds>
struct ParameterUpdate {
  T* parameters;
  const T* gradients;
  BFloat16* rounded;
  const double* squares;  ///< may be null
  std::int64_t decayed;
  double clip_norm;
  T keep;

  explicit ParameterUpdate(const UpdateArgs& args)
      : parameters(args.parameters.data<T>()),
        gradients(args.gradients.data<T>()),
        rounded(args.rounded.defined() ? args.rounded.data<BFloat16>() : nullptr),
        squares(args.squares.defined() ? args.squares.data<double>() : nullptr),
        decayed(args.decayed),
        clip_norm(args.clip_norm),
        keep(T(1 - args.lr * args.weight_decay)) {}

  /// The factor of every gradient, computed once for many.
  KETTE_HOST_DEVICE T gradient_scale() const {
    const double norm = squares ? scalar::sqrt(*squares) : 0;
    return norm > clip_norm ? T(clip_norm / norm) : T(1);
  }

  /// The parameter after weight decay.
  KETTE_HOST_DEVICE T kept(std::int64_t i) const {
    return i < decayed ? keep * parameters[i] : parameters[i];
  }

  KETTE_HOST_DEVICE void set(std::int64_t i, T p) const {
    parameters[i] = p;
    if constexpr (kRounds) rounded[i] = static_cast<float>(p);
  }
};

/// Calls function(Update) for the dtype of the tensors: update(i, scale) does element i.
template <template <class, bool> class Update, class Args, class Function>
void visit_update(const Args& args, const Function& function) {
  if (args.update.parameters.dtype() == DType::f64) {
    function(Update<double, false>(args));
  } else if (args.update.rounded.defined()) {
    function(Update<float, true>(args));
  } else {
    function(Update<float, false>(args));
  }
}

}  // namespace kette
