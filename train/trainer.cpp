#include "train/trainer.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "autograd/anomaly.h"
#include "data/atomic_file.h"
#include "data/bleu.h"
#include "decode/translator.h"
#include "models/average.h"
#include "train/interrupt.h"
#include "train/progress.h"
#include "train/training_state.h"

namespace kette {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void check_options(const TrainOptions& o) {
  const auto at_least = [](const char* what, double value, double least) {
    KETTE_CHECK(value >= least, what, ": expected at least ", least, ", given ", value);
  };
  at_least("batch_tokens", static_cast<double>(o.batch_tokens), 1);
  at_least("accumulate", static_cast<double>(o.accumulate), 1);
  at_least("steps", static_cast<double>(o.steps), 0);
  at_least("epochs", static_cast<double>(o.epochs), 0);
  at_least("minutes", o.minutes, 0);
  at_least("keep", static_cast<double>(o.keep), 1);
  KETTE_CHECK(o.steps > 0 || o.epochs > 0 || o.minutes > 0 || o.patience > 0,
              "train: expected a limit (steps, epochs, minutes or patience), given none");
  KETTE_CHECK(o.schedule.kind != ScheduleOptions::Kind::cosine || o.steps > 0 || o.epochs > 0 ||
                  o.minutes > 0,
              "train: expected steps, epochs or minutes beside the cosine schedule, which falls "
              "until then, given none");
  KETTE_CHECK(o.average <= o.keep, "average: expected at most the number of checkpoints kept, ",
              o.keep, ", given ", o.average);
  KETTE_CHECK(o.schedule.lr > 0, "lr: expected more than 0, given ", o.schedule.lr);
  KETTE_CHECK(o.label_smoothing >= 0 && o.label_smoothing < 1,
              "label_smoothing: expected a value in [0, 1), given ", o.label_smoothing);
}

/// What must be equal for a resumed run to be the same run.
std::string recipe(const TrainOptions& o, const Tokenizer& tokenizer) {
  const Json json = {{"model", Json::parse(to_json(o.model))},
                     {"tokenizer", std::hash<std::string>{}(tokenizer.bytes())},
                     {"source", fs::absolute(o.source).string()},
                     {"target", fs::absolute(o.target).string()},
                     {"bpe_dropout", o.bpe_dropout},
                     {"max_length", o.max_length},
                     {"max_ratio", o.max_ratio},
                     {"batch_tokens", o.batch_tokens},
                     {"accumulate", o.accumulate},
                     {"schedule", static_cast<int>(o.schedule.kind)},
                     {"lr", o.schedule.lr},
                     {"warmup", o.schedule.warmup},
                     {"beta1", o.adam.beta1},
                     {"beta2", o.adam.beta2},
                     {"epsilon", o.adam.epsilon},
                     {"weight_decay", o.adam.weight_decay},
                     {"label_smoothing", o.label_smoothing},
                     {"clip_norm", o.clip_norm},
                     {"precision", name_of(o.precision)},
                     {"seed", o.seed}};
  return json.dump();
}

class Trainer {
 public:
  explicit Trainer(TrainOptions options)
      : options_(std::move(options)),
        tokenizer_(prepare_tokenizer()),
        corpus_(ParallelCorpus::load(options_.source, options_.target, tokenizer_,
                                     {options_.max_length, options_.max_ratio, true, false})),
        valid_source_(read_lines(options_.valid_source)),
        valid_target_(read_lines(options_.valid_target)),
        sampler_(corpus_, {options_.batch_tokens, options_.seed, 4, true, options_.bpe_dropout}),
        model_(options_.model),
        adam_((model_.materialize(options_.seed, options_.precision, options_.device),
               model_.parameters()),
              options_.adam) {
    plan_validation();
    const std::string now = recipe(options_, tokenizer_);
    if (options_.resume) {
      state_ = load_training_state(state_file(), now, model_.parameters(), adam_);
      sampler_.restore(state_.sampler);
    } else {
      state_.recipe = now;
      save_model(options_.out, model_, tokenizer_, {{"step", "0"}});
      save_state();
    }
  }

  TrainResult run();

 private:
  fs::path state_file() const { return options_.out / "training.safetensors"; }

  /// Makes the model directory and the tokenizer in it; settles the vocabulary.
  Tokenizer prepare_tokenizer() {
    check_options(options_);
    if (!options_.resume) {
      KETTE_CHECK(!fs::exists(options_.out / "config.json"), options_.out.string(),
                  ": expected a folder without a model, given one that holds one; continue it with "
                  "--resume, or choose another --out");
    }
    std::error_code error;
    fs::create_directories(options_.out / "checkpoints", error);
    KETTE_CHECK(!error, options_.out.string(), ": expected a folder that can be written, given ",
                error.message());
    const auto make = [&] {
      if (options_.resume) return Tokenizer::load(options_.out / "tokenizer.model");
      if (!options_.tokenizer.empty()) return Tokenizer::load(options_.tokenizer);
      TokenizerOptions settings;
      settings.vocab_size = options_.vocabulary;
      return Tokenizer::train_files({options_.source, options_.target}, settings);
    };
    Tokenizer tokenizer = make();
    options_.model.vocabulary = tokenizer.vocab_size();
    return tokenizer;
  }

  void plan_validation() {
    const ParallelCorpus valid =
        ParallelCorpus::from_lines(valid_source_, options_.valid_source.string(), valid_target_,
                                   options_.valid_target.string(), tokenizer_,
                                   {options_.model.max_length - 2, 0, true, false});
    for (const auto& sentences :
         plan_batches(valid.source(), valid.target(), options_.batch_tokens)) {
      valid_batches_.push_back(make_batch(valid.source(), valid.target(), sentences));
    }
  }

  void save_state() {
    save_training_state(state_file(), state_, model_.parameters(), adam_);
    last_saved_ = Clock::now();
  }
  void validate(Progress& progress);
  void prune_checkpoints() const;
  double seconds_trained() const { return earlier_seconds_ + seconds_since(started_); }
  bool finished() const;
  double seconds_per_step() const;
  /// Until the first limit of the run; infinite while none is in sight.
  double steps_left() const;
  double next_learning_rate() const;
  void sample();
  StepResult one_step(double lr);

  TrainOptions options_;
  Tokenizer tokenizer_;
  ParallelCorpus corpus_;
  TextLines valid_source_, valid_target_;
  std::vector<Batch> valid_batches_;
  BatchSampler sampler_;        // a step ahead of state_.sampler
  std::vector<Batch> batches_;  // of the next step
  Transformer model_;
  Adam adam_;
  TrainingState state_;
  TrainResult result_;
  Clock::time_point started_ = Clock::now(), last_saved_ = Clock::now();
  double earlier_seconds_ = 0;
  std::int64_t steps_here_ = 0;
  std::int64_t last_validated_ = -1;
};

void Trainer::sample() {
  batches_.clear();
  for (std::int64_t i = 0; i < options_.accumulate; ++i) batches_.push_back(sampler_.next());
}

StepResult Trainer::one_step(double lr) {
  if (batches_.empty()) sample();
  state_.sampler = sampler_.state();
  StartedStep step = start_step(model_, adam_, batches_,
                                {lr, options_.label_smoothing, options_.clip_norm, options_.seed});
  sample();  // the next, while a GPU is at work
  return step.finish();
}

bool Trainer::finished() const {
  return (options_.steps > 0 && state_.step >= options_.steps) ||
         (options_.epochs > 0 && state_.sampler.epoch >= options_.epochs) ||
         (options_.minutes > 0 && seconds_trained() >= options_.minutes * 60) ||
         (options_.patience > 0 && state_.validations_since_best >= options_.patience);
}

double Trainer::seconds_per_step() const {
  return seconds_since(started_) / static_cast<double>(std::max<std::int64_t>(1, steps_here_));
}

double Trainer::steps_left() const {
  double left = std::numeric_limits<double>::infinity();
  const auto at_most = [&](double steps) { left = std::min(left, std::max(0.0, steps)); };
  if (options_.steps > 0) at_most(static_cast<double>(options_.steps - state_.step));
  if (options_.epochs > 0) {
    const double epoch = static_cast<double>(sampler_.batches_in_epoch());
    const double done = static_cast<double>(state_.sampler.epoch) * epoch +
                        static_cast<double>(state_.sampler.position);
    at_most((static_cast<double>(options_.epochs) * epoch - done) /
            static_cast<double>(options_.accumulate));
  }
  if (options_.minutes > 0 && steps_here_ > 0)
    at_most((options_.minutes * 60 - seconds_trained()) / seconds_per_step());
  return left;
}

double Trainer::next_learning_rate() const {
  ScheduleOptions schedule = options_.schedule;
  const double left = steps_left();
  if (std::isfinite(left)) schedule.total_steps = state_.step + std::llround(std::ceil(left));
  return learning_rate(schedule, state_.step + 1);
}

void Trainer::prune_checkpoints() const {
  const std::vector<fs::path> files = list_checkpoints(options_.out);
  for (std::size_t i = 0; i + static_cast<std::size_t>(options_.keep) < files.size(); ++i) {
    std::error_code ignored;
    fs::remove(files[i], ignored);
  }
}

void Trainer::validate(Progress& progress) {
  progress.pause();
  last_validated_ = state_.step;
  const double loss = validation_loss(model_, valid_batches_);
  result_.valid_loss = loss;
  const bool best = state_.best_valid_loss == 0 || loss < state_.best_valid_loss;
  const Metadata metadata = {{"step", std::to_string(state_.step)},
                             {"valid_loss", std::to_string(loss)}};
  save_parameters(
      options_.out / "checkpoints" / ("step-" + std::to_string(state_.step) + ".safetensors"),
      model_.parameters(), metadata);
  prune_checkpoints();
  if (best) {
    save_parameters(options_.out / "model.safetensors", model_.parameters(), metadata);
    state_.best_valid_loss = loss;
    state_.validations_since_best = 0;
  } else {
    ++state_.validations_since_best;
  }
  Json json = {
      {"step", state_.step}, {"epoch", state_.sampler.epoch}, {"valid_loss", loss}, {"best", best}};
  char line[160];
  std::snprintf(line, sizeof line, "validation at step %lld: loss %.4f, perplexity %.2f",
                static_cast<long long>(state_.step), loss, std::exp(loss));
  std::string text = line;
  if (options_.validate_bleu) {
    const Translator translator(model_, tokenizer_);
    TranslateOptions decode;
    decode.beam = 1;
    const std::vector<Translation> translations = translator.translate(
        std::vector<std::string>(valid_source_.views().begin(), valid_source_.views().end()),
        decode);
    ScoreLines hypotheses;
    for (const Translation& translation : translations) hypotheses.push_back(translation.text);
    BleuOptions scoring;
    scoring.tokenizer = score_tokenizer(options_.bleu_tokenize);
    result_.valid_bleu = corpus_bleu(hypotheses, {valid_target_.views()}, scoring).score;
    json["valid_bleu"] = *result_.valid_bleu;
    std::snprintf(line, sizeof line, ", greedy BLEU %.2f", *result_.valid_bleu);
    text += line;
  }
  progress.log(json.dump());
  progress.say(text + (best ? " (best so far)" : ""));
  save_state();
  progress.go_on();
}

TrainResult Trainer::run() {
  const InterruptGuard guard;
  Progress progress(options_.out / "log.jsonl", state_.step, options_.quiet);
  progress.say(corpus_.report().text());
  progress.say(std::to_string(model_.parameters().elements()) + " parameters, vocabulary of " +
               std::to_string(options_.model.vocabulary) + ", " +
               std::to_string(sampler_.batches_in_epoch()) + " batches an epoch");
  std::optional<AnomalyDetection> anomaly;
  if (options_.detect_anomaly) anomaly.emplace();
  earlier_seconds_ = state_.seconds;
  started_ = Clock::now();
  while (!finished() && !InterruptGuard::requested()) {
    const std::int64_t epoch = state_.sampler.epoch;
    const double lr = next_learning_rate();
    const StepResult step = one_step(lr);
    ++state_.step;
    ++steps_here_;
    state_.seconds = seconds_trained();
    const double left = steps_left() * seconds_per_step();
    progress.step(state_.step, epoch, lr, step, std::isfinite(left) ? left : 0);
    const bool due = options_.validate_every > 0 ? state_.step % options_.validate_every == 0
                                                 : state_.sampler.epoch > epoch;
    if (due) {
      validate(progress);
    } else if (seconds_since(last_saved_) > static_cast<double>(options_.save_every_seconds)) {
      save_state();
    }
  }
  result_.interrupted = InterruptGuard::requested();
  if (result_.interrupted) {
    save_state();
    progress.say("stopped at step " + std::to_string(state_.step) + ", saved");
  } else {
    if (last_validated_ != state_.step && state_.step > 0) validate(progress);
    if (options_.average > 0) {
      std::vector<fs::path> files = list_checkpoints(options_.out);
      if (files.size() > static_cast<std::size_t>(options_.average)) {
        files.erase(files.begin(), files.end() - options_.average);
      }
      average_checkpoints(files, options_.out / "model.safetensors");
      progress.say("model.safetensors is the average of the last " + std::to_string(files.size()) +
                   " checkpoints");
    }
  }
  result_.steps = state_.step;
  result_.epochs = state_.sampler.epoch;
  result_.train_loss = progress.recent_loss();
  result_.best_valid_loss = state_.best_valid_loss;
  result_.seconds = state_.seconds;
  result_.source_tokens_per_second = progress.source_tokens_per_second();
  result_.target_tokens_per_second = progress.target_tokens_per_second();
  return result_;
}

}  // namespace

TrainResult train(const TrainOptions& options) { return Trainer(options).run(); }

}  // namespace kette
