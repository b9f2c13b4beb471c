#include "decode/generator.h"

#include <algorithm>

namespace kette {
namespace {

using Ids = std::vector<std::int32_t>;

class Generation {
 public:
  Generation(const PackedGpt& model, const Ids& prompt, const GenerateOptions& options)
      : model_(model),
        options_(options),
        growing_(model, options, options.texts,
                 static_cast<std::int64_t>(prompt.size()) + options.max_tokens),
        texts_(static_cast<std::size_t>(options.texts), prompt),
        ended_(texts_.size(), false),
        prompt_length_(prompt.size()) {}

  /// A GPU is given the next step before the tokens of the last one are there: what they say only
  /// matters when all texts have ended.
  void run(const OnToken& on_token) {
    const bool runs_ahead = model_.device().kind == DeviceKind::cuda;
    growing_.begin({texts_.front()});
    std::unique_ptr<HostCopy> drawn = growing_.drawn();
    for (std::int64_t left = options_.max_tokens; left > 0; --left) {
      const bool is_last = left == 1;
      const bool is_ahead = runs_ahead && !is_last && !growing_.is_full();
      std::unique_ptr<HostCopy> next;
      if (is_ahead) next = draw_next();
      hear(*drawn, on_token);
      const bool all_ended =
          std::all_of(ended_.begin(), ended_.end(), [](bool ended) { return ended; });
      if (is_last || all_ended) return;
      drawn = is_ahead ? std::move(next) : draw_next();
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
    if (growing_.is_full()) {
      growing_.begin(later_halves());
    } else {
      growing_.grow();
    }
    return growing_.drawn();
  }

  /// What the texts begin anew with when the model sees no more of them.
  std::vector<Ids> later_halves() const {
    const std::int64_t half = std::max<std::int64_t>(1, model_.config().context / 2);
    std::vector<Ids> starts;
    for (const Ids& text : texts_) starts.emplace_back(text.end() - half, text.end());
    return starts;
  }

  /// A text that has ended goes on beside the others, unheard.
  void hear(HostCopy& drawn, const OnToken& on_token) {
    const auto* values = static_cast<const std::int32_t*>(drawn.wait());
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      const std::int32_t token = checked_draw(values, options_.texts, static_cast<std::int64_t>(i));
      texts_[i].push_back(token);
      if (token == options_.end_of_text) ended_[i] = true;
      if (!ended_[i] && on_token) on_token(static_cast<std::int64_t>(i), token);
    }
  }

  const PackedGpt& model_;
  const GenerateOptions& options_;
  GrowingTexts growing_;
  std::vector<Ids> texts_;  // the prompt and what came after it
  std::vector<bool> ended_;
  std::size_t prompt_length_;
};

}  // namespace

std::vector<Ids> generate(const PackedGpt& model, const Ids& prompt, const GenerateOptions& options,
                          const OnToken& on_token) {
  options.check();
  KETTE_CHECK(!prompt.empty(), "generate: expected a prompt of at least one token, given none");
  const auto length = static_cast<std::int64_t>(prompt.size());
  KETTE_CHECK(length <= model.config().context, "generate: expected a prompt of at most ",
              model.config().context, " tokens, as many as the model sees at once, given ", length,
              " (shorten it)");
  Generation generation(model, prompt, options);
  generation.run(on_token);
  return generation.results();
}

}  // namespace kette
