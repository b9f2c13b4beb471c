#include "train/run_folder.h"

#include <algorithm>
#include <random>
#include <utility>

#include "data/files/atomic_file.h"
#include "data/files/text_file.h"
#include "models/average.h"
#include "train/trainer.h"

namespace kette {
namespace fs = std::filesystem;

RunFolder::RunFolder(const TrainOptions& options, RunFingerprint fingerprint)
    : path_(options.out),
      fingerprint_(std::move(fingerprint)),
      communicator_(*options.communicator) {
  if (communicator_.is_alone()) {
    prepare(options);
    return;
  }
  const RunFingerprint of_first =
      RunFingerprint::from_json(communicator_.all(fingerprint_.to_json()).front());
  communicator_.agree([&] { fingerprint_.check_same(of_first, communicator_.name_of(0)); });
  communicator_.once("looking at the folder", [&] { prepare(options); });
  resumes_ = communicator_.of_first(resumes_);
  check_is_shared();
  communicator_.agree([&] {
    if (resumes_)
      changed_data_ = fingerprint_.changed_data(peek_training_state(state_file())->fingerprint);
  });
}

void RunFolder::prepare(const TrainOptions& options) {
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

bool RunFolder::has_other_validation() const {
  const auto is_for_validation = [](const RunFingerprint::Data& data) {
    return data.is_for_validation();
  };
  const auto& own = fingerprint_.data;
  const bool is_part_of_text = std::none_of(own.begin(), own.end(), is_for_validation);
  return is_part_of_text
             ? !changed_data_.empty()
             : std::any_of(changed_data_.begin(), changed_data_.end(), is_for_validation);
}

/// By a file that the first process has just written there, with what none can know.
void RunFolder::check_is_shared() const {
  const fs::path file = path_ / ".processes";
  std::string secret;
  communicator_.once("looking at the folder", [&] {
    secret = std::to_string(std::random_device()());
    write_file_atomically(file, secret);
  });
  secret = communicator_.all(secret).front();
  communicator_.agree([&] {
    KETTE_CHECK(
        fs::exists(file) && read_text(file) == secret, path_.string(),
        ": expected the folder that ", communicator_.name_of(0),
        " writes to, given another (all processes need it: take a file system that their hosts share)");
  });
  communicator_.once("looking at the folder", [&] { fs::remove(file); });
}

SharedTokenizer RunFolder::shared_tokenizer(const std::function<SharedTokenizer()>& make) const {
  if (resumes_ || communicator_.is_alone()) return make();
  SharedTokenizer tokenizer;
  communicator_.once("making the tokenizer", [&] {
    tokenizer = make();
    tokenizer->save(path_);
  });
  const std::string kind = communicator_.all(tokenizer ? tokenizer->kind() : "").front();
  communicator_.agree([&] {
    if (!tokenizer) tokenizer = load_tokenizer(path_, kind);
  });
  return tokenizer;
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
