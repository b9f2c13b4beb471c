#include "decode/generator.h"

#include <algorithm>
#include <utility>

#include "decode/run_requests.h"
#include "decode/search_limits.h"

namespace kette {
namespace {

using Ids = std::vector<std::int32_t>;

}  // namespace

std::vector<Hypothesis> search_continuations(const Ensemble& model, const Ids& prompt,
                                             ContinueOptions options) {
  options.check();
  KETTE_CHECK(!prompt.empty(), "generate: expected a prompt of at least one token, given none");
  KETTE_CHECK(options.max_tokens > 0, "generate: expected a search for at least one token, given ",
              options.max_tokens);
  const std::int64_t length = std::ssize(prompt), room = model.positions() - length;
  KETTE_CHECK(options.max_tokens <= room, "generate: expected prompt and text of at most ",
              model.positions(),
              " tokens together for a beam search, as many as the model sees at "
              "once, given ",
              length, " and ", options.max_tokens);
  options.cut_off = true;
  check_memory(options, options.beam, model, length + options.max_tokens);
  std::vector<Hypothesis> found;
  Request request{0, {}, prompt};
  request.policy = std::make_unique<Beam>(options, options.max_tokens, options.end_of_text);
  request.banned = options.banned;
  request.done = [&](std::vector<Hypothesis> n_best) { found = std::move(n_best); };
  run_requests(model, {.tap = options.tap, .before_step = options.before_step}, {request.cost()},
               [&](std::int64_t) { return std::move(request); });
  return found;
}

std::vector<Ids> generate(const Ensemble& model, const Ids& prompt, const GenerateOptions& options,
                          const OnToken& on_token) {
  options.check();
  KETTE_CHECK(!prompt.empty(), "generate: expected a prompt of at least one token, given none");
  const std::int64_t length = std::ssize(prompt);
  SearchOptions lengths;
  lengths.max_length = std::min(length + options.max_tokens, model.positions());
  check_memory(lengths, options.texts, model, lengths.max_length);
  std::vector<Ids> texts;
  Request request{0, {}, prompt};
  request.policy = std::make_unique<SampledTexts>(
      SampledTexts::Options{options, options.texts, options.max_tokens, options.end_of_text, 0,
                            options.first_text},
      on_token);
  request.banned = options.banned;
  request.done = [&](std::vector<Hypothesis> drawn) {
    for (Hypothesis& text : drawn) texts.push_back(std::move(text.tokens));
  };
  run_requests(model, {.tap = options.tap}, {request.cost()},
               [&](std::int64_t) { return std::move(request); });
  return texts;
}

}  // namespace kette
