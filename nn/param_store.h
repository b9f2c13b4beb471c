// All parameters of a model are in one flat buffer and all gradients in another: one update, one norm, one checkpoint
// write. A Scope is a path such as encoder/3/self_attention. Asking it for a parameter creates and registers the
// parameter. Asking again for the same path returns the same parameter: a tied weight. Matrices come before vectors, so
// that decoupled weight decay, which excludes biases and gains, covers one contiguous range. With bf16 the model
// computes on rounded copies. Gradients are summed and the optimiser works in f32 (Micikevicius et al. 2018, "Mixed
// Precision Training").
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "autograd/variable.h"

namespace kette {

/// How a parameter is initialised.
struct Init {
  enum class Kind { constant, uniform, normal } kind = Kind::constant;
  double value = 0;  ///< the constant, the bound of the uniform, or the standard deviation

  static Init constant(double value) { return {Kind::constant, value}; }
  static Init normal(double deviation) { return {Kind::normal, deviation}; }
  /// Glorot and Bengio 2010, equation (16): uniform within sqrt(6 / (fan_in + fan_out)).
  static Init xavier(std::int64_t fan_in, std::int64_t fan_out);
};

/// none: the store is frozen. Its leaves are constants for every tape: no gradient is computed or stored.
enum class Gradients : std::uint8_t { kept, none };

class ParamStore {
 public:
  ParamStore() = default;
  /// Of one existing parameter, whose value and gradient are its buffers: f32 or f64, with a gradient.
  explicit ParamStore(const std::shared_ptr<Leaf>& leaf);

  /// Creates or returns the parameter at a path. An Error if it exists with another shape.
  Variable parameter(const std::string& path, Shape shape, Init init);

  /// Allocates the buffers without values, for a file to fill. dtype: what the model computes in.
  void allocate(DType dtype, Device device, Gradients gradients);
  /// Allocates the buffers and draws the initial values. Each parameter has its own random stream,
  /// of seed and path, so a new layer does not change the values of others.
  void materialize(std::uint64_t seed, DType dtype = DType::f32, Device device = {},
                   Gradients gradients = Gradients::kept);

  const Tensor& values() const { return values_; }  ///< f32 or f64
  /// Same dtype as values(). An Error if the store is frozen or not materialized.
  const Tensor& gradients() const;
  /// Makes a frozen store learn: allocates gradients of zeros. Does nothing if there are some, or no values yet.
  void keep_gradients();
  /// Frees all values and gradients. For a model of which only the decoding snapshot is used.
  void release();
  /// Sets all gradients to zero.
  void clear_gradients();
  /// The values in bf16, which the leaves use then; undefined if the model does not compute in bf16.
  const Tensor& rounded() const { return rounded_; }
  /// Rounds again. Call it after changing values().
  void round() const;
  /// A view of a leaf's part of values().
  Tensor value_of(const Leaf& leaf) const;
  /// Known before allocation.
  const Shape& shape_of(const Leaf& leaf) const { return by_path_.at(leaf.name).shape; }
  /// The offset of a leaf in the buffers, in elements.
  std::int64_t begin_of(const Leaf& leaf) const { return by_path_.at(leaf.name).begin; }
  /// The first non-finite value, as "nan in encoder/0/..."; empty if all are finite. values: laid
  /// out like values() from element `begin` on.
  std::optional<std::string> find_non_finite(const Tensor& values, std::int64_t begin = 0) const;
  /// Elements [0, matrix_elements()) of the buffers are matrices, the rest vectors.
  std::int64_t matrix_elements() const { return matrix_elements_; }
  std::int64_t elements() const { return elements_; }  ///< without alignment gaps
  /// In the order of registration.
  const std::vector<std::shared_ptr<Leaf>>& leaves() const { return leaves_; }
  /// Null if there is none.
  const Leaf* find(const std::string& path) const;

 private:
  struct Registered {
    std::shared_ptr<Leaf> leaf;
    Shape shape;
    Init init;
    std::int64_t begin = 0;  // offset in the buffers
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
