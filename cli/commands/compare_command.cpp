// `kette compare`: shows where two models differ, and the likely causes.
#include <memory>

#include "cli/commands/commands.h"
#include "cli/common.h"
#include "cli/decoding.h"
#include "cli/shipped_models.h"
#include "cli/show.h"
#include "data/corpora/masking.h"
#include "decode/translator.h"
#include "inspect/activations.h"
#include "inspect/training/model_comparison.h"
#include "models/exchange/hugging_face.h"

namespace kette::cli {
namespace {

namespace fs = std::filesystem;

struct CompareOptions {
  CommonOptions common;
  fs::path a, b;
  std::string text, language;
  double tolerance = 0;
  std::int64_t rows = 30;
};

using AnyModel = SavedModel<Model>;

/// A model directory, a checkpoint in or below one, or a folder of Hugging Face's transformers.
AnyModel load_any(const fs::path& path) {
  if (host_model(path)) return load_or_copy<Model>(path, {}, {});
  if (fs::is_directory(path)) {
    return is_hugging_face(path) ? load_hugging_face(path) : load_model<Model>(path);
  }
  KETTE_CHECK(fs::exists(path), path.string(),
              ": expected a model directory or a checkpoint, given nothing that is there");
  for (const fs::path& folder : {path.parent_path(), path.parent_path().parent_path()}) {
    if (fs::exists(folder / "config.json")) return load_model<Model>(folder, path);
  }
  fail(
      path.string(),
      ": expected a checkpoint in or below its model directory, given one without a config.json there");
}

/// The text as both read it; a sentence with the translation that the first makes of it.
Batch batch_of(const CompareOptions& o, const AnyModel& a, const AnyModel& b) {
  if (o.text.empty()) return random_text(*a.model, *b.model);
  KETTE_CHECK(a.tokenizer != nullptr && b.tokenizer != nullptr,
              "compare: expected two models with a tokenizer, given a text and one in memory that "
              "has none (without a text both models read the same random tokens)");
  const std::vector<std::int32_t> ids = a.tokenizer->encode_source(o.text, o.language),
                                  others = b.tokenizer->encode_source(o.text, o.language);
  KETTE_CHECK(ids == others,
              "compare: expected a text that both tokenizers read alike, given one that they read "
              "as ",
              ids.size(), " and ", others.size(),
              " other tokens (without a text both models read the same random ones)");
  const auto* writes = dynamic_cast<const AutoregressiveModel*>(a.model.get());
  if (writes == nullptr) return whole_text(between_marks(ids, a.tokenizer->special()));
  if (!writes->has_encoder()) {
    KETTE_CHECK(ids.size() >= 2, "compare: expected a text of at least 2 tokens, given ",
                ids.size());
    return one_sentence(*writes, {}, ids);
  }
  KETTE_CHECK(!ids.empty(), "compare: expected a sentence, given no tokens");
  SearchOptions greedy;
  greedy.beam = 1;
  const auto translated = translate_ids(*writes->for_decoding(), {ids}, greedy);
  return one_sentence(*writes, ids, translated.front().front().tokens);
}

/// For a page, which may be shown to others: the path as it was given, of one from the root its end.
std::string shown_path(const fs::path& path) {
  return path.is_absolute() ? name_of_folder(path) : path.string();
}

void run(const CompareOptions& o) {
  use_threads(o.common);
  const AnyModel a = load_any(o.a), b = load_any(o.b);
  KETTE_CHECK(&a.model->config().family() == &b.model->config().family(),
              "compare: expected two models of one kind, given a ", a.model->config().family().what,
              " and a ", b.model->config().family().what);
  const ModelComparison comparison =
      compare_models(*a.model, *b.model, batch_of(o, a, b), o.tolerance);
  Report report = to_report(comparison, shown_path(o.a), shown_path(o.b), o.rows);
  report.about = (o.text.empty() ? std::string("Both read the same random tokens.")
                                 : "Both read \"" + o.text + "\".") +
                 " Made by kette compare.";
  show(report, o.common);
  if (!comparison.is_equal()) exit_with(1);
}

void add_compare_options(CLI::App& command) {
  auto options = std::make_shared<CompareOptions>();
  // A short text is so little that several threads would mostly wait for each other.
  options->common.threads = 1;
  OptionGroup group(command, "Comparison");
  group
      .path("A", options->a, "A model directory, a checkpoint in one, or a folder of transformers'",
            "")
      .changed_by(model_folder)
      .required();
  group.path("B", options->b, "The one that it is compared with", "")
      .changed_by(model_folder)
      .required();
  const Option what =
      group.text("TEXT", options->text, "What both are to read (default: random tokens)", "");
  add_language_option(group, options->language).needs(what);
  group.number("--tolerance", options->tolerance, at_least(0),
               "Largest difference that counts as none");
  group.number("--rows", options->rows, at_least(1), "Rows of a table in the text");
  add_page_option(group, options->common);
  add_common_options(command, options->common);
  when_run(command, [options, &command] { as_usage(command, [&] { run(*options); }); });
}

}  // namespace

const Command compare_command = {
    "compare", "Show where two models part: settings, parameters, and every point of a pass",
    add_compare_options};

}  // namespace kette::cli
