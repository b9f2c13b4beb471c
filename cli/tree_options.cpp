// The options of `kette train --trees`, which trains a parser.
#include "cli/train_tasks.h"
#include "train/tree_task.h"

namespace kette::cli {
namespace {

class TreeOptions final : public PairTaskOptions {
 public:
  std::string option() const override { return "--trees"; }
  std::string model() const override { return "a parser"; }
  std::string score() const override { return "F1"; }

  std::vector<Option> add_data(OptionGroup& data, const Choose& choose) override {
    Option trees = data.list(
        "--trees", files_,
        "Train a parser on constituency trees in brackets, as the Penn Treebank's; of several files with --weights or --temperature");
    trees.on_each([choose](const std::string&) { choose("parse"); });
    return {trees, data.path("--valid-trees", valid_, "Trees for validation")};
  }
  bool is_chosen() const override { return !files_.empty(); }
  std::size_t files() const override { return files_.size(); }
  void check_files() const override {
    if (valid_.empty()) {
      throw UsageError("--valid-trees is required: expected trees for validation beside --trees");
    }
  }
  TrainRun run_of(const ParallelTrainOptions& options) const override {
    TreeTrainOptions result;
    static_cast<ParallelTrainOptions&>(result) = options;
    result.trees = {files_.begin(), files_.end()};
    result.valid_trees = valid_;
    return TrainRun::of(std::move(result));
  }

 private:
  std::vector<std::string> files_;
  std::filesystem::path valid_;
};

}  // namespace

std::unique_ptr<PairTaskOptions> tree_options() { return std::make_unique<TreeOptions>(); }

}  // namespace kette::cli
