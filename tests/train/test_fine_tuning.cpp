// Training that starts from a trained model: of all its parameters, and of adapters on it.
#include <doctest/doctest.h>

#include "decode/translator.h"
#include "models/adapter_directory.h"
#include "tests/decode/decode_models.h"
#include "tests/train/toy_training.h"
#include "train/adam.h"

using namespace kette;
using namespace kette::testing;

namespace {

/// A trained model, made once.
const std::filesystem::path& trained_base() {
  static const ScratchFolder folder;
  static const std::filesystem::path base = [] {
    TranslationTrainOptions options = toy_options(folder, "base");
    options.steps = 40;
    train(options);
    return options.out;
  }();
  return base;
}

/// A run that starts from it.
TranslationTrainOptions fine_tuning(const ScratchFolder& folder, const std::string& out,
                                    std::int64_t rank) {
  TranslationTrainOptions options = toy_options(folder, out);
  options.model = {};
  options.from = trained_base();
  options.steps = 10;
  options.schedule = {ScheduleKind::constant, 1e-2, 1, 16, 0};
  options.lora.rank = rank;
  options.lora.on = {"all"};
  return options;
}

const std::vector<std::string> kLines = {"ao bo co", "fo do", "lo ao ao ko", "eo"};

std::vector<std::string> translations(const std::filesystem::path& folder) {
  const SavedModel<Transformer> saved = load_model<Transformer>(folder);
  std::vector<std::string> texts;
  for (const auto& one :
       Translator(*saved.model, saved.tokenizer).translate(source_sentences(kLines))) {
    texts.push_back(one.text);
  }
  return texts;
}

}  // namespace

TEST_CASE_FIXTURE(
    OneThread,
    "fine-tuning: ten steps of adapters equal five, a resume, and five more, bit for bit") {
  const ScratchFolder folder;
  TranslationTrainOptions whole = fine_tuning(folder, "whole", 2);
  const std::string base = read_file(trained_base() / "model.safetensors");
  train(whole);
  TranslationTrainOptions halves = fine_tuning(folder, "halves", 2);
  halves.steps = 5;
  train(halves);
  halves.steps = 10;
  halves.resume = true;
  CHECK(train(halves).steps == 10);
  CHECK(parameters_in(whole.out) == parameters_in(halves.out));
  CHECK(read_file(whole.out / "adapter.safetensors") ==
        read_file(halves.out / "adapter.safetensors"));

  CHECK(read_file(trained_base() / "model.safetensors") == base);
  CHECK_FALSE(std::filesystem::exists(whole.out / "model.safetensors"));
  const SafetensorsFile stored = SafetensorsFile::open(whole.out / "adapter.safetensors");
  for (const std::string& name : stored.names()) {
    CHECK(contains(name, "/lora_"));
  }
  const auto moments = SafetensorsFile::open(whole.out / "training.safetensors");
  CHECK(moments.shape("first_moment").elements() < 16 * 1024);

  halves.lora.rank = 3;
  CHECK_THROWS_WITH_AS(train(halves), doctest::Contains("expected lora_rank = 2"), Error);
  halves.lora.rank = 0;
  CHECK_THROWS_WITH_AS(train(halves), doctest::Contains("expected lora_rank = 2"), Error);
}

TEST_CASE_FIXTURE(OneThread, "fine-tuning: adapters name their base where a resume has found it") {
  const ScratchFolder folder;
  TranslationTrainOptions options = fine_tuning(folder, "adapted", 2);
  options.from = folder / "base";
  std::filesystem::copy(trained_base(), options.from);
  options.steps = 2;
  train(options);
  std::filesystem::rename(options.from, folder / "moved");
  CHECK_THROWS_WITH_AS(translations(options.out), doctest::Contains("if it moved"), Error);
  options.from = folder / "moved";
  options.steps = 3;
  options.resume = true;
  train(options);
  CHECK(translations(options.out).size() == kLines.size());
}

TEST_CASE_FIXTURE(
    OneThread,
    "fine-tuning: the base stays as it is in memory, and the loss falls from where it was") {
  const ScratchFolder folder;
  TranslationTrainOptions options = fine_tuning(folder, "adapted", 4);
  Transformer model(read_config_of<TransformerConfig>(options.from));
  StartingPoint start(model, options);
  const auto before = model.parameters().values().values<float>();
  const SharedTokenizer tokenizer = load_tokenizer(options.from / "tokenizer.model");
  const ParallelCorpus corpus =
      ParallelCorpus::load(options.texts[0], tokenizer, {.max_length = 60});
  const Batch batch =
      make_batch(corpus, std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7}, tokenizer->special());
  Adam adam(start.parameters(), {});
  const auto step = [&] { return train_step(start.model(), adam, {&batch, 1}, {2e-2, 0, 0, 1}); };
  const double first = step().negative_log_likelihood;
  for (int i = 0; i < 20; ++i) step();
  CHECK(step().negative_log_likelihood < 0.8 * first);
  CHECK(model.parameters().values().values<float>() == before);
  CHECK_THROWS_AS(model.parameters().gradients(), Error);
}

TEST_CASE_FIXTURE(OneThread,
                  "fine-tuning: adapters beside the weights and merged into them translate alike") {
  const ScratchFolder folder;
  TranslationTrainOptions options = fine_tuning(folder, "adapted", 4);
  options.validate_score = true;
  options.steps = 30;
  options.keep = options.average = 2;
  options.validate_every = 10;
  const TrainResult result = train(options);
  CHECK(result.last.score->value > 0);
  CHECK(logged(options.out, "valid_loss").size() == 3);
  CHECK(logged(options.out, "valid_loss").back() < logged(trained_base(), "valid_loss").back());
  const auto with_adapters = translations(options.out);
  CHECK(with_adapters != translations(options.from));
  merge_adapters(options.out, folder / "merged");
  CHECK(translations(folder / "merged") == with_adapters);

  // Adapters of adapters are refused; all of the merged values can be trained.
  TranslationTrainOptions more = fine_tuning(folder, "more", 2);
  more.from = options.out;
  CHECK_THROWS_WITH_AS(train(more), doctest::Contains("kette merge"), Error);
  more.lora.rank = 0;
  more.out = folder / "tuned";
  more.steps = 2;
  CHECK(train(more).steps == 2);
  CHECK(std::filesystem::exists(more.out / "model.safetensors"));
}

TEST_CASE_FIXTURE(
    OneThread, "fine-tuning: all parameters start from the model, whose tokenizer and sizes stay") {
  const ScratchFolder folder;
  TranslationTrainOptions options = fine_tuning(folder, "tuned", 0);
  options.schedule.lr = 1e-12;
  options.steps = 1;
  train(options);
  CHECK(read_file(options.out / "tokenizer.model") == read_file(options.from / "tokenizer.model"));
  CHECK(read_file(options.out / "config.json") == read_file(options.from / "config.json"));
  const double before = logged(options.from, "valid_loss").back();
  CHECK(logged(options.out, "valid_loss").back() == doctest::Approx(before).epsilon(1e-4));

  TranslationTrainOptions wrong = fine_tuning(folder, "wrong", 0);
  wrong.tokenizer = options.from / "tokenizer.model";
  CHECK_THROWS_WITH_AS(train(wrong), doctest::Contains("which has its own"), Error);
  wrong.tokenizer.clear();
  wrong.from = folder / "nothing";
  CHECK_THROWS_AS(train(wrong), Error);
  wrong.from.clear();
  wrong.tokenizer = testing::source_folder() / "tests/fixtures/gpt2_tiny";
  CHECK_THROWS_WITH_AS(train(wrong), doctest::Contains("of the kind sentencepiece or marian"),
                       Error);
  wrong.tokenizer.clear();
  wrong.lora.rank = 2;
  CHECK_THROWS_WITH_AS(train(wrong), doctest::Contains("(from), given none"), Error);
  wrong.from = trained_base();
  wrong.lora.on = {"qery"};
  CHECK_THROWS_WITH_AS(train(wrong), doctest::Contains("did you mean query?"), Error);
}

TEST_CASE_FIXTURE(OneThread, "fine-tuning: adapters train in bf16, too") {
  const ScratchFolder folder;
  TranslationTrainOptions options = fine_tuning(folder, "rounded", 4);
  options.precision = DType::bf16;
  options.validate_score = true;
  options.steps = 20;
  const TrainResult result = train(options);
  CHECK(result.last.loss < logged(options.from, "valid_loss").back());
  CHECK(translations(options.out).size() == kLines.size());
}
