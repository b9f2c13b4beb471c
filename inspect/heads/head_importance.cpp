#include "inspect/heads/head_importance.h"

#include <cmath>

#include "autograd/tape.h"
#include "inspect/heads/head_gates.h"

namespace kette {

std::vector<HeadImportance> head_importance(const AutoregressiveModel& model,
                                            const std::vector<Batch>& batches) {
  const std::vector<AttentionPart> attentions = attentions_of(model);
  const Tensor& like = model.token_embedding().table.value();
  std::vector<std::vector<double>> sums;  // of each attention, by head
  for (const AttentionPart& part : attentions) {
    sums.emplace_back(static_cast<std::size_t>(part.heads));
  }
  std::int64_t sentences = 0;
  for (const Batch& batch : batches) {
    Tape tape;
    HeadGates gates;
    std::vector<Variable> watched;
    const auto rows_of = [&](const AttentionPart& part) -> const Segments& {
      return part.kind == AttentionKind::encoder ? batch.source_segments : batch.target_segments;
    };
    for (const AttentionPart& part : attentions) {
      watched.push_back(tape.watch(
          Tensor::full({rows_of(part).rows(), part.heads}, 1, like.dtype(), like.device())));
      gates.set(part, watched.back());
    }
    Run run(&gates);
    tape.backward(model.loss(batch, {}, run));
    for (std::size_t i = 0; i < attentions.size(); ++i) {
      const std::vector<double> gradient = tape.gradient(watched[i]).values<double>();
      const Segments& rows = rows_of(attentions[i]);
      const std::int64_t heads = attentions[i].heads;
      for (std::int64_t sentence = 0; sentence < rows.count(); ++sentence) {
        for (std::int64_t head = 0; head < heads; ++head) {
          double sum = 0;
          for (std::int64_t row = rows.begin(sentence); row < rows.end(sentence); ++row) {
            sum += gradient[row * heads + head];
          }
          sums[i][head] += std::abs(sum);
        }
      }
    }
    sentences += batch.target_segments.count();
  }
  KETTE_CHECK(sentences > 0, "head importance: expected at least one sentence, given none");
  std::vector<HeadImportance> result;
  for (const std::vector<double>& of_heads : sums) {
    double squares = 0;
    for (const double sum : of_heads) squares += sum * sum;
    for (const double sum : of_heads) {
      result.push_back(
          {sum / static_cast<double>(sentences), squares > 0 ? sum / std::sqrt(squares) : 0});
    }
  }
  return result;
}

}  // namespace kette
