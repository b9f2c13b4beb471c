#include "inspect/heads/head_pruning.h"

#include <algorithm>
#include <numeric>

#include "autograd/ops/embedding.h"
#include "autograd/ops/shaping.h"

namespace kette {
namespace {

/// The heads of one attention that stay.
class RemainingHeads {
 public:
  RemainingHeads(const HeadShape& heads, std::vector<std::int64_t> stay)
      : heads_(heads), stay_(std::move(stay)) {}

  /// Of a map whose rows are `blocks` blocks of all heads.
  void copy_rows(const Linear& from, const Linear& to, std::int64_t blocks) const {
    copy(from.weight, blocks, heads_.width, to.weight);
    if (from.bias.leaf()) copy(from.bias, blocks, heads_.width, to.bias);
  }
  /// Of the map from all heads back to the stream.
  void copy_columns(const Linear& from, const Linear& to) const {
    const Tensor &whole = from.weight.value(), &part = to.weight.value();
    const Tensor rows = Tensor::empty({part.width(), part.rows()}, part.dtype(), part.device());
    copy(transpose(whole), 1, heads_.width, rows);
    part.copy_from(transpose(rows).value());
  }
  /// Of parameters with a number for each head.
  void copy_numbers(const std::vector<Variable>& from, const std::vector<Variable>& to) const {
    for (std::size_t i = 0; i < from.size(); ++i) copy(from[i], 1, 1, to[i]);
  }

 private:
  /// Those rows of `from` that belong to the heads, each of `width` rows in each of the blocks.
  void copy(const Variable& from, std::int64_t blocks, std::int64_t width,
            const Variable& to) const {
    std::vector<std::int32_t> places;
    for (std::int64_t block = 0; block < blocks; ++block) {
      for (const std::int64_t head : stay_) {
        for (std::int64_t i = 0; i < width; ++i) {
          places.push_back(static_cast<std::int32_t>((block * heads_.count + head) * width + i));
        }
      }
    }
    const Tensor& whole = from.value();
    const std::int64_t rows = whole.shape()[0];
    const Variable taken = embedding(whole.reshaped({rows, whole.elements() / rows}),
                                     Tensor::from(places, whole.device()));
    to.value().copy_from(taken.value().reshaped(to.shape()));
  }

  HeadShape heads_;
  std::vector<std::int64_t> stay_;
};

/// The blocks of encoder and decoder.
std::vector<const Block*> blocks_of(const AutoregressiveModel& model) {
  std::vector<const Block*> blocks;
  for (const Block& block : model.encoder()) blocks.push_back(&block);
  for (const Block& block : model.decoder()) blocks.push_back(&block);
  return blocks;
}

}  // namespace

std::vector<Head> by_importance(const std::vector<AttentionPart>& attentions,
                                const std::vector<HeadImportance>& importance,
                                double HeadImportance::*measure) {
  const std::vector<Head> heads = heads_of(attentions);
  std::vector<std::size_t> order(heads.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return importance[a].*measure < importance[b].*measure;
  });
  std::vector<Head> ordered;
  for (const std::size_t place : order) ordered.push_back(heads[place]);
  return ordered;
}

std::vector<Head> least_important(const std::vector<AttentionPart>& attentions,
                                  const std::vector<HeadImportance>& importance,
                                  std::int64_t count) {
  std::vector<std::int64_t> left;
  for (const AttentionPart& part : attentions) left.push_back(part.heads);
  std::vector<Head> chosen;
  for (const Head& head : by_importance(attentions, importance)) {
    if (std::ssize(chosen) == count) break;
    std::int64_t& of_attention = left[head.attention];
    if (of_attention == 1) continue;
    --of_attention;
    chosen.push_back(head);
  }
  KETTE_CHECK(std::ssize(chosen) == count, "prune: expected at most ", chosen.size(),
              " heads, so that each of ", attentions.size(), " attentions keeps one, given ",
              count);
  return chosen;
}

std::unique_ptr<AutoregressiveModel> without_heads(const AutoregressiveModel& model,
                                                   const std::vector<Head>& removed) {
  const std::vector<AttentionPart> attentions = attentions_of(model);
  std::vector<std::vector<std::int64_t>> stay;
  for (std::int64_t i = 0; i < std::ssize(attentions); ++i) {
    stay.emplace_back();
    for (std::int64_t head = 0; head < attentions[i].heads; ++head) {
      const bool goes = std::any_of(removed.begin(), removed.end(), [&](const Head& other) {
        return other.attention == i && other.head == head;
      });
      if (!goes) stay.back().push_back(head);
    }
  }
  const auto config = model.config().clone();
  config->heads_left.clear();
  for (const auto& heads : stay) config->heads_left.push_back(std::ssize(heads));
  std::unique_ptr<AutoregressiveModel> smaller(
      dynamic_cast<AutoregressiveModel*>(config->make_model().release()));
  const Tensor& like = model.parameters().values();
  smaller->allocate(like.dtype(), like.device(), Gradients::none);
  for (const auto& leaf : model.parameters().leaves()) {
    const Tensor& to = smaller->parameters().find(leaf->name)->value;
    if (to.shape() == leaf->value.shape()) to.copy_from(leaf->value);
  }
  const std::vector<const Block*> from = blocks_of(model), to = blocks_of(*smaller);
  auto heads = stay.begin();
  for (std::size_t i = 0; i < from.size(); ++i) {
    const MultiHeadSelfAttention &whole = from[i]->self_attention, &part = to[i]->self_attention;
    const RemainingHeads remaining(whole.heads, *heads++);
    remaining.copy_rows(whole.query_key_value, part.query_key_value, 3);
    remaining.copy_numbers(whole.mixer->head_parameters(), part.mixer->head_parameters());
    remaining.copy_columns(whole.output, part.output);
  }
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (!from[i]->cross_attention) continue;
    const MultiHeadCrossAttention &whole = *from[i]->cross_attention,
                                  &part = *to[i]->cross_attention;
    const RemainingHeads remaining(whole.heads, *heads++);
    remaining.copy_rows(whole.query, part.query, 1);
    remaining.copy_rows(whole.key_value, part.key_value, 2);
    remaining.copy_columns(whole.output, part.output);
  }
  return smaller;
}

}  // namespace kette
