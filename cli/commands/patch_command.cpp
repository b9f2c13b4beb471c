// `kette patch`: shows where in a model the difference between two texts travels.
#include <memory>
#include <optional>

#include "cli/commands/commands.h"
#include "cli/common.h"
#include "cli/decoding.h"
#include "cli/host.h"
#include "cli/sentences.h"
#include "cli/show.h"
#include "data/bundled/minimal_pairs.h"
#include "data/files/text_file.h"
#include "decode/translator.h"
#include "inspect/passes/patching.h"
#include "tensor/stopwatch.h"
#include "train/status_line.h"

namespace kette::cli {
namespace {

using Ids = std::vector<std::int32_t>;

struct PatchOptions {
  CommonOptions common;
  ModelOptions model;
  std::filesystem::path pairs;
  std::string contrast, language;
  std::int64_t count = 100;
  std::uint64_t seed = 2017;
};

/// Two texts, and what follows each: translations, or the next words.
struct TextPair {
  std::string clean, corrupted, after_clean, after_corrupted;
};

std::vector<TextPair> read_pairs(const std::filesystem::path& file, bool needs_next) {
  std::vector<TextPair> pairs;
  const TextLines lines = read_lines(file, kWholeText);
  for (std::int64_t i = 0; i < lines.size(); ++i) {
    std::vector<std::string> fields(1);
    for (const char c : lines.views()[i]) {
      c == '\t' ? fields.emplace_back() : fields.back() += c;
    }
    KETTE_CHECK(fields.size() == 4 || (fields.size() == 2 && !needs_next), file.string(), ":",
                i + 1, ": expected ", needs_next ? "" : "two texts, or ",
                "two texts and what follows each, with tabs between, given ", fields.size(),
                " fields");
    fields.resize(4);
    pairs.push_back({fields[0], fields[1], fields[2], fields[3]});
  }
  return pairs;
}

std::vector<TextPair> bundled_pairs(const PatchOptions& o) {
  std::vector<TextPair> pairs;
  for (const bundled::MinimalPair& pair : bundled::minimal_pairs(
           enum_named<Contrast>(o.contrast), static_cast<std::size_t>(o.count), o.seed)) {
    pairs.push_back({pair.one.english, pair.other.english, pair.one.german, pair.other.german});
  }
  return pairs;
}

/// The answers are the first tokens in which the targets differ. Nothing if the targets are the same.
std::optional<PromptPair> prompt_pair(Ids clean, Ids corrupted, Ids clean_target,
                                      Ids corrupted_target, std::int32_t end) {
  clean_target.push_back(end);
  corrupted_target.push_back(end);
  const auto place = std::mismatch(clean_target.begin(), clean_target.end(),
                                   corrupted_target.begin(), corrupted_target.end());
  if (place.first == clean_target.end() || place.second == corrupted_target.end()) return {};
  const Ids prefix(clean_target.begin(), place.first);
  return PromptPair{std::move(clean), std::move(corrupted), prefix, *place.first, *place.second};
}

/// How many pairs could not be used, and why.
struct Left {
  std::int64_t unequal = 0, same = 0;
};

std::vector<PromptPair> prompt_pairs(const SavedModel<AutoregressiveModel>& saved,
                                     const std::vector<TextPair>& pairs,
                                     const std::string& language, Left& left) {
  const Tokenizer& tokenizer = *saved.tokenizer;
  std::vector<PromptPair> result;
  const auto add = [&](std::optional<PromptPair> pair) {
    if (pair) {
      result.push_back(std::move(*pair));
    } else {
      ++left.same;
    }
  };
  const auto ready = saved.model->has_encoder() ? saved.model->for_decoding() : nullptr;
  UnknownCharacters unknown(saved.tokenizer);
  for (const TextPair& pair : pairs) {
    unknown.add(pair.clean);
    unknown.add(pair.corrupted);
    Ids clean = tokenizer.encode_source(pair.clean, language),
        corrupted = tokenizer.encode_source(pair.corrupted, language);
    if (clean.size() != corrupted.size() || clean.empty()) {
      ++left.unequal;
      continue;
    }
    if (!saved.model->has_encoder()) {
      const Ids after_clean = tokenizer.encode(pair.after_clean),
                after_corrupted = tokenizer.encode(pair.after_corrupted);
      if (after_clean.empty() || after_corrupted.empty() ||
          after_clean.front() == after_corrupted.front()) {
        ++left.same;
        continue;
      }
      result.push_back({clean, corrupted, {}, after_clean.front(), after_corrupted.front()});
      continue;
    }
    Ids clean_target = tokenizer.encode(pair.after_clean, Side::target),
        corrupted_target = tokenizer.encode(pair.after_corrupted, Side::target);
    if (pair.after_clean.empty()) {  // the model's own translations
      const auto found = translate_ids(*ready, {clean, corrupted});
      clean_target = found[0].front().tokens;
      corrupted_target = found[1].front().tokens;
    }
    add(prompt_pair(clean, corrupted, clean_target, corrupted_target, saved.model->special().end));
  }
  say_unknown(unknown, "pairs");
  return result;
}

void run(PatchOptions& o) {
  use_threads(o.common);
  if (o.pairs.empty() == o.contrast.empty()) {
    throw UsageError("expected --pairs or --contrast, given " +
                     std::string(o.pairs.empty() ? "neither" : "both"));
  }
  const SavedModel<AutoregressiveModel> saved = load<AutoregressiveModel>(o.model);
  KETTE_CHECK(
      saved.model->has_encoder() || o.contrast.empty(),
      "patch: expected --pairs, for the bundled pairs are for translation, given --contrast");
  if (!o.contrast.empty()) {
    check_translates(*saved.tokenizer, o.model.model.string(),
                     "--pairs, with the symbols that follow each sentence");
  }
  const Stopwatch watch;
  Left left;
  // What a parser would write by itself, without what keeps it a tree, is none of its trees.
  const bool needs_next = saved.tokenizer->writes() != Writes::text || !saved.model->has_encoder();
  const std::vector<PromptPair> pairs =
      prompt_pairs(saved, o.pairs.empty() ? bundled_pairs(o) : read_pairs(o.pairs, needs_next),
                   o.language, left);
  KETTE_CHECK(!pairs.empty(), "patch: expected pairs of as many tokens on both sides, given ",
              left.unequal, " of unequal lengths and ", left.same, " that nothing tells apart");
  if (left.unequal + left.same > 0) {
    to_stderr() << text(
        "left out: %lld pairs of unequal lengths in tokens, %lld that nothing tells apart\n",
        static_cast<long long>(left.unequal), static_cast<long long>(left.same));
  }
  PatchStudy study;
  {
    StatusLine line(false);
    study = study_patches(*saved.model, pairs, [&](std::int64_t done, std::int64_t total) {
      line.show(static_cast<double>(done) / static_cast<double>(total), [&] {
        return text("%lld of %lld pairs", static_cast<long long>(done),
                    static_cast<long long>(total));
      });
    });
  }
  Report report = to_report(study, *saved.tokenizer);
  report.title = "Where the difference travels: " +
                 (o.contrast.empty() ? o.pairs.filename().string() : o.contrast);
  report.about = "In " + name_of_folder(o.model.model) + ", a " +
                 saved.model->config().family().what + " (" + headline(saved.model->config()) +
                 "). Made by kette patch.";
  report.fact("seconds", watch.seconds());
  show(report, o.common);
}

void add_patch_options(CLI::App& command) {
  auto options = std::make_shared<PatchOptions>();
  add_model_options(command, options->model, NoModel::takes_the_model_to_try);
  OptionGroup group(command, "Pairs");
  const Option pairs = group.path(
      "--pairs", options->pairs,
      "Lines of two texts, or of two texts and what follows each, with tabs between (a language model: the next words; a parser: symbols; default: the model's own translations)");
  group
      .choice("--contrast", options->contrast, all_names<Contrast>(),
              "Or pairs of the bundled English-German grammar")
      .excludes(pairs);
  add_language_option(group, options->language);
  group.number("--count", options->count, at_least(1), "How many of those").excludes(pairs);
  group.number("--seed", options->seed, "Of those").excludes(pairs);
  add_page_option(group, options->common);
  add_common_options(command, options->common);
  when_run(command, [options] { run(*options); });
}

}  // namespace

const Command patch_command = {
    "patch", "Show where in a model the difference between two texts travels", add_patch_options};

}  // namespace kette::cli
