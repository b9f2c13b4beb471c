#include "inspect/heads/head_circuits.h"

#include <cmath>
#include <complex>

#include "autograd/ops/matmul.h"
#include "tensor/random.h"

namespace kette {
namespace {

/// Rows [begin, begin + count) of a weight, each element times the gain of its column.
DenseMatrix weight_rows(const Tensor& weight, std::int64_t begin, std::int64_t count,
                        const std::vector<double>& gain) {
  DenseMatrix result(count, weight.width());
  result.values = weight.slice(begin, begin + count).values<double>();
  for (std::int64_t row = 0; row < count && !gain.empty(); ++row) {
    for (std::int64_t column = 0; column < result.columns; ++column) {
      result(row, column) *= gain[column];
    }
  }
  return result;
}

const Block& block_of(const AutoregressiveModel& model, const AttentionPart& part) {
  return (part.kind == AttentionKind::encoder ? model.encoder() : model.decoder())[part.layer];
}

std::vector<double> gain_of(const AddAndNorm& norm) {
  if (norm.order != NormOrder::pre || norm.norm.kind == NormKind::none) return {};
  return norm.norm.gain.value().values<double>();
}

/// |L^T M R| with the r x r matrix M in the middle.
double product_norm(const DenseMatrix& left, const DenseMatrix& inner, const DenseMatrix& right) {
  // |L^T M R|^2 = trace(M^T (L L^T) M (R R^T))
  const DenseMatrix a = product(product(left, transposed(left)), inner);
  const DenseMatrix b = product(inner, product(right, transposed(right)));
  double sum = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i) sum += a.values[i] * b.values[i];
  return std::sqrt(std::max(0.0, sum));
}

DenseMatrix identity(std::int64_t size) {
  DenseMatrix result(size, size);
  for (std::int64_t i = 0; i < size; ++i) result(i, i) = 1;
  return result;
}

}  // namespace

std::vector<HeadCircuit> head_circuits(const AutoregressiveModel& model) {
  std::vector<HeadCircuit> circuits;
  for (const AttentionPart& part : attentions_of(model)) {
    const Block& block = block_of(model, part);
    const bool cross = part.kind == AttentionKind::cross;
    const Tensor inputs = part.values->merged_weight(), outputs = part.output->merged_weight();
    const Tensor queries = cross ? block.cross_attention->query.merged_weight() : inputs;
    const std::int64_t width = inputs.width(), inner = part.total_width(),
                       head_width = part.head_width;
    const std::vector<double> gain =
        gain_of(cross ? *block.cross_attention_norm : block.self_attention_norm);
    const std::vector<double> memory_gain = cross ? std::vector<double>() : gain;
    const std::vector<double> all_outputs = outputs.values<double>();
    for (std::int64_t head = 0; head < part.heads; ++head) {
      const std::int64_t first = head * head_width;
      // Keys and values are the last two blocks of the rows, queries the first.
      const std::int64_t values = inputs.rows() - part.key_width(),
                         keys = values - part.key_width(), of_keys = head / part.group * head_width;
      HeadCircuit circuit{weight_rows(queries, first, head_width, gain),
                          weight_rows(inputs, keys + of_keys, head_width, memory_gain),
                          weight_rows(inputs, values + of_keys, head_width, memory_gain),
                          DenseMatrix(width, head_width)};
      for (std::int64_t row = 0; row < width; ++row) {
        for (std::int64_t k = 0; k < head_width; ++k) {
          circuit.output(row, k) = all_outputs[row * inner + first + k];
        }
      }
      circuits.push_back(std::move(circuit));
    }
  }
  return circuits;
}

std::vector<double> copying_scores(const AutoregressiveModel& model) {
  const Tensor table = model.token_embedding().table.value().to(DType::f32);
  const Tensor output_matrix = model.output().weight.value().to(DType::f32);
  const Tensor both = matmul(table, output_matrix, true).value();  // E^T E_out
  DenseMatrix embedded(both.rows(), both.width());
  embedded.values = both.values<double>();
  const bool two_vocabularies = &model.source_embedding() != &model.token_embedding();
  const std::vector<AttentionPart> attentions = attentions_of(model);
  const std::vector<Head> heads = heads_of(attentions);
  const std::vector<HeadCircuit> circuits = head_circuits(model);
  std::vector<double> scores;
  for (std::size_t i = 0; i < circuits.size(); ++i) {
    const HeadCircuit& circuit = circuits[i];
    if (two_vocabularies && attentions[heads[i].attention].kind != AttentionKind::decoder) {
      scores.push_back(std::nan(""));
      continue;
    }
    // The eigenvalues other than 0 of E_out W_O W_V E^T are those of W_V E^T E_out W_O, which is small.
    double sum = 0, moduli = 0;
    for (const std::complex<double>& value :
         eigenvalues(product(product(circuit.value, embedded), circuit.output))) {
      sum += value.real();
      moduli += std::abs(value);
    }
    scores.push_back(moduli > 0 ? sum / moduli : 0);
  }
  return scores;
}

Composition composition(const HeadCircuit& earlier, const HeadCircuit& later) {
  const DenseMatrix unit = identity(earlier.value.rows);
  const DenseMatrix later_outputs = transposed(later.output);
  const double written = product_norm(transposed(earlier.output), unit, earlier.value);
  const double looked = product_norm(later.query, unit, later.key);
  const double moved = product_norm(later_outputs, unit, later.value);
  // A head that does nothing is composed with none.
  const auto share = [&](double norm, double other) {
    return norm > 0 ? norm / (other * written) : 0;
  };
  return {
      share(product_norm(later.key, product(later.query, earlier.output), earlier.value), looked),
      share(product_norm(later.query, product(later.key, earlier.output), earlier.value), looked),
      share(product_norm(later_outputs, product(later.value, earlier.output), earlier.value),
            moved)};
}

double random_composition(std::int64_t width, std::int64_t head_width, std::uint64_t seed) {
  constexpr std::int64_t kTimes = 8;
  Random random(seed);
  const auto draw = [&](std::int64_t rows, std::int64_t columns) {
    DenseMatrix result(rows, columns);
    for (double& value : result.values) value = random.normal();
    return result;
  };
  double sum = 0;
  for (std::int64_t i = 0; i < kTimes; ++i) {
    HeadCircuit circuits[2];
    for (HeadCircuit& circuit : circuits) {
      circuit = {draw(head_width, width), draw(head_width, width), draw(head_width, width),
                 draw(width, head_width)};
    }
    sum += composition(circuits[0], circuits[1]).key;
  }
  return sum / kTimes;
}

}  // namespace kette
