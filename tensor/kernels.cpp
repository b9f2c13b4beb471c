// Checks of arguments that the kernels of all devices share. They also count the FLOPs of products
// (tensor/observer.h).
#include "tensor/kernels.h"

#include <algorithm>

#include "tensor/observer.h"
#include "tensor/token_draw.h"

namespace kette {
namespace {

/// FLOPs of a product [m, k] x [k, n].
double product_flops(std::int64_t m, std::int64_t n, std::int64_t k) {
  return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
}

/// FLOPs of one product over all pairs of a query and a visible key, in all heads.
double attention_flops(const AttentionArgs& args) {
  double pairs = 0;
  for (std::int64_t i = 0; i < args.query_segments.count(); ++i) {
    pairs += args.pattern.pairs(args.query_segments.length(i), args.key_segments.length(i));
  }
  return 2 * pairs * static_cast<double>(args.heads * args.head_width);
}

/// FLOPs of adding all keys to the state and of all queries times the state, in all heads.
double linear_attention_flops(std::int64_t rows, std::int64_t heads, std::int64_t head_width) {
  return 2 * product_flops(rows, heads * head_width, head_width);
}

}  // namespace

Matrix Matrix::columns(std::int64_t begin, std::int64_t count) const {
  Matrix result = *this;
  result.first_ += begin;
  result.width_ = count;
  return result;
}

Matrix Matrix::transposed() const {
  Matrix result = *this;
  result.is_transposed_ = !is_transposed_;
  return result;
}

void* Matrix::data() const {
  return static_cast<char*>(rows_.raw()) + first_ * static_cast<std::int64_t>(size_of(dtype()));
}

MatmulArgs MatmulArgs::of(const Matrix& c, const Matrix& a, const Matrix& b, double alpha,
                          double beta) {
  KETTE_CHECK(!c.is_transposed() && a.height() == c.height() && b.width() == c.width() &&
                  a.width() == b.height() && a.dtype() == b.dtype(),
              "matmul: expected C [m, n] of A [m, k] and B [k, n], given [", c.height(), ", ",
              c.width(), "], [", a.height(), ", ", a.width(), "] and [", b.height(), ", ",
              b.width(), "]");
  MatmulArgs args;
  args.dtype = a.dtype();
  args.wide_result = c.dtype() != a.dtype();
  args.a = a.data();
  args.b = b.data();
  args.c = c.data();
  args.m = c.height();
  args.n = c.width();
  args.k = a.width();
  args.lda = a.leading_dimension();
  args.ldb = b.leading_dimension();
  args.ldc = c.leading_dimension();
  args.transpose_a = a.is_transposed();
  args.transpose_b = b.is_transposed();
  args.alpha = alpha;
  args.beta = beta;
  return args;
}

void MatmulArgs::check() const {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  KETTE_CHECK(std::max({m, n, k, lda, ldb, ldc}) <= kMost,
              "matmul: expected sides below 2^31, given m = ", m, ", n = ", n, ", k = ", k);
  const bool plain = bias == nullptr && pre_activation == nullptr && kept == nullptr;
  KETTE_CHECK(!wide_result || (plain && activation == Activation::none && column_sums == nullptr),
              "matmul: expected neither bias nor activation for a wide result, given one");
  KETTE_CHECK(kept == nullptr || (bias == nullptr && pre_activation == nullptr && beta == 0),
              "matmul: expected neither bias nor beta beside a derivative, given one");
  const bool sums = column_sums != nullptr || a_row_sums != nullptr;
  KETTE_CHECK((kept == nullptr && !sums) || (batch == 1 && ldc == n),
              "matmul: expected one C without gaps for a derivative and sums, given ", batch,
              " with rows of ", ldc);
  KETTE_CHECK(a_row_sums == nullptr || transpose_a,
              "matmul: expected A transposed to take sums of its rows, given another");
  KETTE_CHECK(a_row_sums == nullptr || (kept == nullptr && column_sums == nullptr),
              "matmul: expected sums of A's rows, or a derivative and sums of columns, given both");
  count_flops(static_cast<double>(batch) * product_flops(m, n, k));
}

void AttentionArgs::check() const {
  pattern.check("attention", heads);
  KETTE_CHECK(!pattern.is_linear(), "attention: expected weights of a softmax, given linear ones");
  KETTE_CHECK(query_segments.count() == key_segments.count(),
              "attention: expected as many key as query sequences, given ", key_segments.count(),
              " and ", query_segments.count());
  KETTE_CHECK(!dropout.active() || dropout_width >= key_segments.longest(),
              "attention: expected a dropout width of at least the longest key sequence, ",
              key_segments.longest(), ", given ", dropout_width);
  count_flops(2 * attention_flops(*this));
}

void AttentionGradients::check(const AttentionArgs& args) const {
  args.check();
  count_flops(3 * attention_flops(args));
}

void LinearAttentionArgs::check() const {
  pattern.check("linear attention", heads);
  KETTE_CHECK(pattern.is_linear(),
              "linear attention: expected a pattern of linear weights, given a softmax");
  count_flops(linear_attention_flops(segments.rows(), heads, head_width));
}

void LinearAttentionGradients::check(const LinearAttentionArgs& args) const {
  args.check();
  // Each of the three gradients takes as much as the output; args.check() counted that once.
  count_flops(2 * linear_attention_flops(args.segments.rows(), args.heads, args.head_width));
}

void LinearStepArgs::check() const {
  pattern.check("linear attention", heads);
  const std::int64_t of_state = key_heads() * linear_weights::state_size(head_width());
  KETTE_CHECK(qkv.dtype() == DType::f32 && qkv.rows() == output.rows() &&
                  qkv.width() == output.width() + 2 * key_heads() * head_width(),
              "linear attention: expected queries, keys and values f32 [", output.rows(), ", ",
              output.width() + 2 * key_heads() * head_width(), "], given ", qkv.str());
  KETTE_CHECK(states.dtype() == DType::f32 && states.width() == of_state,
              "linear attention: expected states f32 [slots, ", of_state, "], given ",
              states.str());
  places.check("linear attention", output.rows());
  count_flops(linear_attention_flops(output.rows(), heads, head_width()));
}

PrepackedWeight PrepackedWeight::sizes_of(const Tensor& matrix, const Tensor& bias, DType panels) {
  const bool takes_int8 = matrix.device().takes_int8_weights();
  KETTE_CHECK(
      panels == DType::f32 || panels == DType::bf16 || (takes_int8 && panels == DType::int8),
      "prepack_linear: expected panels in f32, bf16 or on a CPU int8, given ", name_of(panels),
      " on ", matrix.device().str());
  KETTE_CHECK(matrix.shape().rank() == 2, "prepack_linear: expected a matrix [out, in], given ",
              matrix.str());
  PrepackedWeight weight;
  weight.out = matrix.rows();
  weight.in = matrix.width();
  KETTE_CHECK(!bias.defined() || bias.elements() == weight.out,
              "prepack_linear: expected a bias of ", weight.out, " entries, given ", bias.str());
  return weight;
}

void PrepackedLinearArgs::check() const {
  KETTE_CHECK(x.width() == weight->in && y.rows() == x.rows() && y.width() == weight->out,
              "prepacked_linear: expected x [rows, ", weight->in, "] and y [rows, ", weight->out,
              "], given ", x.str(), " and ", y.str());
  count_flops(product_flops(x.rows(), weight->out, weight->in));
}

void CachedAttentionArgs::check() const {
  rows.pattern.check("cached attention", rows.heads);
  KETTE_CHECK((cache.dtype() == DType::f32 || cache.dtype() == DType::bf16) &&
                  cache.width() == 2 * rows.key_width(),
              "cached attention: expected a cache f32 or bf16 [slots, ", 2 * rows.key_width(),
              "], given ", cache.str());
  places.check("cached attention", rows.rows());
}

void CachePlaces::check(const char* op, std::int64_t rows) const {
  for (const Tensor* row : {&lines, &positions}) {
    KETTE_CHECK(row->dtype() == DType::i32 && row->elements() == rows, op,
                ": expected a line and a position, i32, for each of ", rows, " rows, given ",
                row->str());
  }
  KETTE_CHECK(table.dtype() == DType::i32 && table.shape().rank() == 2, op,
              ": expected a table i32 [lines, positions], given ", table.str());
}

Tensor TokenMasks::pack(const std::vector<std::vector<bool>>& masks, Device device) {
  KETTE_CHECK(!masks.empty(), "masks: expected at least one, given none");
  const std::size_t words = (masks.front().size() + 31) / 32;
  std::vector<std::int32_t> lines;
  for (const std::vector<bool>& mask : masks) {
    std::vector<std::uint32_t> line(words);
    for (std::size_t v = 0; v < mask.size(); ++v) line[v / 32] |= std::uint32_t{mask[v]} << v % 32;
    lines.insert(lines.end(), line.begin(), line.end());
  }
  return Tensor::from(lines, {std::ssize(masks), static_cast<std::int64_t>(words)}, device);
}

void SampleArgs::check() const {
  KETTE_CHECK(logits.dtype() == DType::f32 && logits.shape().rank() == 2 && logits.width() >= 1 &&
                  logits.width() <= kMostTokens,
              "sample: expected logits f32 [rows, vocabulary] of 1 to ", kMostTokens,
              " tokens, given ", logits.str());
  const std::int64_t rows = logits.rows();
  const auto expect = [&](const char* what, const Tensor& given, DType dtype, const Shape& shape) {
    KETTE_CHECK(given.defined() && given.dtype() == dtype && given.shape() == shape,
                "sample: expected ", what, " ", name_of(dtype), " ", shape.str(), ", given ",
                given.defined() ? given.str() : "none");
  };
  expect("temperatures and top_p", settings.reals, DType::f64, {2, rows});
  expect("top_k, seeds and texts", settings.whole, DType::i32, {4, rows});
  expect("positions", positions, DType::i32, {rows});
  expect("room for what is drawn,", drawn, DType::i32, {2, rows});
}

LinearCrossEntropyArgs LinearCrossEntropyArgs::rows(std::int64_t begin, std::int64_t count) const {
  LinearCrossEntropyArgs part = *this;
  part.x = x.slice(begin, begin + count);
  part.targets = targets.slice(begin, begin + count);
  if (dx.defined()) part.dx = dx.slice(begin, begin + count);
  return part;
}

void LinearCrossEntropyArgs::check() const {
  constexpr const char* op = "linear_cross_entropy: expected ";
  const std::int64_t rows = x.rows(), vocabulary = weight.rows();
  KETTE_CHECK(x.shape().rank() == 2 && weight.shape().rank() == 2 && x.width() == weight.width(),
              op, "x [rows, width] and weight [vocabulary, width], given ", x.shape(), " and ",
              weight.shape());
  KETTE_CHECK(smoothing >= 0 && smoothing <= 1, op, "a smoothing of 0 to 1, given ", smoothing);
  KETTE_CHECK(targets.dtype() == DType::i32 && targets.elements() == rows, op, rows,
              " targets of type i32, given ", targets.str());
  KETTE_CHECK(!views || rows % 2 == 0, op, "an even number of rows, two for each token, given ",
              rows);
  KETTE_CHECK(sums.defined() && sums.dtype() == DType::f64 && sums.elements() == 3, op,
              "sums of type f64 [3], given ", sums.str());
  for (const Tensor* tensor : {&weight, &bias, &targets, &sums, &loss, &dx, &dweight, &dbias}) {
    KETTE_CHECK(!tensor->defined() || tensor->device() == x.device(), op, "all on ",
                x.device().str(), ", given ", tensor->str());
  }
  const auto check_dtype = [&](const Tensor& tensor, DType dtype, const char* what) {
    KETTE_CHECK(!tensor.defined() || tensor.dtype() == dtype, op, what, " of type ", name_of(dtype),
                ", given ", tensor.str());
  };
  for (const Tensor* tensor : {&weight, &bias, &dx}) check_dtype(*tensor, x.dtype(), "all");
  for (const Tensor* tensor : {&dweight, &dbias}) {
    check_dtype(*tensor, compute_dtype(x.dtype()), "sums");
  }
  for (const Tensor* tensor : {&bias, &dbias}) {
    KETTE_CHECK(!tensor->defined() || tensor->elements() == vocabulary, op, "a bias of ",
                vocabulary, " entries, given ", tensor->shape());
  }
  KETTE_CHECK(!dx.defined() || dx.shape() == x.shape(), op, "dx ", x.shape(), ", given ",
              dx.shape());
  KETTE_CHECK(!dweight.defined() || dweight.shape() == weight.shape(), op, "dweight ",
              weight.shape(), ", given ", dweight.shape());
}

void LinearCrossEntropyArgs::check_targets() const {
  const std::int64_t rows = targets.elements(), vocabulary = weight.rows();
  const std::int32_t* target = targets.data<std::int32_t>();
  for (std::int64_t row = 0; row < rows; ++row) {
    KETTE_CHECK(target[row] >= 0 && target[row] < vocabulary,
                "linear_cross_entropy: expected targets of 0 to ", vocabulary - 1, ", given ",
                target[row], " in row ", row);
  }
  const std::int64_t tokens = views && rows % 2 == 0 ? rows / 2 : rows;
  for (std::int64_t row = tokens; row < rows; ++row) {
    KETTE_CHECK(target[row] == target[row - tokens],
                "linear_cross_entropy: expected the same target for both views of a token, given ",
                target[row - tokens], " in row ", row - tokens, " and ", target[row], " in row ",
                row);
  }
}

}  // namespace kette
