#include "inspect/heads/head_scores.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "nn/tap.h"

namespace kette {
namespace {

/// How often each token occurs in the sources.
std::map<std::int32_t, std::int64_t> frequencies(const std::vector<Batch>& batches) {
  std::map<std::int32_t, std::int64_t> counts;
  for (const Batch& batch : batches) {
    for (const std::int32_t token : batch.source) ++counts[token];
  }
  return counts;
}

/// Of each sentence the place of its rarest source word, the end mark not counted; the first of equals.
std::vector<std::int64_t> rarest_words(const Batch& batch,
                                       const std::map<std::int32_t, std::int64_t>& counts) {
  std::vector<std::int64_t> places;
  for (std::int64_t i = 0; i < batch.source_segments.count(); ++i) {
    const std::int64_t begin = batch.source_segments.begin(i), end = batch.source_segments.end(i);
    std::int64_t rarest = begin;
    for (std::int64_t row = begin; row + 1 < end; ++row) {
      if (counts.at(batch.source[row]) < counts.at(batch.source[rarest])) rarest = row;
    }
    places.push_back(rarest - begin);
  }
  return places;
}

/// Where each query of a batch looks: [rows][heads] within its sentence.
using Looks = std::vector<std::vector<std::int64_t>>;

/// Sums over the corpus of one head.
struct Sums {
  double entropy = 0, confidence = 0, queries = 0;
  double previous = 0, same = 0, next = 0, has_previous = 0, has_next = 0;
  double sink = 0, rarest = 0;

  HeadScores scores(AttentionKind kind) const {
    const auto share = [](double part, double of) {
      return of > 0 ? part / of : HeadScores::kNone;
    };
    HeadScores result;
    result.entropy = share(entropy, queries);
    result.confidence = share(confidence, queries);
    result.sink = share(sink, queries);
    if (kind != AttentionKind::cross) {
      result.previous = share(previous, has_previous);
      result.same = share(same, queries);
    }
    if (kind == AttentionKind::encoder) result.next = share(next, has_next);
    if (kind != AttentionKind::decoder) result.rarest = share(rarest, queries);
    return result;
  }
};

/// Counts one batch of an attention, and says where its heads look.
Looks count(const AttentionPart& part, const Batch& batch, const Tensor& probabilities,
            const std::vector<std::int64_t>& rarest, std::vector<Sums>& sums) {
  const bool to_source = part.kind != AttentionKind::decoder;
  const bool from_source = part.kind == AttentionKind::encoder;
  const Segments& queries = from_source ? batch.source_segments : batch.target_segments;
  const Segments& keys = to_source ? batch.source_segments : batch.target_segments;
  const std::int64_t longest = probabilities.width();
  const std::vector<float> p = probabilities.values<float>();
  Looks looks;
  for (std::int64_t sentence = 0; sentence < queries.count(); ++sentence) {
    const std::int64_t length = keys.length(sentence);
    for (std::int64_t row = queries.begin(sentence); row < queries.end(sentence); ++row) {
      const std::int64_t place = row - queries.begin(sentence);
      looks.emplace_back();
      for (std::int64_t head = 0; head < part.heads; ++head) {
        const float* of_row = p.data() + (row * part.heads + head) * longest;
        const std::int64_t look = std::max_element(of_row, of_row + length) - of_row;
        Sums& sum = sums[head];
        sum.queries += 1;
        sum.confidence += double(of_row[look]);
        for (std::int64_t key = 0; key < length; ++key) {
          if (of_row[key] > 0) sum.entropy -= double(of_row[key]) * std::log(double(of_row[key]));
        }
        if (part.kind != AttentionKind::cross) {
          sum.has_previous += place > 0;
          sum.has_next += place + 1 < length;
          sum.previous += look == place - 1;
          sum.same += look == place;
          sum.next += look == place + 1;
        }
        sum.sink += look == (to_source ? length - 1 : 0);
        if (to_source) sum.rarest += look == rarest[sentence];
        looks.back().push_back(look);
      }
    }
  }
  return looks;
}

/// A way to read a target word's source off a head: at the step that writes the word, or that reads it. Of each
/// target word of the batch, end marks not among them.
std::vector<std::int64_t> read_off(const Looks& looks, const Segments& targets, std::size_t head,
                                   bool shifted) {
  std::vector<std::int64_t> words;
  for (std::int64_t sentence = 0; sentence < targets.count(); ++sentence) {
    for (std::int64_t row = targets.begin(sentence); row + 1 < targets.end(sentence); ++row) {
      words.push_back(looks[row + (shifted ? 1 : 0)][head]);
    }
  }
  return words;
}

/// How often each head of the cross-attentions agrees with the vote of all of them, in either way to read it.
class Votes {
 public:
  explicit Votes(const std::vector<AttentionPart>& attentions) {
    for (const AttentionPart& part : attentions) {
      agreed_.emplace_back(static_cast<std::size_t>(part.heads));
    }
  }

  /// looks: of each attention that is a cross-attention, otherwise empty.
  void add(const std::vector<Looks>& looks, const Segments& targets) {
    std::vector<std::map<std::int64_t, std::int64_t>> votes;  // of each target word
    each_reading(looks, targets, [&](std::size_t, std::size_t, bool, const auto& words) {
      votes.resize(words.size());
      for (std::size_t i = 0; i < words.size(); ++i) ++votes[i][words[i]];
    });
    std::vector<std::int64_t> elected;
    for (const auto& of_word : votes) {
      elected.push_back(
          std::max_element(of_word.begin(), of_word.end(), [](const auto& a, const auto& b) {
            return a.second < b.second;
          })->first);
    }
    each_reading(looks, targets,
                 [&](std::size_t i, std::size_t head, bool shifted, const auto& words) {
                   for (std::size_t word = 0; word < words.size(); ++word) {
                     agreed_[i][head][shifted ? 1 : 0] += words[word] == elected[word];
                   }
                 });
    words_ += std::ssize(elected);
  }

  double share(std::size_t attention, std::size_t head) const {
    const auto& agreed = agreed_[attention][head];
    return words_ > 0
               ? static_cast<double>(std::max(agreed[0], agreed[1])) / static_cast<double>(words_)
               : HeadScores::kNone;
  }

 private:
  template <class Function>
  void each_reading(const std::vector<Looks>& looks, const Segments& targets,
                    const Function& function) const {
    for (std::size_t i = 0; i < looks.size(); ++i) {
      for (std::size_t head = 0; !looks[i].empty() && head < agreed_[i].size(); ++head) {
        for (const bool shifted : {false, true}) {
          function(i, head, shifted, read_off(looks[i], targets, head, shifted));
        }
      }
    }
  }

  std::vector<std::vector<std::array<std::int64_t, 2>>> agreed_;
  std::int64_t words_ = 0;
};

/// Counts the probabilities of each attention as they come by, and keeps none: all together they are the largest values
/// of a pass over a long text.
class Counting final : public Tap {
 public:
  Counting(const std::vector<AttentionPart>& attentions, const Batch& batch,
           const std::vector<std::int64_t>& rarest, std::vector<std::vector<Sums>>& sums)
      : attentions_(attentions), batch_(batch), rarest_(rarest), sums_(sums) {
    for (std::size_t i = 0; i < attentions.size(); ++i) {
      places_[points::probabilities(attentions[i].path)] = i;
    }
  }

  bool wants(const std::string& point) const override { return places_.contains(point); }
  Variable at(const std::string& point, const Variable& value) override {
    const std::size_t i = places_.at(point);
    Looks of_part = count(attentions_[i], batch_, value.value(), rarest_, sums_[i]);
    if (attentions_[i].kind == AttentionKind::cross) looks_[i] = std::move(of_part);
    return value;
  }
  /// Of each attention, where its heads look; empty unless it is a cross-attention.
  const std::vector<Looks>& looks() const { return looks_; }

 private:
  const std::vector<AttentionPart>& attentions_;
  const Batch& batch_;
  const std::vector<std::int64_t>& rarest_;
  std::vector<std::vector<Sums>>& sums_;
  std::map<std::string, std::size_t> places_;
  std::vector<Looks> looks_ = std::vector<Looks>(attentions_.size());
};

}  // namespace

std::vector<HeadScores> head_scores(const AutoregressiveModel& model,
                                    const std::vector<Batch>& batches) {
  const std::vector<AttentionPart> attentions = attentions_of(model);
  const auto counts = frequencies(batches);
  std::vector<std::vector<Sums>> sums;
  for (const AttentionPart& part : attentions) {
    sums.emplace_back(static_cast<std::size_t>(part.heads));
  }
  Votes votes(attentions);
  for (const Batch& batch : batches) {
    const std::vector<std::int64_t> rarest = rarest_words(batch, counts);
    Counting counting(attentions, batch, rarest, sums);
    Run run(&counting);
    model.logits(batch, run);
    votes.add(counting.looks(), batch.target_segments);
  }
  std::vector<HeadScores> result;
  for (std::size_t i = 0; i < attentions.size(); ++i) {
    for (std::size_t head = 0; head < sums[i].size(); ++head) {
      result.push_back(sums[i][head].scores(attentions[i].kind));
      if (attentions[i].kind == AttentionKind::cross)
        result.back().alignment = votes.share(i, head);
    }
  }
  return result;
}

}  // namespace kette
