#include "inspect/passes/logit_lens.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "tensor/parallel_for.h"

namespace kette {
namespace {

LensReading reading(const std::vector<double>& p, const std::vector<double>& last,
                    std::int64_t count) {
  LensReading result;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i] <= 0) continue;
    result.entropy -= p[i] * std::log(p[i]);
    result.divergence += p[i] * (std::log(p[i]) - std::log(std::max(last[i], 1e-300)));
  }
  std::vector<std::int32_t> tokens(p.size());
  std::iota(tokens.begin(), tokens.end(), 0);
  const auto most = tokens.begin() + std::min<std::ptrdiff_t>(count, std::ssize(tokens));
  std::partial_sort(tokens.begin(), most, tokens.end(), [&](std::int32_t a, std::int32_t b) {
    return p[a] != p[b] ? p[a] > p[b] : a < b;
  });
  for (auto token = tokens.begin(); token != most; ++token) {
    result.best.push_back({*token, p[*token]});
  }
  return result;
}

}  // namespace

std::vector<std::vector<double>> softmax_rows(const Tensor& logits) {
  const std::vector<double> values = logits.values<double>();
  const std::int64_t width = logits.width();
  std::vector<std::vector<double>> rows(static_cast<std::size_t>(logits.rows()));
  parallel_for(logits.rows(), 1, [&](std::int64_t row) {
    std::vector<double> p(values.begin() + row * width, values.begin() + (row + 1) * width);
    const double most = *std::max_element(p.begin(), p.end());
    double sum = 0;
    for (double& value : p) sum += value = std::exp(value - most);
    for (double& value : p) value /= sum;
    rows[row] = std::move(p);
  });
  return rows;
}

bool is_for_logit_lens(const AutoregressiveModel& model, const std::string& point) {
  for (std::int64_t level = 0; level <= std::ssize(model.decoder()); ++level) {
    if (point == level_point(model, Side::target, level)) return true;
  }
  return false;
}

std::vector<std::vector<LensReading>> logit_lens(const AutoregressiveModel& model,
                                                 const Activations& activations,
                                                 std::int64_t count) {
  const auto levels = std::ssize(model.decoder());
  const Norm* norm = model.decoder_norm();
  std::vector<std::vector<LensReading>> readings(static_cast<std::size_t>(levels + 1));
  std::vector<std::vector<double>> last;
  for (std::int64_t level = levels; level >= 0; --level) {
    const Variable stream = activations[level_point(model, Side::target, level)];
    const auto p = softmax_rows(model.logits(norm ? (*norm)(stream) : stream).value());
    if (level == levels) last = p;
    for (std::size_t row = 0; row < p.size(); ++row) {
      readings[level].push_back(reading(p[row], last[row], count));
    }
  }
  return readings;
}

double agreement_with(const std::vector<std::vector<double>>& answers,
                      const std::vector<LensReading>& level) {
  KETTE_CHECK(answers.size() == level.size() && !level.empty(),
              "logit lens: expected as many answers as rows, given ", answers.size(), " of ",
              level.size());
  std::int64_t same = 0;
  for (std::size_t row = 0; row < level.size(); ++row) {
    const std::vector<double>& p = answers[row];
    const auto best = std::max_element(p.begin(), p.end());
    const LensReading::Guess& guess = level[row].best.front();
    same += guess.token == best - p.begin() && guess.probability == *best;
  }
  return static_cast<double>(same) / static_cast<double>(level.size());
}

void LensMeans::add(const std::vector<std::vector<LensReading>>& levels,
                    std::span<const std::int32_t> targets) {
  for (auto* sums : {&divergence_, &agreement_, &accuracy_}) sums->resize(levels.size());
  for (std::size_t level = 0; level < levels.size(); ++level) {
    for (std::size_t row = 0; row < levels[level].size(); ++row) {
      const LensReading& reading = levels[level][row];
      const std::int32_t best = reading.best.front().token;
      divergence_[level] += reading.divergence;
      agreement_[level] += best == levels.back()[row].best.front().token;
      accuracy_[level] += best == targets[row];
    }
  }
  rows_ += static_cast<double>(levels.back().size());
}

EncoderExit::EncoderExit(const AutoregressiveModel& model, std::int64_t level)
    : from_(level_point(model, Side::source, level)),
      to_(level_point(model, Side::source, std::ssize(model.encoder()))) {}

Variable EncoderExit::at(const std::string& point, const Variable& value) {
  static thread_local Variable kept;  // from one point to the other, within one pass
  if (point == from_) kept = value;
  return point == to_ ? std::exchange(kept, {}) : value;
}

}  // namespace kette
