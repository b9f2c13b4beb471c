// A translation task whose validations a test has changed.
#pragma once

#include <string>
#include <vector>

#include "train/translation_task.h"

namespace kette::testing {

class WrappedTask : public Task {
 public:
  explicit WrappedTask(const TranslationTrainOptions& options) : task_(options) {}

  const Model& model() const override { return task_.model(); }
  ParamStore& parameters() override { return task_.parameters(); }
  const RunFolder& folder() const override { return task_.folder(); }
  Sampler& sampler() override { return task_.sampler(); }
  const std::vector<Batch>& validation_batches() const override {
    return task_.validation_batches();
  }
  double validation_loss() override { return task_.validation_loss(); }
  std::string report() const override { return task_.report(); }
  void save_description() const override { task_.save_description(); }

 private:
  TranslationTask task_;
};

}  // namespace kette::testing
