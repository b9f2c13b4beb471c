// All parameters of a model in one flat buffer, all gradients in another: one update, one norm, one checkpoint write.
// A Scope is a path such as encoder/3/self_attention; asking it for a parameter creates and registers it in one
// act, and asking for a path that exists gives the same parameter again: a tied weight. Matrices lie before
// vectors, so that decoupled weight decay, which spares biases and gains, is one contiguous range. With bf16 the
// model computes on rounded copies, while gradients gather and the optimiser works in f32 (Micikevicius et al.
// 2018, "Mixed Precision Training").
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "autograd/variable.h"

namespace kette {

/// How a parameter starts.
struct Init {
  enum class Kind { constant, uniform, normal } kind = Kind::constant;
  double value = 0;  ///< the constant, the bound of the uniform, or the standard deviation

  static Init constant(double value) { return {Kind::constant, value}; }
  static Init normal(double deviation) { return {Kind::normal, deviation}; }
  /// Glorot and Bengio 2010, equation (16): uniform within sqrt(6 / (fan_in + fan_out)).
  static Init xavier(std::int64_t fan_in, std::int64_t fan_out);
};

/// none: the store is frozen. Its leaves are constants to every tape, no op computes a gradient for
/// them, and no memory is kept for one.
enum class Gradients : std::uint8_t { kept, none };

class ParamStore {
 public:
  /// The parameter at a path; a second request must agree in shape.
  Variable parameter(const std::string& path, Shape shape, Init init);

  /// Allocates the buffers, for values that come from elsewhere. `dtype` is what the model computes in.
  void allocate(DType dtype, Device device, Gradients gradients);
  /// Allocates the buffers and draws the initial values: each from its own stream, named by seed
  /// and path, so that adding a layer leaves the others as they were.
  void materialize(std::uint64_t seed, DType dtype = DType::f32, Device device = {},
                   Gradients gradients = Gradients::kept);

  const Tensor& values() const { return values_; }  ///< f32 or f64
  /// In the dtype of values().
  const Tensor& gradients() const {
    KETTE_CHECK(gradients_.defined(),
                "ParamStore: expected a store with gradients, given one that is frozen or not yet "
                "materialized");
    return gradients_;
  }
  /// Lets go of all values and gradients, of a model that a snapshot decodes for.
  void release();
  /// Zeros in all of them, to begin with.
  void clear_gradients();
  /// The values in bf16, which are what the leaves hold then; otherwise undefined.
  const Tensor& rounded() const { return rounded_; }
  /// Rounds again, after somebody has changed the values.
  void round() const;
  /// A leaf's part of values().
  Tensor value_of(const Leaf& leaf) const;
  /// There before any values are.
  const Shape& shape_of(const Leaf& leaf) const { return by_path_.at(leaf.name).shape; }
  /// Where a leaf's part of the buffers begins.
  std::int64_t begin_of(const Leaf& leaf) const { return by_path_.at(leaf.name).begin; }
  /// "nan in encoder/0/...": the first value that is not finite among `values`, which are laid out
  /// like values() from element `begin` on; nothing where all are finite.
  std::optional<std::string> find_non_finite(const Tensor& values, std::int64_t begin = 0) const;
  /// Elements [0, matrix_elements()) of the buffers belong to matrices, the rest to vectors.
  std::int64_t matrix_elements() const { return matrix_elements_; }
  std::int64_t elements() const { return elements_; }  ///< without alignment gaps
  /// In the order of the model's construction.
  const std::vector<std::shared_ptr<Leaf>>& leaves() const { return leaves_; }
  const Leaf* find(const std::string& path) const;

 private:
  struct Registered {
    std::shared_ptr<Leaf> leaf;
    Shape shape;
    Init init;
    std::int64_t begin = 0;  // in the buffers
  };
  std::map<std::string, Registered> by_path_;
  std::vector<std::shared_ptr<Leaf>> leaves_;
  Tensor values_, gradients_, rounded_;
  std::int64_t matrix_elements_ = 0, elements_ = 0;
};

class Scope {
 public:
  explicit Scope(ParamStore& store, std::string path = "")
      : store_(&store), path_(std::move(path)) {}

  Scope operator/(const std::string& name) const {
    return Scope(*store_, path_.empty() ? name : path_ + "/" + name);
  }
  Scope operator/(std::int64_t index) const { return *this / std::to_string(index); }
  Variable parameter(const std::string& name, Shape shape, Init init) const {
    return store_->parameter((*this / name).path_, shape, init);
  }
  const std::string& path() const { return path_; }

 private:
  ParamStore* store_;
  std::string path_;
};

}  // namespace kette
