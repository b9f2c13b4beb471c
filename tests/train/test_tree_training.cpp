// A parser learns from trees like a translator from pairs.
#include <doctest/doctest.h>

#include "decode/tree_parser.h"
#include "models/adapter_directory.h"
#include "tests/data/tiny_text.h"
#include "tests/data/treebank.h"
#include "tests/decode/decode_models.h"
#include "tests/toy_trees.h"
#include "tests/train/toy_training.h"
#include "train/tree_task.h"

using namespace kette;
using namespace kette::testing;

namespace {

TreeTrainOptions toy_parsing(const ScratchFolder& folder, const std::string& out) {
  write_file(folder / "train.mrg", toy_trees(300, 1));
  write_file(folder / "valid.mrg", toy_trees(30, 2));
  TreeTrainOptions options;
  static_cast<ParallelTrainOptions&>(options) = toy_options(folder, out);
  options.trees = {folder / "train.mrg"};
  options.valid_trees = folder / "valid.mrg";
  options.model.norm = NormOrder::pre;
  options.model.count_tags = true;
  options.batch_tokens = 400;
  options.steps = 20;
  return options;
}

}  // namespace

TEST_CASE_FIXTURE(OneThread, "a parser learns a small grammar, and its validation says so") {
  const ScratchFolder folder;
  TreeTrainOptions options = toy_parsing(folder, "parser");
  options.schedule = {ScheduleKind::cosine, 1e-2, 30, 16, 0};
  options.steps = 400;
  options.validate_every = 200;
  options.validate_score = true;
  const TrainResult result = train(options);
  REQUIRE(result.last.score);
  CHECK(result.last.score->name == "valid_f1");
  CHECK(result.last.score->value > 80);
  CHECK(logged(options.out, "valid_f1").size() == 2);
  const SavedModel<Transformer> saved = load_model<Transformer>(options.out);
  CHECK(saved.model->config().source_vocabulary == 18);
  CHECK(saved.model->config().first_tag == 12);
  CHECK(saved.model->vocabulary() == 17);
  const TreeParser parser(*saved.model, saved.tokenizer);
  CHECK(to_text(parser.parse({"the cat sees a dog ."}).front().tree) ==
        "(S (NP (DT the) (NN cat)) (VP (VBZ sees) (NP (DT a) (NN dog))) (. .))");
}

TEST_CASE_FIXTURE(OneThread, "a parser's run resumes to the bit, on the same trees alone") {
  const ScratchFolder folder;
  TreeTrainOptions options = toy_parsing(folder, "whole");
  train(options);
  options.out = folder / "parts";
  options.steps = 12;
  train(options);
  options.steps = 20;
  options.resume = true;
  write_file(folder / "train.mrg", toy_trees(299, 1));
  CHECK(contains(message_of([&] { train(options); }), "trees"));
  write_file(folder / "train.mrg", toy_trees(300, 1));
  train(options);
  CHECK(parameters_in(folder / "whole") == parameters_in(folder / "parts"));
}

TEST_CASE_FIXTURE(OneThread,
                  "trees of several files are mixed, and a parser learns on from another") {
  const ScratchFolder folder;
  TreeTrainOptions options = toy_parsing(folder, "silver");
  write_file(folder / "more.mrg", toy_trees(100, 3));
  options.trees.push_back(folder / "more.mrg");
  options.weights = {1, 3};
  train(options);
  TreeTrainOptions again = toy_parsing(folder, "gold");
  again.from = options.out;
  train(again);
  again.out = folder / "adapted";
  again.lora.rank = 2;
  train(again);
  CHECK(holds_adapters(again.out));
  const SavedModel<Transformer> saved = load_model<Transformer>(again.out);
  CHECK(TreeParser(*saved.model, saved.tokenizer).parse({"the cat sleeps ."}).size() == 1);

  options.bpe_dropout = 0.1;
  options.out = folder / "dropped";
  CHECK(message_of([&] { train(options); }) ==
        "bpe_dropout: expected words that a BPE model cuts, given whole words (--tokenizer takes a "
        "SentencePiece model)");
  options.bpe_dropout = 0;
  options.trees.clear();
  options.out = folder / "nothing";
  CHECK(message_of([&] { train(options); }) == "train: expected files of trees, given none");
  options.trees = {folder / "train.mrg"};
  options.best_by = "bleu";
  CHECK(contains(message_of([&] { train(options); }), "with trees, whose score is F1, given bleu"));
  TranslationTrainOptions pairs = toy_options(folder, "pairs");
  pairs.from = folder / "gold";
  pairs.steps = 1;
  CHECK(contains(message_of([&] { train(pairs); }), "given one of the kind tree"));
  pairs.from.clear();
  train(pairs);
  again.from = folder / "pairs";
  again.lora.rank = 0;
  again.out = folder / "none";
  CHECK(contains(message_of([&] { train(again); }),
                 "pairs: expected a parser, given a model with a tokenizer of the kind"));
}

TEST_CASE_FIXTURE(OneThread,
                  "labels that a parser cannot know are named with their file and line") {
  const ScratchFolder folder;
  TreeTrainOptions options = toy_parsing(folder, "parser");
  write_file(folder / "valid.mrg", toy_trees(3, 2) + "(S (UCP (XX the)))\n(S (NN dog))\n");
  TreeTask task(options);
  CHECK(contains(task.report(),
                 "1 of the trees to validate on have labels that no tree to learn "
                 "from has, the first UCP at "));
  CHECK(contains(task.report(), "valid.mrg:4; the model cannot write them"));
  CHECK(std::isfinite(task.validation_loss()));
  CHECK(contains(task.report(), "18 words and 17 symbols"));
  train(toy_parsing(folder, "model"));
  options = toy_parsing(folder, "again");
  options.from = folder / "model";
  write_file(folder / "train.mrg", toy_trees(3, 2) + "\n(S (UCP (NN the)))\n");
  CHECK(contains(message_of([&] { train(options); }),
                 "train.mrg:5: expected the labels and tags of the model, given UCP"));
  options.from.clear();
  write_file(folder / "train.mrg", "(S (NN a))\n(S (S");
  CHECK(contains(message_of([&] { train(options); }), "train.mrg:2: expected a tree with as many"));
  write_file(folder / "train.mrg", "(S (NN a))\n(S (-NONE- *))\n");
  CHECK(contains(message_of([&] { train(options); }), "train.mrg:2: expected a tree with words"));
}
