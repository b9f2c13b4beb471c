// Records the inside of a model during training. Every few steps it runs some fixed texts of the validation
// set and appends a line to record.jsonl. `kette plot` draws it.
//   heads   for every head its HeadScores; for a language model also induction scores
//   norms   for every level the mean norm of a row of the residual stream, and its effective dimensions;
//           for every layer the norm of the gradient, and the norm of the step's change relative to the
//           values
//   lens    for every level the logit lens: KL to the last level in nats, and how often the best token is
//           that of the last level
#pragma once

#include <algorithm>
#include <optional>

#include "data/files/json_fwd.h"
#include "models/autoregressive_model.h"
#include "train/observer.h"
#include "train/step_log.h"

namespace kette {

enum class RecordPart : std::uint8_t { heads, norms, lens };
template <>
inline constexpr auto kNamesOf<RecordPart> = enum_names<RecordPart>({{RecordPart::heads, "heads"},
                                                                     {RecordPart::norms, "norms"},
                                                                     {RecordPart::lens, "lens"}});

inline constexpr const char* kRecordFile = "record.jsonl";

struct RecordOptions {
  std::vector<RecordPart> parts;
  std::int64_t every = 100;  ///< steps; the first and the last are also recorded

  bool has(RecordPart part) const {
    return std::find(parts.begin(), parts.end(), part) != parts.end();
  }
  /// "heads,lens"
  static std::vector<RecordPart> parse_parts(const std::string& list);
  std::string names() const;
};

class TrainingRecorder final : public TrainObserver {
 public:
  explicit TrainingRecorder(RecordOptions options) : options_(std::move(options)) {}

  void at_start(Task& task, std::int64_t step) override;
  void before_step(Task& task, std::int64_t step) override;
  void after_step(Task& task, std::int64_t step) override;
  void after_training(Task& task, std::int64_t step) override;
  double seconds() const { return seconds_; }

 private:
  bool is_due(std::int64_t step) const { return step % options_.every == 0; }
  void record(Task& task, std::int64_t step);
  Json of_passes(const AutoregressiveModel& model) const;
  Json of_parameters(const ParamStore& parameters) const;

  RecordOptions options_;
  std::vector<Batch> texts_;
  std::vector<Tensor> before_;  // the values before the step, by parameter; or none
  std::optional<StepLog> log_;
  std::int64_t last_ = -1;
  double seconds_ = 0;
};

/// The texts to record: eight of more than a few tokens, spread over the batches, at most the first 64 tokens of each.
/// A shortened source keeps its end mark.
std::vector<Batch> recorded_texts(const std::vector<Batch>& batches);

/// The participation ratio, (sum of the eigenvalues)^2 / sum of their squares, of the covariance of the rows. From 1 to
/// the width. rows: [rows, width].
double effective_dimensions(const std::vector<float>& rows, std::int64_t width);

}  // namespace kette
