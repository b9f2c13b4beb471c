#include "cli/train_options.h"

#include "cli/device_limits.h"
#include "cli/scoring.h"
#include "cli/shipped_models.h"
#include "cli/tokenizer_option.h"
#include "data/metrics/bleu.h"
#include "train/fitted_recipe.h"

namespace kette::cli {
namespace {

/// "20000 steps for tiny, 100000 base, ..."
std::string steps_of_presets() {
  std::string text;
  for (const auto& [preset, recipe] : known_recipes()) {
    text += (text.empty() ? "" : ", ") + std::to_string(recipe.steps) +
            (text.empty() ? " steps for " : " ") + preset;
  }
  return text + " and larger";
}

std::vector<std::filesystem::path> paths(const std::vector<std::string>& names) {
  return {names.begin(), names.end()};
}

}  // namespace

TrainCommandOptions::TrainCommandOptions(CLI::App& command) {
  apply_recipe("tiny");
  add_data_options(command);
  OptionGroup preset(command, "Model");
  architecture_.add_preset_option(
      preset, all_presets(),
      "Size and recipe, which the other options override (default: with --src fitted to the texts and the time, with --text char-cpu, with --objective masked bert-tiny, with --trees parse)",
      [this](const std::string& name) { apply_recipe(name); });
  add_compute_options(preset, compute_);
  architecture_.add_field_options(command);
  add_translation_options(command);
  add_text_options(command);
  add_adapter_options(command);
  add_duration_options(command);
  add_optimisation_options(command);
  add_checkpoint_options(command);
  add_watching_options(command);
  add_common_options(command, common_);
  when_read(command, [this] { keep_peak(); });
}

void TrainCommandOptions::apply_recipe(const std::string& preset) {
  recipe_of(preset).apply_to(train_);
  if (!architecture_.is<GptConfig>()) {
    translation_.vocabulary = architecture_.config()->source_pieces();
  }
  vocabulary_of_preset_ = translation_.vocabulary;
}

void TrainCommandOptions::add_data_options(CLI::App& command) {
  OptionGroup data(command, "Data");
  // Before --preset, which overrides the one that text brings along.
  Option text = data.list(
      "--text", text_files_,
      "Train a language model on this text (plain, gzip, xz or zstd), or on what kette tokenize made of it; several one after the other, or mixed with --weights or --temperature");
  text.on_each([this](const std::string&) {
    if (is_language_model()) return;
    architecture_.apply_preset("char-cpu");
    apply_recipe("char-cpu");
  });
  Option objective = data.one_of(
      "--objective", all_names<TextObjective>(),
      [this](const std::string& name) {
        objective_ = enum_named<TextObjective>(name);
        const TextTaskOptions* task = text_task();
        if (task == nullptr) return;
        architecture_.apply_preset(task->preset());
        apply_recipe(task->preset());
      },
      [this] { return enum_name(objective_); },
      "What is learnt of a text: the next token, or which tokens are masked, as BERT learns");
  text_only_ = {text, objective,
                data.list("--valid-text", valid_text_files_,
                          "Text for validation (default: the last tenth of the text)")};
  for (const auto& task : pair_tasks_) {
    of_pair_tasks_.push_back(task->add_data(data, [this](const char* preset_of_task) {
      architecture_.apply_preset(preset_of_task);
      apply_recipe(preset_of_task);
    }));
  }
  translation_only_ = {
      data.list(
          "--src", source_files_,
          "Train a translation model on these sentences, one a line; plain, gzip, xz or zstd"),
      data.list("--tgt", target_files_, "Their translations, line by line")};
  for (const Option& option : tsv_.add(data)) translation_only_.push_back(option);
  for (const Option& option :
       {data.list("--pairs", prepared_folders_,
                  "Instead: on what kette tokenize made of such texts", "DIR"),
        data.path("--valid-src", translation_.valid_source, "Source sentences for validation"),
        data.path("--valid-tgt", translation_.valid_target, "Their translations")}) {
    translation_only_.push_back(option);
  }
  data.path("--out", train_.out, "The model directory to make", "DIR").writes().required();
  data.path("--from", train_.from,
            "Start from this model, with its shape and tokenizer, instead of random values", "DIR")
      .changed_by(model_folder);
  data.text(
      "--tokenizer", tokenizer_,
      "Translation: a SentencePiece model (default: train one). Trees: likewise, in the place of whole words. Text: character or sentencepiece, made of the text (default: character, for masks sentencepiece), or " +
          std::string(kTokenizerHelp),
      "NAME");
}

void TrainCommandOptions::add_translation_options(CLI::App& command) {
  OptionGroup mixture(command, "Of several --src and --tgt, --pairs, --trees or --text");
  mixture.numbers("--weights", translation_.weights, above(0),
                  "How often each is drawn, in any unit (default: all of them once an epoch)");
  mixture.number("--temperature", translation_.temperature, above(0),
                 "Instead: by size^(1 / X), so that more than 1 favours small ones");
  OptionGroup data(command, "Translation and parsing");
  mixture.list(
      "--stages", stages_,
      "Instead: weights that change, of 0, too, each until a share of the run or so many steps, epochs or minutes, as in \"1 0 until 60%\" \"1 4\"",
      "STAGE");
  pairs_only_ = {data.number("--bpe-dropout", translation_.bpe_dropout, rate(),
                             "Refuse merges of training text with this probability"),
                 data.number("--max-length", translation_.max_length, at_least(1),
                             "Leave longer training sentences out, in tokens"),
                 data.flag("--validate-bleu,!--no-validate-bleu", translation_.validate_score,
                           "Also translate, or parse, the validation text")};
  for (
      Option option :
      {mixture.list(
           "--languages", languages_,
           "The language of each --tgt: its tag leads each source, and kette translate --to asks for it",
           "NAME"),
       data.flag("--both-directions", translation_.both_directions,
                 "Learn also to translate --tgt to --src, with the same vocabulary"),
       data.number(
           "--join-lines", translation_.join_lines, at_least(1),
           "Learn 1, 2, ... and N lines in turn as one, for texts whose lines follow each other, so that kette translate --previous may give sentences those before them"),
       data.number("--max-ratio", translation_.max_ratio, above(0),
                   "Leave more unequal training pairs out (default: none)"),
       add_metric_option(data, {"--bleu-tokenize", tokenizer_by_name(translation_.bleu_tokenize),
                                "Tokenizer of that BLEU"})}) {
    translation_only_.push_back(option);
  }
}

void TrainCommandOptions::add_text_options(CLI::App& command) {
  OptionGroup data(command, "Text");
  text_only_.push_back(data.choice(
      "--documents", text_.documents,
      "What ends in an end of text: each file, each line, the lines between blank ones, or what stands between two <|endoftext|>"));
  text_only_.push_back(data.number("--valid-tokens", text_.valid_tokens, at_least(1),
                                   "A validation reads at most so many tokens"));
  for (const auto& task : text_tasks_) {
    of_text_tasks_.push_back(task->add_options(data));
    for (const Option& option : of_text_tasks_.back()) text_only_.push_back(option);
  }
  OptionGroup both(command, "Vocabulary" + with_defaults_of(architecture_.preset()));
  vocabulary_ = {both.number(
      "--vocab", translation_.vocabulary, at_least(1),
      "Pieces of a SentencePiece model that is trained, of a large text on 16 MiB of random lines; with --trees words")};
}

void TrainCommandOptions::add_adapter_options(CLI::App& command) {
  OptionGroup lora(command, "Low-rank adapters (LoRA): train these alone, on the frozen --from");
  const Option rank = lora.number("--lora-rank", train_.lora.rank, at_least(1),
                                  "Their rank (default: no adapters)");
  lora.number("--lora-alpha", train_.lora.alpha, above(0),
              "They count alpha / rank times (default: alpha is twice the rank)")
      .needs(rank);
  lora.custom(
      "--lora-on",
      [this](const std::string& names) { train_.lora.on = LoraOptions::parse_names(names); },
      [this] { return joined(train_.lora.on, ","); },
      "Which linear maps have one: query, key, value, output, inner, outer, or all", "NAMES");
}

void TrainCommandOptions::add_duration_options(CLI::App& command) {
  OptionGroup group(
      command,
      "How long (the first that is reached, counted from the first start on; default: with --src "
      "and no preset 5 to 100 epochs, the fewer the more text; " +
          steps_of_presets() + ")");
  group.number("--steps", train_.steps, at_least(1), "Optimiser steps");
  group.number("--epochs", train_.epochs, at_least(1), "Passes over the training text");
  group.number("--minutes", train_.minutes, above(0),
               "Minutes by the clock, validation and watching included, and with --resume those of "
               "earlier starts");
  group.number("--patience", train_.patience, at_least(1),
               "Stop after this many validations without a better one (default: never)");
}

void TrainCommandOptions::add_optimisation_options(CLI::App& command) {
  TrainOptions& t = train_;
  OptionGroup group(command, "Optimisation" + with_defaults_of(architecture_.preset()));
  group.number("--batch-tokens", t.batch_tokens, at_least(1),
               "Tokens of a batch, of the larger side; for text whole windows");
  accumulate_ =
      group.number("--accumulate", t.accumulate, at_least(1),
                   "Batches a step, added up as if they were one (default: 1, or one a process)");
  optimizer_.add(group, t);
  group.one_of(
      "--schedule", all_names<ScheduleKind>(),
      [this, &t](const std::string& name) {
        t.schedule.width = architecture_.config()->width;
        schedule_of_preset_ = t.schedule;
        t.schedule.kind = enum_named<ScheduleKind>(name);
      },
      [&t] { return enum_name(t.schedule.kind); },
      "Of the learning rate; cosine and linear fall until the run ends");
  lr_ = group.number(
      "--lr", t.schedule.lr, above(0),
      "Its peak, for noam the factor (default: the peak of the preset, whatever the schedule)");
  group.number("--warmup", t.schedule.warmup, at_least(1), "Steps until the peak")
      .on_each([&t](const std::string&) { t.schedule.warmup_share = 1; });
  group.number(
      "--warmup-share", t.schedule.warmup_share, {0, false, 1},
      "No more of the run than this until the peak (default: 0.1, with --warmup all that it says)");
  group.number("--label-smoothing", t.label_smoothing, rate(),
               "Probability shared among all pieces");
  group.choice(
      "--consistency", t.consistency.kind,
      "Read every batch twice and train both readings to agree: r_drop, two dropouts; simcut, once with holes");
  group.number("--consistency-weight", t.consistency.weight, above(0),
               "How much their distance counts (default: 5 with r_drop, 3 with simcut)");
  group.number("--cutoff", t.consistency.cutoff, rate(),
               "Share of tokens that simcut's second reading does not see");
  group.number(
      "--ema", t.ema, Range{0, false, 1},
      "Decay a step of a moving average of the parameters, which is validated and becomes the model (default: none)");
  group.number("--clip-norm", t.clip_norm, above(0), "Longest gradient (default: any)");
  group.number("--seed", t.seed, "Of initial values, order and dropout");
}

void TrainCommandOptions::add_checkpoint_options(CLI::App& command) {
  TrainOptions& t = train_;
  OptionGroup group(command, "Validation and checkpoints");
  group.number(
      "--validate-every", t.validate_every, at_least(1),
      "Steps between validations (default: an epoch, or a tenth of the run if that is less)");
  group.choice(
      "--best-by", t.best_by, names_of_best_by(),
      "What the best model and --patience go by: loss; score: BLEU, F1, or accuracy of masks; or a metric, by which translations are then scored");
  group.number("--keep", t.keep, at_least(1),
               "Checkpoints kept, one each validation (default: 5, or as many as are averaged)");
  group.number(
      "--average", t.average, at_least(1),
      "At the end, the mean of this many last checkpoints becomes the model, if it is better than the best of them (default: the best one)");
  group.number("--save-every-seconds", t.save_every_seconds, at_least(1),
               "How much work a kill can cost");
  const Option resume =
      group.flag("--resume", t.resume,
                 "Go on where the run in --out stopped, or start where there is none yet");
  group
      .flag("--force-data", t.force_data,
            "Resume although the texts are not those that the run was started with")
      .needs(resume);
  group.flag("--detect-anomaly", t.detect_anomaly,
             "Name the op that makes a NaN or an infinity (slow)");
  group.flag("--quiet", t.quiet, "No progress line; log.jsonl is written all the same");
}

void TrainCommandOptions::add_watching_options(CLI::App& command) {
  OptionGroup group(command,
                    "Watching (kette plot draws it; what is trained stays the same to the bit)");
  group.one_of(
      "--log", {"json", "tensorboard"},
      [&t = train_](const std::string& log) { t.tensorboard = log == "tensorboard"; },
      [&t = train_] { return t.tensorboard ? "tensorboard" : "json"; },
      "json: in log.jsonl alone; tensorboard: also in event files for TensorBoard, in the folder tensorboard of the model directory");
  group.flag("--page", page_, "Keep page.html in the model directory up to date with the curves");
  group.custom(
      "--record",
      [this](const std::string& names) { record_.parts = RecordOptions::parse_parts(names); },
      [this] { return record_.names(); },
      "Note in record.jsonl what the model is like inside, on a few texts of the validation set: heads, norms, lens",
      "NAMES");
  group.number("--record-every", record_.every, at_least(1), "Steps from one record to the next");
}

std::string TrainCommandOptions::fit(CLI::App& command, Communicator& communicator, int threads) {
  const bool has_shape = architecture_.is_preset_given() || !train_.from.empty();
  if (is_text() || pair_task() != nullptr || has_shape) return {};
  check();
  check_files();
  const std::vector<ParallelText> texts = this->texts();
  const double minutes = train_.minutes;
  const LearningTime time = {
      .steps = train_.steps,
      .epochs = train_.epochs,
      .flops = minutes > 0 ? 60e9 * minutes *
                                 communicator.of_first(measure_product_gflops(compute_, threads))
                           : 0};
  const TextAmount amount = amount_of(texts);
  const FittedRecipe fitted = fitted_recipe(amount, time);
  architecture_.apply(fitted.model);
  fitted.recipe.apply_to(train_);
  translation_.vocabulary = vocabulary_of_preset_ = fitted.model.vocabulary;
  if (train_.steps == 0 && train_.epochs == 0 && minutes == 0) train_.epochs = fitted.epochs;
  apply_given(command);
  keep_peak();
  const auto model = architecture_.as<TransformerConfig>();
  const std::string limit = minutes > 0        ? shortest(minutes) + " minutes"
                            : train_.steps > 0 ? std::to_string(train_.steps) + " steps"
                                               : std::to_string(train_.epochs) + " epochs";
  return "fitted to " + std::to_string(amount.pairs) + " pairs and " + limit + ": " +
         std::to_string(model.encoder_layers) + "+" + std::to_string(model.decoder_layers) +
         " layers of width " + std::to_string(model.width) + ", dropout " +
         shortest(model.dropout) + ", batches of " + std::to_string(train_.batch_tokens) +
         " tokens (--preset takes others)";
}

TrainOptions TrainCommandOptions::shared(CLI::App& command) const {
  TrainOptions t = train_;
  t.device = compute_.device;
  t.precision = compute_.dtype();
  if (t.steps == 0 && t.epochs == 0 && t.minutes == 0) {
    t.steps = recipe_of(architecture_.preset()).steps;
  }
  t.configuration = configuration(command);
  as_usage(command, [&] {
    t.stages = Stages(stages_);
    t.check();
  });
  return t;
}

void TrainCommandOptions::set_text(CLI::App& command, TextOptions& options) const {
  check();
  TrainOptions& of_all = options;
  of_all = shared(command);
  options.text = paths(text_files_);
  options.valid_text = paths(valid_text_files_);
  options.weights = translation_.weights;
  options.temperature = translation_.temperature;
  check_weights("--text", options.text.size());
  options.documents = text_.documents;
  options.valid_tokens = text_.valid_tokens;
  options.vocabulary = translation_.vocabulary;
  if (tokenizer_ == "character" || tokenizer_ == "sentencepiece") {
    options.tokenizer_kind = tokenizer_;
  } else if (!tokenizer_.empty()) {
    options.tokenizer = load_named_tokenizer(tokenizer_);
  }
}

TextTrainOptions TrainCommandOptions::text(CLI::App& command) const {
  TextTrainOptions result;
  set_text(command, result);
  result.model = architecture_.as<GptConfig>();
  return result;
}

TranslationTrainOptions TrainCommandOptions::translation(CLI::App& command) const {
  check();
  check_files();
  TranslationTrainOptions result = translation_;
  set_pairs(command, result);
  result.texts = texts();
  check_weights(result.is_prepared()   ? "text of --pairs"
                : tsv_.files().empty() ? "--src"
                                       : "text",
                result.texts.size());
  return result;
}

TrainRun TrainCommandOptions::run_of(CLI::App& command) const {
  if (const TextTaskOptions* task = text_task(); is_text() && task != nullptr) {
    return task->run_of([&](TextOptions& options) { set_text(command, options); },
                        *architecture_.config());
  }
  if (is_text()) return TrainRun::of(text(command));
  const PairTaskOptions* task = pair_task();
  if (task == nullptr) return TrainRun::of(translation(command));
  check();
  check_files();
  ParallelTrainOptions options = translation_;
  set_pairs(command, options);
  check_weights("file of " + task->option(), task->files());
  return task->run_of(options);
}

void TrainCommandOptions::set_pairs(CLI::App& command, ParallelTrainOptions& options) const {
  TrainOptions& of_all = options;
  of_all = shared(command);
  options.tokenizer = tokenizer_;
  options.model = architecture_.as<TransformerConfig>();
}

}  // namespace kette::cli
