#include "decode/generator.h"

#include <algorithm>
#include <utility>

#include "decode/search_limits.h"

namespace kette {
namespace {

using Ids = std::vector<std::int32_t>;

class Generation {
 public:
  Generation(const AutoregressiveModel& model, const Ids& prompt, const GenerateOptions& options)
      : model_(model),
        options_(options),
        drawn_(model, options),
        texts_(static_cast<std::size_t>(options.texts), prompt),
        ended_(texts_.size(), false),
        prompt_length_(prompt.size()) {}

  /// A GPU is given the next step before the tokens of the last one are there: what they say only
  /// matters when all texts have ended.
  void run(const OnToken& on_token) {
    const bool runs_ahead = model_.device().kind == DeviceKind::cuda;
    drawn_.begin({start_of(0, texts_.front())}, options_.texts);
    std::unique_ptr<HostCopy> copy = drawn_.drawn();
    for (std::int64_t left = options_.max_tokens; left > 0; --left) {
      const bool is_last = left == 1;
      const bool is_ahead = runs_ahead && !is_last && !drawn_.is_full();
      std::unique_ptr<HostCopy> next;
      if (is_ahead) next = draw_next();
      hear(*copy, on_token);
      const bool all_ended =
          std::all_of(ended_.begin(), ended_.end(), [](bool ended) { return ended; });
      if (is_last || all_ended) return;
      copy = is_ahead ? std::move(next) : draw_next();
    }
  }

  std::vector<Ids> results() const {
    std::vector<Ids> results;
    for (const Ids& text : texts_) {
      Ids tokens(text.begin() + static_cast<std::ptrdiff_t>(prompt_length_), text.end());
      if (options_.end_of_text >= 0) {
        tokens.erase(std::find(tokens.begin(), tokens.end(), options_.end_of_text), tokens.end());
      }
      results.push_back(std::move(tokens));
    }
    return results;
  }

 private:
  std::unique_ptr<HostCopy> draw_next() {
    if (drawn_.is_full()) {
      drawn_.begin(later_halves(), 1);
    } else {
      drawn_.grow();
    }
    return drawn_.drawn();
  }

  TextStart start_of(std::int64_t text, Ids tokens) const {
    const std::int64_t drawn = std::ssize(texts_[static_cast<std::size_t>(text)]) -
                               static_cast<std::int64_t>(prompt_length_);
    const std::int64_t most = static_cast<std::int64_t>(prompt_length_) + options_.max_tokens;
    return {{}, std::move(tokens), most, text, drawn};
  }

  /// What the texts begin anew with when the model sees no more of them.
  std::vector<TextStart> later_halves() const {
    const std::int64_t half = std::max<std::int64_t>(1, model_.positions() / 2);
    std::vector<TextStart> starts;
    for (const Ids& text : texts_) {
      starts.push_back(start_of(std::ssize(starts), {text.end() - half, text.end()}));
    }
    return starts;
  }

  /// A text that has ended goes on beside the others; nobody is told of its tokens.
  void hear(HostCopy& drawn, const OnToken& on_token) {
    const auto* values = static_cast<const std::int32_t*>(drawn.wait());
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      const std::int32_t token = checked_draw(values, options_.texts, static_cast<std::int64_t>(i));
      texts_[i].push_back(token);
      if (token == options_.end_of_text) ended_[i] = true;
      if (!ended_[i] && on_token) on_token(static_cast<std::int64_t>(i), token);
    }
  }

  const AutoregressiveModel& model_;
  const GenerateOptions& options_;
  DrawnTexts drawn_;
  std::vector<Ids> texts_;  // the prompt and what came after it
  std::vector<bool> ended_;
  std::size_t prompt_length_;
};

}  // namespace

std::vector<Hypothesis> search_continuations(const AutoregressiveModel& model, const Ids& prompt,
                                             ContinueOptions options) {
  options.check();
  KETTE_CHECK(!prompt.empty(), "generate: expected a prompt of at least one token, given none");
  const std::int64_t length = std::ssize(prompt), room = model.positions() - length;
  KETTE_CHECK(options.max_tokens <= room, "generate: expected prompt and text of at most ",
              model.positions(),
              " tokens together for a beam search, as many as the model sees at "
              "once, given ",
              length, " and ", options.max_tokens);
  options.cut_off = true;
  check_memory(options, model, length + options.max_tokens);
  const std::span<const std::int32_t> past = std::span(prompt).first(prompt.size() - 1);
  std::vector<SearchJob> jobs{{0, {{}, past}, prompt.back(), options.max_tokens}};
  std::vector<Hypothesis> found;
  beam_search(
      model, {.end = options.end_of_text, .banned = {}}, options, length * options.beam,
      [&](std::int64_t, bool) { return std::exchange(jobs, {}); },
      [&](std::int64_t, std::vector<Hypothesis> n_best) { found = std::move(n_best); });
  return found;
}

std::vector<Ids> generate(const AutoregressiveModel& model, const Ids& prompt,
                          const GenerateOptions& options, const OnToken& on_token) {
  options.check();
  KETTE_CHECK(!prompt.empty(), "generate: expected a prompt of at least one token, given none");
  const auto length = static_cast<std::int64_t>(prompt.size());
  KETTE_CHECK(length <= model.positions(), "generate: expected a prompt of at most ",
              model.positions(), " tokens, as many as the model sees at once, given ", length,
              " (shorten it)");
  Generation generation(model, prompt, options);
  generation.run(on_token);
  return generation.results();
}

}  // namespace kette
