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
        growing_(model, options.texts),
        texts_(static_cast<std::size_t>(options.texts), prompt),
        ended_(texts_.size(), false),
        prompt_length_(prompt.size()) {}

  void run(const OnToken& on_token) {
    Tensor logits = read(0);
    for (std::int64_t position = 0; position < options_.max_tokens; ++position) {
      draw(logits, position, on_token);
      const bool is_last = position + 1 == options_.max_tokens ||
                           std::all_of(ended_.begin(), ended_.end(), [](bool end) { return end; });
      if (is_last) return;
      logits = next_logits();
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
  /// All texts from position `begin` on, as if they began there.
  Tensor read(std::size_t begin) {
    growing_.clear();
    Ids tokens;
    for (std::size_t position = begin; position < texts_[0].size(); ++position) {
      for (const Ids& text : texts_) tokens.push_back(text[position]);
    }
    return growing_.append(tokens);
  }

  Tensor next_logits() {
    const std::int64_t half = std::max<std::int64_t>(1, model_.config().context / 2);
    if (growing_.is_full()) return read(texts_[0].size() - static_cast<std::size_t>(half));
    Ids tokens;
    for (const Ids& text : texts_) tokens.push_back(text.back());
    return growing_.append(tokens);
  }

  /// A text that has ended goes on beside the others, unheard.
  void draw(const Tensor& logits, std::int64_t position, const OnToken& on_token) {
    const Tensor positions =
        Tensor::full({logits.rows()}, static_cast<double>(position), DType::i32, logits.device());
    const Ids tokens = sample(logits, options_, positions).values<std::int32_t>();
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      const auto text = static_cast<std::int64_t>(i);
      const std::int32_t token = tokens[i];
      check_sampled(token);
      texts_[i].push_back(token);
      if (token == options_.end_of_text) ended_[i] = true;
      if (!ended_[i] && on_token) on_token(text, token);
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
