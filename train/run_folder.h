// The folder of a training run, which becomes a model directory: made anew or taken up again, and
// nobody else's while this lives. Its training.safetensors (train/training_state.h) is written
// before anything else of a model: a folder with a state that has trained holds a run to resume,
// one with a state at step 0 what a killed start left, and one with a model and no state somebody's
// model.
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
  /// Throws, and changes nothing, unless the options may start or resume a run there: with this
  /// fingerprint, and with these data or with force_data. Of several processes, all must have the same fingerprint and
  /// see the same folder.
  RunFolder(const TrainOptions& options, RunFingerprint fingerprint);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path state_file() const { return path_ / kTrainingState; }
  const RunFingerprint& fingerprint() const { return fingerprint_; }
  /// Whether there is something trained to go on from. Without it the run starts, asked to resume
  /// or not.
  bool resumes() const { return resumes_; }
  /// The tokenizer that make() gives the first process, in all of them.
  SharedTokenizer shared_tokenizer(const std::function<SharedTokenizer()>& make) const;
  /// Since the run was stopped, which force_data allowed.
  const std::vector<RunFingerprint::Data>& changed_data() const { return changed_data_; }

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
