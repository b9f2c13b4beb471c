#include "train/run_folder.h"

#include <utility>

#include "data/files/atomic_file.h"
#include "models/average.h"
#include "train/trainer.h"

namespace kette {
namespace fs = std::filesystem;

RunFolder::RunFolder(const TrainOptions& options, RunFingerprint fingerprint)
    : path_(options.out), fingerprint_(std::move(fingerprint)) {
  make_folder(path_);
  lock_.emplace(path_);
  const std::optional<TrainingState> state = peek_training_state(state_file());
  if (!state) {
    KETTE_CHECK(!fs::exists(path_ / "config.json"), path_.string(),
                ": expected a folder without a model, given one that holds one",
                options.resume ? " and no training.safetensors to go on from" : "",
                "; choose another --out");
  }
  const bool has_trained = state && state->step > 0;
  if (options.resume) {
    if (has_trained) resume(state->fingerprint, options.force_data);
  } else {
    KETTE_CHECK(!has_trained, path_.string(),
                ": expected a folder without a model, given one that was trained for ", state->step,
                " steps; continue it with --resume, or choose another --out");
  }
  make_folder(path_ / kCheckpointFolder);
}

void RunFolder::resume(const RunFingerprint& stored, bool force_data) {
  fingerprint_.check_settings(stored, state_file().string());
  changed_data_ = fingerprint_.changed_data(stored);
  if (!changed_data_.empty() && !force_data) {
    const RunFingerprint::Data& changed = changed_data_.front();
    std::string before = "none";
    for (const RunFingerprint::Data& data : stored.data) {
      if (data.role == changed.role) before = data.fingerprint + " (then " + data.path + ")";
    }
    fail(changed.path, ": expected the ", changed.role, " text that the run in ", path_.string(),
         " was started with, ", before, ", given ", changed.fingerprint,
         "; give that text, or --force-data to go on with the changed one");
  }
  resumes_ = true;
}

}  // namespace kette
