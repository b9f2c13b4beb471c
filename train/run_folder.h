// The folder of a training run, which becomes a model directory. It is locked while the object lives.
// training.safetensors (train/training_state.h) is written before any other file of a model. So a state after
// step 0 means a run to resume, a state at step 0 means a start that was killed, and a model without a state
// is not a run's.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "data/files/folder_lock.h"
#include "data/tokenizers/tokenizer.h"
#include "train/training_state.h"

namespace kette {

struct TrainOptions;

class RunFolder {
 public:
  /// Throws an Error, and changes nothing, unless the options may start or resume a run there. A resume needs the same
  /// settings, and the same data unless force_data is set. All processes must have the same fingerprint and see the
  /// same folder.
  RunFolder(const TrainOptions& options, RunFingerprint fingerprint);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path state_file() const { return path_ / kTrainingState; }
  const RunFingerprint& fingerprint() const { return fingerprint_; }
  /// Whether the run continues a trained state. With TrainOptions::resume and no such state, it starts.
  bool resumes() const { return resumes_; }
  /// Makes the tokenizer in the first process and gives it to all.
  SharedTokenizer shared_tokenizer(const std::function<SharedTokenizer()>& make) const;
  /// Data that changed since the run was stopped; empty without force_data.
  const std::vector<RunFingerprint::Data>& changed_data() const { return changed_data_; }
  /// Whether the validation text is among them, or a part of one.
  bool has_other_validation() const;

 private:
  void prepare(const TrainOptions& options);
  void resume(const RunFingerprint& stored, bool force_data);
  void check_is_shared() const;

  std::filesystem::path path_;
  RunFingerprint fingerprint_;
  Communicator& communicator_;
  std::optional<FolderLock> lock_;
  bool resumes_ = false;
  std::vector<RunFingerprint::Data> changed_data_;
};

}  // namespace kette
