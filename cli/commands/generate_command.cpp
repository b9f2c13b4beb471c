// `kette generate`: continues a prompt; writes text as its tokens are generated.

#include <algorithm>
#include <memory>
#include <optional>

#include "cli/commands/commands.h"
#include "cli/common.h"
#include "cli/decoding.h"
#include "cli/host.h"
#include "cli/processes.h"
#include "cli/sentences.h"
#include "cli/shared_translator.h"
#include "data/files/json_text.h"
#include "data/files/text_file.h"
#include "decode/generator.h"
#include "decode/text_pieces.h"
#include "tensor/stopwatch.h"

namespace kette::cli {
namespace {

struct GenerateCommandOptions {
  CommonOptions common;
  EnsembleOptions model;
  std::string prompt;
  std::filesystem::path prompt_file;
  GenerateOptions generate;
  std::optional<Option> max_tokens;
  std::vector<Option> of_search;
  bool echo = true, stop = true;
  ContinueOptions search;
};

std::string read_prompt(const GenerateCommandOptions& o) {
  if (o.prompt_file.empty()) return o.prompt;
  constexpr LineLimits kPrompt{.bytes = kWholeText.bytes};
  TextSource source = o.prompt_file == "-" ? TextSource(stdin_descriptor(), "stdin", kPrompt)
                                           : TextSource(o.prompt_file, kPrompt);
  return read_all(source);
}

/// What a beam search finds, best first.
void print_likeliest(const GenerateCommandOptions& o, const Tokenizer& tokenizer,
                     const Ensemble& ready, const std::string& prompt,
                     const std::vector<std::int32_t>& ids) {
  const std::vector<std::int32_t> before = tokenizer.encode(prompt);
  ContinueOptions options = o.search;
  options.max_tokens = o.generate.max_tokens;
  if (!o.max_tokens->given()) {  // as many as fit
    const std::int64_t room = ready.positions() - std::ssize(ids);
    options.max_tokens = std::clamp<std::int64_t>(room, 1, options.max_tokens);
  }
  if (o.stop) options.end_of_text = tokenizer.special().end;
  options.banned = without_pieces(tokenizer, ready.vocabulary());
  Json list = Json::array();
  for (const Hypothesis& found : search_continuations(ready, ids, options)) {
    const std::string text = text_after(tokenizer, before, found.tokens);
    if (!list.empty()) to_stdout() << "---------------\n";
    to_stdout() << for_stdout((o.echo ? prompt : "") + text) << "\n";
    list.push_back({{"text", text},
                    {"tokens", found.tokens.size()},
                    {"log_probability", found.log_probability},
                    {"score", found.score}});
  }
  if (!o.common.json) return;
  print_json(o.common, {{"prompt", prompt}, {"prompt_tokens", ids.size()}, {"texts", list}});
}

void print_texts(const GenerateCommandOptions& o, const LoadedEnsemble<Gpt>& loaded,
                 const std::string& prompt) {
  const Tokenizer& tokenizer = *loaded.tokenizer;
  const std::vector<std::int32_t> before = tokenizer.encode(prompt);
  say_unknown(loaded.tokenizer, {prompt}, "prompt");
  std::vector<std::int32_t> ids = before;
  if (ids.empty()) ids.push_back(tokenizer.special().end);
  GenerateOptions options = o.generate;
  if (o.stop) options.end_of_text = tokenizer.special().end;
  const Ensemble ready = loaded.models.for_decoding(loaded.types);
  loaded.release();
  options.banned = without_pieces(tokenizer, ready.vocabulary());
  if (o.search.beam > 1) {
    return communicator().once("generating",
                               [&] { print_likeliest(o, tokenizer, ready, prompt, ids); });
  }
  if (std::ssize(ids) > ready.positions()) {
    to_stderr() << "the prompt has " << ids.size() << " tokens, of which the model sees the last "
                << ready.positions() << "\n";
  }
  const std::string echoed = o.echo ? prompt : "";
  TextPieces pieces(tokenizer, before);
  to_stdout() << for_stdout(echoed) << std::flush;
  const Stopwatch watch;
  // The first text is heard while it grows, and the others once all are done.
  const auto draw = [&](const Interval& mine) {
    options.first_text = mine.begin;
    options.texts = mine.size();
    std::vector<std::string> drawn;
    if (options.texts == 0) return drawn;
    for (const auto& text :
         generate(ready, ids, options, [&](std::int64_t text, std::int32_t token) {
           if (mine.begin + text == 0) to_stdout() << for_stdout(pieces.add(token)) << std::flush;
           return true;
         })) {
      drawn.push_back(packed(text));
    }
    return drawn;
  };
  std::vector<std::vector<std::int32_t>> texts;
  const std::vector<std::int64_t> costs(static_cast<std::size_t>(o.generate.texts), 1);
  for (const std::string& text : communicator().share_out("generating", costs, draw)) {
    texts.push_back(unpacked<std::vector<std::int32_t>>(text));
  }
  const double seconds = watch.seconds();
  to_stdout() << for_stdout(pieces.finish()) << "\n";
  for (std::size_t i = 1; i < texts.size(); ++i) {
    to_stdout() << "---------------\n"
                << for_stdout(echoed + text_after(tokenizer, before, texts[i])) << "\n";
  }
  std::int64_t tokens = 0;
  Json list = Json::array();
  for (const auto& text : texts) {
    tokens += static_cast<std::int64_t>(text.size());
    list.push_back(text_after(tokenizer, before, text));
  }
  const double rate = static_cast<double>(tokens) / seconds;
  to_stderr() << text("%lld tokens, %.1f tokens/s\n", static_cast<long long>(tokens), rate);
  if (!o.common.json) return;
  print_json(o.common, {{"prompt", prompt},
                        {"texts", list},
                        {"prompt_tokens", ids.size()},
                        {"tokens", tokens},
                        {"seconds", seconds},
                        {"tokens_per_second", rate}});
}

void check(GenerateCommandOptions& o) {
  o.generate.check();
  if (o.search.beam > 1 && o.generate.texts > o.search.beam) {
    throw UsageError("--num: expected at most --beam, " + std::to_string(o.search.beam) +
                     ", given " + std::to_string(o.generate.texts));
  }
  o.search.n_best = o.search.beam > 1 ? o.generate.texts : 1;
  o.search.check();
  for (const Option& option : o.of_search) {
    if (o.search.beam > 1 || !option.given()) continue;
    throw UsageError(option.name() +
                     ": expected a --beam of at least 2 beside it, given 1, which samples");
  }
}

void run(const GenerateCommandOptions& o) {
  use_threads(o.common);
  const std::string prompt = read_prompt(o);
  print_texts(o, load<Gpt>(o.model), prompt);
}

void add_generate_options(CLI::App& command) {
  auto options = std::make_shared<GenerateCommandOptions>();
  add_ensemble_options(command, options->model);
  OptionGroup text(command, "Text");
  Option prompt =
      text.text("--prompt", options->prompt, "What to go on from (default: nothing, a new text)");
  text.path("--prompt-file", options->prompt_file, "Take it from this file, or - for stdin")
      .excludes(prompt);
  options->max_tokens = text.number(
      "--max-tokens", options->generate.max_tokens, at_least(1),
      "Tokens of each text; by default a search takes fewer where its model has no room for more");
  text.number("--num", options->generate.texts, at_least(1), "Texts");
  text.flag("--echo,!--no-echo", options->echo, "Begin with the prompt");
  text.flag("--stop,!--no-stop", options->stop, "Stop where the model ends the text");
  OptionGroup sampling(command, "Sampling");
  const std::vector<Option> chances = add_sampling_options(sampling, options->generate);
  OptionGroup search(command, "Search, instead of sampling");
  BeamOptions beam = add_beam_options(search, options->search, "no search, but sampling");
  for (Option option : chances) option.excludes(beam.beam);
  beam.kind.needs(beam.beam);
  beam.length_penalty.needs(beam.beam);
  options->of_search = {beam.kind, beam.length_penalty};
  add_common_options(command, options->common);
  when_read(command, [options] { check(*options); });
  when_run(command, [options] { run(*options); });
}

}  // namespace

const Command generate_command = {"generate", "Let a language model go on from a prompt",
                                  add_generate_options, true};

}  // namespace kette::cli
