#include "decode/masked_words.h"

#include <algorithm>
#include <cmath>

#include "autograd/ops/embedding.h"
#include "data/corpora/masking.h"
#include "decode/predictions.h"

namespace kette {
namespace {

using Ids = std::vector<std::int32_t>;

/// Predictions for the masked positions of each text.
Predictions predict_places(const Bert& model, const Batch& batch, std::int64_t count,
                           const TokenMasks& masks) {
  const Device device = model.output().prepacked->panels.device();
  Run inference;
  const Variable states = model.encoder()(batch, inference);
  const Tensor rows = rows_of_places(batch.target_in, batch.source_segments, batch.target_segments);
  const Variable masked = model.head(embedding(states, rows.to(device)), inference);
  return predict(model.output(), masked.value(), count, masks,
                 Tensor::from(batch.target_out, device));
}

void check_ready(const Bert& model) {
  KETTE_CHECK(model.output().prepacked,
              "masks: expected a model made ready for decoding, given one that trains (call "
              "for_decoding())");
}

/// Scores texts, with as many in a batch as there are rows for.
class PseudoScorer {
 public:
  PseudoScorer(const Bert& model, const Tokenizer& tokenizer, std::int64_t most_rows)
      : model_(model),
        special_(tokenizer.special()),
        mask_(tokenizer.expected_mask()),
        most_rows_(most_rows) {}

  /// Reads the text once for each token, with a mask in its place.
  void add(const Ids& tokens) {
    const Ids ids = between_marks(tokens, special_);
    scores_.push_back({0, std::ssize(tokens)});
    for (std::size_t place = 1; place + 1 < ids.size(); ++place) {
      if (std::ssize(batch_.source) + std::ssize(ids) > most_rows_) read();
      const std::size_t begin = batch_.source.size();
      batch_.source.insert(batch_.source.end(), ids.begin(), ids.end());
      batch_.source[begin + place] = mask_;
      batch_.target_in.push_back(static_cast<std::int32_t>(place));
      batch_.target_out.push_back(ids[place]);
      lengths_.push_back(std::ssize(ids));
      texts_.push_back(scores_.size() - 1);
    }
  }
  /// One score for each text.
  std::vector<TextScore> finish() {
    read();
    return std::move(scores_);
  }

 private:
  void read() {
    if (lengths_.empty()) return;
    batch_.source_segments = Segments::from_lengths(lengths_);
    batch_.target_segments = Segments::from_lengths(std::vector<std::int64_t>(lengths_.size(), 1));
    const Predictions said = predict_places(model_, batch_, 1, {});
    for (std::size_t i = 0; i < lengths_.size(); ++i) {
      KETTE_CHECK(std::isfinite(said.target_values[i]),
                  "score: expected finite log-probabilities, given ", said.target_values[i],
                  " (the model's activations grow beyond the numbers there are)");
      TextScore& score = scores_[texts_[i]];
      score.negative_log_likelihood -= double(said.target_values[i]);
      score.correct += said.tokens[i] == batch_.target_out[i] ? 1 : 0;
    }
    batch_ = {};
    lengths_.clear();
    texts_.clear();
  }

  const Bert& model_;
  SpecialTokens special_;
  std::int32_t mask_;
  std::int64_t most_rows_;
  Batch batch_;
  std::vector<std::int64_t> lengths_;
  std::vector<std::size_t> texts_;  // of which each row of the batch is
  std::vector<TextScore> scores_;
};

/// The texts of a corpus: its documents, cut into windows if they are too long.
std::vector<std::pair<std::int64_t, std::int64_t>> texts_of(const TokenStream& corpus,
                                                            std::int64_t window) {
  constexpr std::int64_t kAtOnce = 1 << 16;
  std::vector<std::pair<std::int64_t, std::int64_t>> texts;
  std::int64_t begin = 0, at = 0;
  const auto end_here = [&] {
    if (at > begin) texts.emplace_back(begin, at);
  };
  while (at < corpus.size()) {
    for (const std::int32_t id : corpus.copy(at, std::min(kAtOnce, corpus.size() - at))) {
      if (id == corpus.info().end_of_text) {
        end_here();
        begin = at + 1;
      } else if (at - begin == window) {
        end_here();
        begin = at;
      }
      ++at;
    }
  }
  end_here();
  return texts;
}

}  // namespace

std::vector<std::vector<Filler>> fill_masks(const Bert& model, const Ids& text, std::int32_t mask,
                                            std::int64_t count, const Ids& banned) {
  check_ready(model);
  KETTE_CHECK(count >= 1, "fill: expected at least 1 filler of each mask, given ", count);
  Batch batch;
  batch.source = text;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == mask) batch.target_in.push_back(static_cast<std::int32_t>(i));
  }
  const auto masks = batch.target_in.size();
  if (masks == 0) return {};
  batch.target_out.resize(masks);
  batch.source_segments = Segments::from_lengths({std::ssize(text)});
  batch.target_segments = Segments::from_lengths({static_cast<std::int64_t>(masks)});
  const std::int64_t vocabulary = model.config().vocabulary;
  std::vector<bool> allowed(static_cast<std::size_t>(vocabulary), true);
  for (const std::int32_t token : banned) {
    if (token >= 0 && token < vocabulary) allowed[static_cast<std::size_t>(token)] = false;
  }
  TokenMasks of_all;
  of_all.words = TokenMasks::pack({allowed}, model.output().prepacked->panels.device());
  const Predictions said = predict_places(model, batch, std::min(count, vocabulary), of_all);
  std::vector<std::vector<Filler>> fillers(masks);
  for (std::size_t i = 0; i < said.tokens.size(); ++i) {
    if (said.tokens[i] < 0) continue;
    fillers[i / static_cast<std::size_t>(said.count)].push_back(
        {said.tokens[i], std::exp(double(said.values[i]))});
  }
  return fillers;
}

TextScore score_masked(const Bert& model, const Tokenizer& tokenizer, const TokenStream& text,
                       const PseudoScoreOptions& options, const ScoreProgress& progress,
                       const ShareParts& share) {
  check_ready(model);
  const std::int64_t longest = model.positions();
  const std::int64_t context = options.context > 0 ? options.context : longest;
  KETTE_CHECK(context > Masking::kMarks && context <= longest, "context: expected from ",
              Masking::kMarks + 1, " to ", longest,
              " tokens, as many as the model sees at once, given ", context);
  const auto texts = texts_of(text, context - Masking::kMarks);
  KETTE_CHECK(!texts.empty(),
              "evaluation: expected a text with at least 1 token, given one without");
  const auto score = [&](std::int64_t begin, std::int64_t end) {
    PseudoScorer scorer(model, tokenizer, options.batch_tokens);
    for (std::int64_t i = begin; i < end; ++i) {
      scorer.add(text.copy(texts[i].first, texts[i].second - texts[i].first));
      if (progress) progress(static_cast<double>(i - begin) / static_cast<double>(end - begin));
    }
    return scorer.finish();
  };
  TextScore total;
  for (const TextScore& part : share(std::ssize(texts), score)) total += part;
  total.bytes = text.info().bytes;
  return total;
}

}  // namespace kette
