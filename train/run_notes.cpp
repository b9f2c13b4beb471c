#include "train/run_notes.h"

#include <cstdio>

#include "data/files/json_text.h"

namespace kette {

void say_what_changed(Progress& progress, const TrainOptions& options, const RunFolder& folder,
                      std::int64_t step) {
  if (options.resume && !folder.resumes()) {
    progress.say(options.out.string() + ": nothing has been trained there yet, so this starts");
  }
  if (folder.changed_data().empty()) return;
  Json roles = Json::array();
  for (const RunFingerprint::Data& data : folder.changed_data()) {
    roles.push_back(data.role);
    progress.say("the " + data.role + " text has changed: " + data.path + ", " + data.fingerprint);
  }
  progress.log(Json{{"step", step}, {"changed_data", roles}}.dump());
}

void say_who_works(Progress& progress, const TrainOptions& options, const Optimizer& optimizer) {
  const Communicator& communicator = *options.communicator;
  if (communicator.is_alone()) return;
  std::size_t bytes_each = 0;
  for (const Optimizer::State& one : optimizer.state()) bytes_each += size_of(one.values.dtype());
  const auto moments = [&](std::int64_t elements) {
    const double bytes = static_cast<double>(bytes_each) * static_cast<double>(elements);
    char text[32];
    std::snprintf(text, sizeof text, "%.1f MB", 1e-6 * bytes);
    return std::string(text);
  };
  const std::string batches = std::to_string(options.accumulate);
  progress.say(communicator.str() + "; a step is " + batches + " batches (--accumulate " + batches +
               " gives one process the same model); the moments of " +
               enum_name(options.optimizer.kind) + " take " + moments(optimizer.shards().owned()) +
               " here, of " + moments(optimizer.shards().elements()));
}

void say_stage(Progress& progress, const TrainOptions& options, std::int64_t stage,
               std::int64_t step) {
  if (options.stages.empty()) return;
  const Stage& one = options.stages[stage];
  progress.say("stage " + std::to_string(stage + 1) + " of " +
               std::to_string(options.stages.size()) + " begins with step " + std::to_string(step) +
               ": " + one.str());
  progress.log(Json{{"step", step}, {"stage", stage + 1}, {"weights", one.weights}}.dump());
}

}  // namespace kette
