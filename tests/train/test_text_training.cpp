// Training a language model end to end: it learns, a resume continues bit for bit, and text that
// does not fit is refused.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "data/corpora/prepared_tokens.h"
#include "data/corpora/tokenize_files.h"
#include "data/files/safetensors.h"
#include "data/tokenizers/byte_tokenizer.h"
#include "data/tokenizers/character_tokenizer.h"
#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "decode/generator.h"
#include "decode/text_scorer.h"
#include "tests/devices.h"
#include "tests/support.h"
#include "tests/train/resumed_run.h"
#include "train/text_task.h"

using namespace kette;
namespace fs = std::filesystem;
using kette::testing::parameters_in, kette::testing::ScratchFolder, kette::testing::train_in_halves;
using testing::contains;

namespace {

/// Runs that say their length: "3ccc\n1a\n". Only the digits are chance: ln 5 for each run.
std::string toy_text(int runs, std::uint64_t seed) {
  Random random(seed);
  std::string text;
  for (int i = 0; i < runs; ++i) {
    const auto length = static_cast<std::size_t>(1 + random.below(5));
    text +=
        std::to_string(length) + std::string(length, static_cast<char>('a' + length - 1)) + "\n";
  }
  return text;
}

TextTrainOptions toy_options(const ScratchFolder& folder, const std::string& out) {
  testing::write_file(folder / "train.txt", toy_text(400, 1));
  TextTrainOptions options;
  options.text = {folder / "train.txt"};
  options.out = folder / out;
  options.model.layers = 2;
  options.model.width = 16;
  options.model.hidden = 32;
  options.model.heads = 2;
  options.model.context = 12;
  options.model.dropout = options.model.attention_dropout = 0.05;
  options.batch_tokens = 120;
  options.schedule = {ScheduleKind::cosine, 1e-2, 10, 16, 0};
  options.optimizer.weight_decay = 0.1;
  options.clip_norm = 1;
  options.validate_every = 50;
  options.quiet = true;
  return options;
}

std::string refusal_of(const TextTrainOptions& options) {
  return testing::message_of([&] { train(options); });
}

}  // namespace

TEST_CASE("text: 80 steps equal 40, resume, and 40 more, bit for bit, on any number of threads") {
  const ScratchFolder folder;
  TextTrainOptions whole = toy_options(folder, "whole");
  whole.steps = 80;
  // The cosine ends with the run, which is cut in two here.
  whole.schedule.kind = ScheduleKind::constant;
  train(whole);
  const TextTrainOptions halves = train_in_halves(whole);
  CHECK(parameters_in(whole.out) == parameters_in(halves.out));
}

TEST_CASE("text: a model learns, and says what it learnt; a file of tokens trains the same") {
  const ScratchFolder folder;
  TextTrainOptions options = toy_options(folder, "model");
  options.steps = 400;
  const TrainResult result = train(options);
  CHECK(result.last.loss < 0.5);  // at best ln 5 in 5 tokens: 0.32
  const SavedModel<Gpt> saved = load_model<Gpt>(options.out);
  CHECK(saved.tokenizer->kind() == "character");
  GenerateOptions generation;
  generation.temperature = 0;
  generation.max_tokens = 4;
  const auto prompt = saved.tokenizer->encode("1a\n3");
  CHECK(saved.tokenizer->decode(
            generate(*saved.model->for_decoding(), prompt, generation).front()) == "ccc\n");

  // The model's own validation: the last tenth, in windows that do not overlap.
  const TokenFile tokens = TokenFile::open(options.out / "train.tokens");
  const auto kept = std::llround(0.9 * static_cast<double>(tokens.size()));
  TextScoreOptions scoring;
  scoring.stride = options.model.context;
  const TextScore score =
      score_text(*saved.model, tokens.part(kept, tokens.size() - kept), scoring);
  CHECK(score.loss() == doctest::Approx(result.best_valid_loss).epsilon(1e-5));
  // More past, better predictions.
  const auto loss_with = [&](std::int64_t context, std::int64_t stride) {
    return score_text(*saved.model, tokens.part(kept, tokens.size() - kept), {context, stride})
        .loss();
  };
  CHECK(loss_with(6, 3) < loss_with(6, 6) - 0.02);

  TextTrainOptions again = options;
  again.out = folder / "again";
  again.text = {options.out / "train.tokens"};
  again.tokenizer = saved.tokenizer;
  train(again);
  CHECK(parameters_in(options.out) == parameters_in(again.out));
  again.out = folder / "other";
  again.tokenizer = std::make_shared<ByteTokenizer>();
  CHECK(contains(refusal_of(again), "expected tokens of the model's tokenizer"));
}

TEST_CASE("text: the share that is kept for validation is not trained on") {
  const ScratchFolder folder;
  TextTrainOptions options = toy_options(folder, "model");
  testing::write_file(folder / "train.txt", std::string(900, 'a') + std::string(99, 'b'));
  options.steps = 1;
  TextTask task(options);
  const std::int32_t b = TokenFile::open(options.out / "train.tokens").copy(950, 1).front();
  while (task.sampler().state().epoch < 3) {
    for (const std::int32_t id : task.sampler().next().target_out) REQUIRE(id != b);
  }
}

TEST_CASE("text: several documents end in an end of text each, and validation text is its own") {
  const ScratchFolder folder;
  TextTrainOptions options = toy_options(folder, "model");
  testing::write_file(folder / "valid.txt", toy_text(40, 2));
  options.valid_text = {folder / "valid.txt"};
  options.documents = DocumentKind::line;
  options.steps = 5;
  train(options);
  const TokenFile tokens = TokenFile::open(options.out / "train.tokens");
  CHECK(tokens.info().documents == 400);
  CHECK(tokens.size() == tokens.info().bytes + 400);
  CHECK(TokenFile::open(options.out / "valid.tokens").info().documents == 40);
}

TEST_CASE("text: a vocabulary is made of lines and characters, not of what stands between files") {
  const ScratchFolder folder;
  TextTrainOptions options = toy_options(folder, "characters");
  options.steps = 1;
  const std::string mark = "\xEF\xBB\xBF", text = toy_text(100, 1);
  testing::write_file(folder / "a", mark + text + "5eeeee");
  testing::write_file(folder / "b", mark + "ab");
  options.text = {folder / "a"};
  std::string lines = text + "5eeeee";
  for (int i = 0; i < 50; ++i) {  // so often that "abab" would be a piece
    options.text.push_back(folder / "b");
    lines += "\nab";
  }
  const auto made = [&options] {
    train(options);
    return load_model<Gpt>(options.out).tokenizer;
  };
  CHECK(made()->vocabulary() == CharacterTokenizer::from_text(text, "text")->vocabulary());
  testing::write_file(folder / "b", mark + "ab\r\n");  // whose lines are the same
  options.out = folder / "pieces";
  options.tokenizer_kind = "sentencepiece";
  options.vocabulary = 280;
  SentencePieceOptions settings;
  settings.vocabulary = options.vocabulary;
  CHECK(made()->fingerprint() ==
        SentencePieceTokenizer::train_text(lines, settings)->fingerprint());
}

TEST_CASE("text: what cannot be trained on is refused by name, and nothing is lost") {
  const ScratchFolder folder;
  TextTrainOptions options = toy_options(folder, "model");
  options.steps = 3;
  testing::write_file(folder / "short.txt", "1a\n2bb\n");
  TextTrainOptions bad = options;
  bad.text = {folder / "short.txt"};
  CHECK(contains(refusal_of(bad), "at least one window of 12 + 1 tokens"));
  bad = options;
  bad.out = folder / "small-batch";
  bad.batch_tokens = 11;
  CHECK(contains(refusal_of(bad), "at least one window of 12 tokens, given 11"));
  bad = options;
  bad.out = folder / "missing";
  bad.text = {folder / "nothing.txt"};
  CHECK(contains(refusal_of(bad), "nothing.txt"));
  bad = options;
  bad.out = folder / "unknown";
  bad.valid_text = {folder / "strange.txt"};
  testing::write_file(folder / "strange.txt", "1a\n? no\n");
  CHECK(contains(refusal_of(bad), "strange.txt"));
  options.out = folder / "good";
  train(options);
  CHECK(contains(refusal_of(options), "--resume"));
  options.resume = true;
  options.model.width = 32;
  CHECK(contains(refusal_of(options), "expected model.width = 16"));
}

TEST_CASE("text: folders, files of tokens and text one after the other train as the text does") {
  const ScratchFolder folder;
  TextTrainOptions options = toy_options(folder, "text");
  testing::write_file(folder / "more.txt", toy_text(100, 2));
  testing::write_file(folder / "last.txt", toy_text(50, 3));
  const auto bytes = std::make_shared<ByteTokenizer>();
  options.steps = 20;
  options.tokenizer = bytes;
  options.text = {folder / "train.txt", folder / "more.txt", folder / "last.txt"};
  const auto trained = [&](const std::string& name, const std::vector<fs::path>& texts) {
    TextTrainOptions other = options;
    other.out = folder / name;
    other.text = texts;
    train(other);
    return parameters_in(other.out);
  };
  const auto from_text = trained("text", options.text);
  tokenize_files({folder / "train.txt"}, *bytes, DocumentKind::file, folder / "a.tokens");
  tokenize_files({folder / "last.txt"}, *bytes, DocumentKind::file, folder / "c.tokens");
  CHECK(trained("mixed", {folder / "a.tokens", folder / "more.txt", folder / "c.tokens"}) ==
        from_text);
  PrepareTokensOptions shards;
  shards.bytes_a_shard = 300;
  fs::create_directory(folder / "shards");
  prepare_tokens(folder / "shards", options.text, *bytes, shards).save(folder / "shards");
  CHECK(trained("shards", {folder / "shards"}) == from_text);
  options.tokenizer = nullptr;  // the folder's, then
  CHECK(trained("own", {folder / "shards"}) == from_text);
  CHECK_FALSE(fs::exists(folder / "own" / "train.tokens"));
  options.text = {folder / "a.tokens"};
  options.out = folder / "none";
  CHECK(contains(refusal_of(options), "expected a tokenizer beside a file of tokens"));
  options.tokenizer = CharacterTokenizer::from_text(toy_text(100, 1), "text");
  options.text = {folder / "shards"};
  CHECK(contains(refusal_of(options), "expected tokens of the tokenizer character"));
}

TEST_CASE(
    "text: of a mixture each text is drawn as often as its weight says, and goes on by bits") {
  const ScratchFolder folder;
  TextTrainOptions options = toy_options(folder, "whole");
  testing::write_file(folder / "large.txt", std::string(4000, 'a'));
  testing::write_file(folder / "small.txt", std::string(600, 'b'));
  options.tokenizer = std::make_shared<ByteTokenizer>();
  options.text = {folder / "large.txt", folder / "small.txt"};
  options.schedule.kind = ScheduleKind::constant;
  options.steps = 40;
  const auto share_of_small = [&](const TextTrainOptions& of) {
    TextTask task(of);
    double small = 0, all = 0;
    while (task.sampler().state().epoch < 2) {
      for (const std::int32_t id : task.sampler().next().target_in) {
        small += id == 'b';
        ++all;
      }
    }
    return small / all;
  };
  TextTrainOptions other = options;
  other.out = folder / "even";
  other.weights = {1, 1};
  CHECK(share_of_small(other) == doctest::Approx(0.5).epsilon(0.01));
  CHECK(TokenFile::open(other.out / "train-2.tokens").size() == 601);
  other.out = folder / "tempered";
  other.weights.clear();
  other.temperature = 2;
  CHECK(share_of_small(other) ==
        doctest::Approx(std::sqrt(600) / (std::sqrt(600) + std::sqrt(4000))).epsilon(0.02));

  // Validation has of each text as much as its size asks for.
  other.valid_tokens = 230;
  other.out = folder / "valid";
  TextTask task(other);
  std::int64_t valid = 0, of_small = 0;
  for (const Batch& batch : task.validation_batches()) {
    valid += std::ssize(batch.target_out);
    of_small += std::count(batch.target_out.begin(), batch.target_out.end(), 'b');
  }
  CHECK(valid == 230);
  CHECK(of_small == 30);

  options.weights = {1, 2.5};
  train(options);
  TextTrainOptions halves = train_in_halves(options);
  CHECK(parameters_in(options.out) == parameters_in(halves.out));
  halves.weights = {1, 3};
  CHECK(contains(refusal_of(halves), "expected weight 2 = 2.5, as in the run"));
  halves.weights.clear();
  CHECK(contains(refusal_of(halves), "expected weight 1 = 1"));
  halves.weights = {1};
  CHECK(contains(refusal_of(halves), "weights: expected one for each of the 2 texts, given 1"));
  halves.weights = {1, 2};
  halves.temperature = 2;
  CHECK(contains(refusal_of(halves), "expected weights or a temperature, given both"));
}

TEST_CASE("text: ids that were damaged since are made again, and do not end a resume") {
  const ScratchFolder folder;
  TextTrainOptions options = toy_options(folder, "model");
  options.steps = 3;
  train(options);
  const std::string whole = testing::read_file(options.out / "train.tokens");
  std::string damaged = whole;
  damaged[4100] ^= 8;
  testing::write_file(options.out / "train.tokens", damaged);
  options.resume = true;
  options.steps = 5;
  CHECK(train(options).steps == 5);
  CHECK(testing::read_file(options.out / "train.tokens") == whole);
}

TEST_CASE("text: a resume reads the text it was started with, in the same way") {
  const ScratchFolder folder;
  TextTrainOptions options = toy_options(folder, "model");
  testing::write_file(folder / "valid.txt", toy_text(40, 2));
  testing::write_file(folder / "other.txt", toy_text(40, 3));
  options.valid_text = {folder / "valid.txt"};
  options.steps = 3;
  train(options);
  options.resume = true;
  options.steps = 5;
  const auto said = [&](const TextTrainOptions& changed, const std::string& text) {
    const std::string message = refusal_of(changed);
    CAPTURE(message);
    CHECK(contains(message, text));
  };
  TextTrainOptions changed = options;
  changed.valid_text = {folder / "other.txt"};
  said(changed, "other.txt: expected the valid_text text that the run in");
  changed.force_data = true;
  const TrainResult forced = train(changed);
  CHECK(forced.steps == 5);
  CHECK(TokenFile::open(options.out / "valid.tokens").copy(0, 8) !=
        load_model<Gpt>(options.out).tokenizer->encode(toy_text(40, 2).substr(0, 8)));
  changed = options;
  changed.valid_text.clear();
  said(changed, "expected the valid_text text that the run in");
  changed = options;
  changed.valid_text = {folder / "other.txt"};
  changed.documents = DocumentKind::line;
  said(changed, "expected documents = file, as in the run that is resumed, given line");
  changed.documents = DocumentKind::file;
  changed.tokenizer = std::make_shared<ByteTokenizer>();
  said(changed, "expected tokenizer = character, as in the run that is resumed, given byte");
}

TEST_CASE("CUDA: 30 steps of a language model give the loss of the CPU") {
  const std::vector<Device> devices = test_devices();
  if (devices.size() == 1) return skip_cuda();
  const ScratchFolder folder;
  TextTrainOptions options = toy_options(folder, "cpu");
  options.steps = 30;
  const TrainResult cpu = train(options);
  options.out = folder / "cuda";
  options.device = devices[1];
  const TrainResult gpu = train(options);
  CHECK(gpu.train_loss == doctest::Approx(cpu.train_loss).epsilon(1e-4));
  CHECK(gpu.last.loss == doctest::Approx(cpu.last.loss).epsilon(1e-4));
}
