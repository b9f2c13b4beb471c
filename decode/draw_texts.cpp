#include "decode/draw_texts.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "tensor/backend.h"
#include "tensor/kernels.h"
#include "tensor/observer.h"

namespace kette {
namespace {

using Ids = std::vector<std::int32_t>;

/// How far the numbers of two copies of a text are apart, modulo 2^32: the golden section, whose multiples stay
/// so far from 0 that no two texts have one number while starts times copies are at most 10^8.
constexpr std::int64_t kCopies = 0x9E3779B9;

struct Text : TextStart {
  std::int64_t begun = 0;  // tokens it began with
  std::int64_t end = -1;   // how many tokens it has in the end, once that is known
};

/// These columns of an i32 table.
Tensor columns(const Tensor& table, const std::vector<std::int64_t>& chosen) {
  const auto values = table.values<std::int32_t>();
  Ids kept;
  for (std::int64_t row = 0; row < table.rows(); ++row) {
    for (const std::int64_t column : chosen) kept.push_back(values[row * table.width() + column]);
  }
  return Tensor::from(kept, {table.rows(), std::ssize(chosen)}, table.device());
}

class Drawing {
 public:
  Drawing(const Ensemble& model, const SamplingOptions& sampling, const Tensor& masks,
          const std::vector<TextStart>& starts, std::int64_t copies, std::int32_t end)
      : model_(model), sampling_(sampling), masks_(masks), copies_(copies), end_(end) {
    KETTE_CHECK(!starts.empty() && copies > 0, "generate: expected at least one text, given none");
    for (const TextStart& start : starts) {
      const std::int64_t length = std::ssize(start.tokens);
      KETTE_CHECK(length > 0, "generate: expected texts that begin with a token, given none");
      KETTE_CHECK(start.source.empty() || length <= model.positions(),
                  "generate: expected texts that begin with 1 to ", model.positions(),
                  " tokens, as many as the model sees at once, given ", length);
      for (std::int64_t copy = 0; copy < copies; ++copy) {
        texts_.push_back({start, length});
        texts_.back().number += (start.first_copy + copy) * kCopies;
        if (length >= start.most) texts_.back().end = length;
      }
    }
  }

  /// A GPU is given the next step before the tokens of the last one are there: what they say only
  /// matters when all texts have ended. Elsewhere texts that have ended leave.
  std::vector<Ids> run(const OnToken& on_token) {
    const bool runs_ahead = model_.device().runs_ahead();
    std::unique_ptr<HostCopy> drawn, next;
    while (steps_wanted() > 0) {
      if (!drawn) drawn = draw_next();
      if (runs_ahead && steps_left_ > 0 && steps_wanted() > 1) next = draw_next();
      hear(*drawn, on_token);
      drawn = std::move(next);
      if (!runs_ahead && steps_left_ > 0) let_go();
    }
    std::vector<Ids> results;
    for (const Text& text : texts_) {
      results.emplace_back(text.tokens.begin() + text.begun, text.tokens.begin() + text.end);
    }
    return results;
  }

 private:
  /// Tokens that the text which gets longest still lacks.
  std::int64_t steps_wanted() const {
    std::int64_t wanted = 0;
    for (const Text& text : texts_) {
      if (text.end < 0) wanted = std::max(wanted, text.most - std::ssize(text.tokens));
    }
    return wanted;
  }

  /// Draws the next token of each text.
  std::unique_ptr<HostCopy> draw_next() {
    if (!state_) {
      begin(model_.positions(), copies_);
    } else if (steps_left_ == 0) {
      begin(std::max<std::int64_t>(1, model_.positions() / 2), 1);
    } else {
      if (sampling_.tap != nullptr || WorkObserver::current()) {  // who wants to see a step's parts
        step();
      } else {
        if (!recorded_step_) recorded_step_ = backend(model_.device()).record([this] { step(); });
        recorded_step_->replay();
      }
      --steps_left_;
    }
    return backend(drawn_.device()).start_copy_to_host(drawn_.raw(), drawn_.bytes());
  }

  /// Reads the last tokens of the texts that go on, at most so many, of which each `alike` have the
  /// same, and draws what comes next.
  void begin(std::int64_t most_read, std::int64_t alike) {
    std::vector<RowStart> rows;
    std::vector<std::int64_t> parents;
    Ids last, counters, drawn, numbers;
    std::int64_t room = steps_wanted() - 1;
    texts_of_rows_.clear();
    for (std::int64_t i = 0; i < std::ssize(texts_); ++i) {
      const Text& text = texts_[i];
      if (text.end >= 0) continue;
      texts_of_rows_.push_back(i);
      const std::int64_t length = std::min(most_read, std::ssize(text.tokens));
      const auto read = std::span(text.tokens).last(static_cast<std::size_t>(length));
      room = std::min(room, model_.positions() - length);
      if (std::ssize(last) % alike == 0) rows.push_back({text.source, read.first(read.size() - 1)});
      parents.push_back(std::ssize(rows) - 1);
      last.push_back(read.back());
      counters.push_back(static_cast<std::int32_t>(length - 1));
      drawn.push_back(static_cast<std::int32_t>(std::ssize(text.tokens) - text.begun));
      numbers.push_back(static_cast<std::int32_t>(text.number));
    }
    steps_left_ = room;
    lengths_.clear();
    for (const std::int32_t position : counters) lengths_.push_back(position + 1 + room);
    const Device device = model_.device();
    const std::int64_t texts = std::ssize(last);
    counters.insert(counters.end(), drawn.begin(), drawn.end());
    counters_ = Tensor::from(counters, {2, texts}, device);
    numbers_ = Tensor::from(numbers, {1, texts}, device);
    last.resize(2 * last.size());
    drawn_ = Tensor::from(last, {2, texts}, device);

    state_.emplace(model_, sampling_.tap);
    state_->add(rows);
    if (alike > 1) state_->select(parents);
    fix_rows();
    step();
  }

  void fix_rows() {
    state_->fix(lengths_, counters_.slice(0, 1).reshaped({counters_.width()}));
    recorded_step_.reset();
  }

  /// Goes on without the texts that have ended, once they are a quarter of the rows.
  void let_go() {
    std::vector<std::int64_t> live;
    for (std::int64_t row = 0; row < std::ssize(texts_of_rows_); ++row) {
      if (texts_[texts_of_rows_[row]].end < 0) live.push_back(row);
    }
    if (live.empty() || 4 * std::ssize(live) > 3 * std::ssize(texts_of_rows_)) return;
    for (std::int64_t row = 0; row < std::ssize(live); ++row) {
      texts_of_rows_[row] = texts_of_rows_[live[row]];
      lengths_[row] = lengths_[live[row]];
    }
    texts_of_rows_.resize(live.size());
    lengths_.resize(live.size());
    for (Tensor* table : {&counters_, &numbers_, &drawn_}) *table = columns(*table, live);
    state_->select(live);
    fix_rows();
  }

  /// Appends the tokens of drawn_, and puts the next there.
  void step() {
    const Work work("step");
    Run run(sampling_.tap);
    const std::int64_t texts = drawn_.width();
    const Tensor tokens = drawn_.slice(0, 1).reshaped({texts});
    const Tensor logits = model_.output()(state_->step_fixed(tokens, run), run).value();
    if (masks_.defined()) mask_tokens(logits, masks_);
    sample(logits, sampling_, numbers_.reshaped({texts}), counters_.slice(1, 2).reshaped({texts}),
           drawn_);
    on(counters_.device(), [&](auto exec) { kernels::increment(exec, counters_); });
  }

  /// A text that has ended may go on beside the others; nobody is told of its tokens.
  void hear(HostCopy& drawn, const OnToken& on_token) {
    const auto* values = static_cast<const std::int32_t*>(drawn.wait());
    const std::int64_t rows = std::ssize(texts_of_rows_);
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t i = texts_of_rows_[row];
      Text& text = texts_[i];
      const std::int32_t token = checked_draw(values, rows, row);
      if (text.end < 0 && token == end_) text.end = std::ssize(text.tokens);
      text.tokens.push_back(token);
      if (text.end >= 0) continue;
      if (on_token) on_token(i, token);
      if (std::ssize(text.tokens) == text.most) text.end = text.most;
    }
  }

  const Ensemble& model_;
  const SamplingOptions& sampling_;
  const Tensor& masks_;
  std::int64_t copies_;
  std::int32_t end_;
  std::vector<Text> texts_;
  std::vector<std::int64_t> texts_of_rows_;
  std::vector<std::int64_t> lengths_;  // of each row, that it has room for
  std::int64_t steps_left_ = 0;        // before the texts must begin anew
  std::optional<EnsembleState> state_;
  Tensor counters_;  // i32 [2, rows]: positions of the next tokens, and how many were drawn
  Tensor numbers_;   // i32 [1, rows]
  Tensor drawn_;     // i32 [2, rows], see sample()
  std::unique_ptr<Recording> recorded_step_;
};

}  // namespace

std::vector<Ids> draw_texts(const Ensemble& model, const SamplingOptions& sampling,
                            const Tensor& masks, const std::vector<TextStart>& starts,
                            std::int64_t copies, std::int32_t end, const OnToken& on_token) {
  return Drawing(model, sampling, masks, starts, copies, end).run(on_token);
}

}  // namespace kette
