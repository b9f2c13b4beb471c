// The options of `kette train --objective masked`, which trains a BERT.
#include <typeinfo>

#include "cli/train_tasks.h"
#include "train/masked_task.h"

namespace kette::cli {
namespace {

class MaskedOptions final : public TextTaskOptions {
 public:
  TextObjective objective() const override { return TextObjective::masked; }
  const char* preset() const override { return "bert-tiny"; }
  std::string models() const override { return "BERT"; }
  bool takes(const ModelConfig& config) const override {
    return typeid(config) == typeid(BertConfig);
  }
  bool has_score() const override { return true; }
  bool makes_pieces() const override { return true; }

  std::vector<Option> add_options(OptionGroup& group) override {
    return {group.flag("--whole-words", masking_.whole_words,
                       "Mask all pieces of a word together, with --objective masked")};
  }
  TrainRun run_of(const std::function<void(TextOptions&)>& set,
                  const ModelConfig& model) const override {
    MaskedTrainOptions result;
    set(result);
    result.model = dynamic_cast<const BertConfig&>(model);
    result.masking = masking_;
    return TrainRun::of(std::move(result));
  }

 private:
  MaskingOptions masking_;
};

}  // namespace

std::unique_ptr<TextTaskOptions> masked_options() { return std::make_unique<MaskedOptions>(); }

}  // namespace kette::cli
