// Training a translation model: batches by token count, label smoothing, Adam, a schedule,
// validation, checkpoints, and a resume that continues bit for bit. Everything a run needs stands
// in TrainOptions.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "models/model_directory.h"
#include "train/adam.h"
#include "train/schedule.h"

namespace kette {

struct TrainOptions {
  // Data
  std::filesystem::path source, target, valid_source, valid_target;
  std::filesystem::path out;        ///< the model directory
  std::filesystem::path tokenizer;  ///< an existing SentencePiece model; empty: train one
  std::int64_t vocabulary = 10000;
  double bpe_dropout = 0;
  std::int64_t max_length = 256;  ///< longer sentences, in tokens, are left out of training
  double max_ratio = 0;           ///< likewise more unequal pairs; 0: off

  // Model
  TransformerConfig model;
  Device device;
  DType precision = DType::f32;  ///< what it computes in; with bf16 Adam still works in f32

  // How long: the first that is reached ends the run; 0: not set
  std::int64_t steps = 0, epochs = 0;
  double minutes = 0;
  std::int64_t patience = 0;  ///< validations without a better loss before stopping; 0: never

  // Optimisation
  std::int64_t batch_tokens = 4096;  ///< the larger of source and target tokens of a batch
  std::int64_t accumulate = 1;       ///< batches per step
  ScheduleOptions schedule;
  AdamOptions adam;
  double label_smoothing = 0.1;
  double clip_norm = 0;  ///< 0: off

  // Validation and checkpoints
  std::int64_t validate_every = 0;  ///< steps; 0: once an epoch
  bool validate_bleu = true;        ///< translate the validation set too (greedily)
  std::string bleu_tokenize = "13a";
  std::int64_t keep = 5;     ///< last checkpoints kept, one per validation
  std::int64_t average = 0;  ///< at the end, model.safetensors = mean of this many last checkpoints
  std::int64_t save_every_seconds = 300;  ///< how much work a kill can cost

  std::uint64_t seed = 1;
  bool resume = false;
  bool detect_anomaly = false;
  bool quiet = false;  ///< no progress line (the log is written all the same)
};

struct TrainResult {
  std::int64_t steps = 0, epochs = 0;
  double train_loss = 0;  ///< mean over the last 100 steps, per token, with smoothing
  double valid_loss = 0, best_valid_loss = 0;  ///< negative log likelihood per target token
  std::optional<double> valid_bleu;
  double seconds = 0;
  double source_tokens_per_second = 0, target_tokens_per_second = 0;
  bool interrupted = false;  ///< stopped by Ctrl-C; resumable
};

/// Trains (or resumes) and leaves a model directory. Text for people goes to stderr.
TrainResult train(const TrainOptions& options);

}  // namespace kette
