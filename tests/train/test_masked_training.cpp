// Training a masked language model end to end: it learns, a resume continues bit for bit, and what does
// not fit is refused.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "data/corpora/prepared_tokens.h"
#include "data/corpora/tokenize_files.h"
#include "data/files/safetensors.h"
#include "data/tokenizers/byte_tokenizer.h"
#include "data/tokenizers/character_tokenizer.h"
#include "decode/masked_words.h"
#include "models/adapter_directory.h"
#include "models/average.h"
#include "tests/data/tiny_text.h"
#include "tests/support.h"
#include "tests/train/resumed_run.h"
#include "train/masked_task.h"
#include "train/text_task.h"

using namespace kette;
using namespace kette::testing;
namespace fs = std::filesystem;

namespace {

using Tokens = std::vector<std::int32_t>;

/// The same letter twice and its neighbour in the alphabet: "ccd\naab\n". What is masked can be told from
/// the others, on either side.
std::string neighbours(int lines) {
  Random random(1);
  std::string text;
  for (int i = 0; i < lines; ++i) {
    const char letter = static_cast<char>('a' + random.below(6));
    text += {letter, letter, static_cast<char>(letter + 1), '\n'};
  }
  return text;
}

MaskedTrainOptions masked_options(const ScratchFolder& folder, const std::string& out) {
  write_file(folder / "train.txt", neighbours(500));
  MaskedTrainOptions options;
  options.text = {folder / "train.txt"};
  options.tokenizer_kind = "character";
  options.out = folder / out;
  options.model.layers = 1;
  options.model.width = options.model.hidden = 32;
  options.model.heads = 4;
  options.model.context = 18;
  options.model.norm = NormOrder::pre;  // a small model soon sees neighbours by how they are turned
  options.model.positions = Positions::rotary;
  options.model.dropout = options.model.attention_dropout = 0;
  options.batch_tokens = 360;
  options.schedule = {ScheduleKind::constant, 6e-3, 20, 32, 0};
  options.clip_norm = 1;
  options.validate_every = 100;
  options.quiet = true;
  return options;
}

}  // namespace

TEST_CASE("masked text: 40 steps equal 20, resume, and 20 more, bit for bit, on any threads") {
  const ScratchFolder folder;
  MaskedTrainOptions whole = masked_options(folder, "whole");
  whole.steps = 40;
  whole.accumulate = 2;
  train(whole);
  MaskedTrainOptions halves = train_in_halves(whole);
  CHECK(parameters_in(whole.out) == parameters_in(halves.out));
  halves.masking.whole_words = true;
  CHECK(contains(message_of([&] { train(halves); }), "whole_words"));
}

TEST_CASE(
    "masked text: a model learns to look to both sides; adapters, averages, and starting from it") {
  const ScratchFolder folder;
  MaskedTrainOptions options = masked_options(folder, "model");
  options.steps = 300;
  const TrainResult result = train(options);
  REQUIRE(result.last.score);
  CHECK(result.last.score->name == "valid_accuracy");
  CHECK(result.last.score->value > 0.42);  // 0.32: always the end of a line
  CHECK(result.last.loss < 1.6);           // 2.0: how frequent each character is
  const SavedModel<Bert> saved = load_model<Bert>(options.out);
  CHECK(saved.tokenizer->kind() == "character");
  const auto ready = saved.model->for_decoding();
  const std::int32_t mask = saved.tokenizer->expected_mask();
  const auto best = [&](const std::string& text) {
    const Tokens ids =
        between_marks(encode_with_masks(*saved.tokenizer, text), saved.tokenizer->special());
    return saved.tokenizer->piece(fill_masks(*ready, ids, mask, 1).front().front().token);
  };
  CHECK(best("ccd\n[MASK]ab\ndde\n") == "a");

  // How likely a text is: as its tokens one by one say, whatever the batches.
  write_file(folder / "text", "ccd\naab\neef\n");
  tokenize_files({folder / "text"}, *saved.tokenizer, DocumentKind::line, folder / "tokens");
  const TokenFile tokens = open_tokens(folder / "tokens", *saved.tokenizer);
  const TextScore score = score_masked(*ready, *saved.tokenizer, tokens);
  CHECK(score.tokens == 9);
  double expected = 0;
  for (const std::string line : {"ccd", "aab", "eef"}) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      Tokens ids = between_marks(saved.tokenizer->encode(line), saved.tokenizer->special());
      const std::int32_t wanted = std::exchange(ids[i + 1], mask);
      const auto fillers = fill_masks(*ready, ids, mask, 100);
      for (const Filler& filler : fillers.front()) {
        if (filler.token == wanted) expected -= std::log(filler.probability);
      }
    }
  }
  CHECK(score.negative_log_likelihood == doctest::Approx(expected).epsilon(1e-5));
  CHECK(
      score_masked(*ready, *saved.tokenizer, tokens, {.batch_tokens = 1}).negative_log_likelihood ==
      score.negative_log_likelihood);  // to the bit
  CHECK(score_masked(*ready, *saved.tokenizer, tokens, {.context = 4}).tokens == 9);
  CHECK(
      contains(message_of([&] { score_masked(*ready, *saved.tokenizer, tokens, {.context = 19}); }),
               "context: expected from 3 to 18"));

  MaskedTrainOptions adapted = options;
  adapted.out = folder / "adapters";
  adapted.from = options.out;
  adapted.lora.rank = 2;
  adapted.steps = 3;
  train(adapted);
  merge_adapters(adapted.out, folder / "merged");
  CHECK(load_model<Bert>(folder / "merged").model->parameters().elements() ==
        saved.model->parameters().elements());
  average_checkpoints(list_checkpoints(options.out), folder / "mean.safetensors");
  CHECK(load_model<Bert>(options.out, folder / "mean.safetensors")
            .metadata.contains("averaged_steps"));
}

TEST_CASE("masked text: a mixture of a folder and a text goes on by bits") {
  const ScratchFolder folder;
  MaskedTrainOptions whole = masked_options(folder, "whole");
  const std::string text = neighbours(100);
  whole.tokenizer = CharacterTokenizer::from_text(text, "text", true);
  write_file(folder / "more.txt", text);
  fs::create_directory(folder / "shards");
  prepare_tokens(folder / "shards", {folder / "more.txt"}, *whole.tokenizer, {})
      .save(folder / "shards");
  whole.text.push_back(folder / "shards");
  whole.weights = {1, 1};
  whole.steps = 20;
  train(whole);
  const MaskedTrainOptions halves = train_in_halves(whole);
  CHECK(parameters_in(whole.out) == parameters_in(halves.out));
  // Windows that come again in an epoch are masked anew.
  whole.out = folder / "other";
  MaskedTask task(whole);
  std::map<Tokens, std::set<Tokens>> masks;  // by what stands without them
  while (task.sampler().state().epoch < 1) {
    const Batch batch = task.sampler().next();
    for (std::int64_t i = 0; i < batch.source_segments.count(); ++i) {
      const std::int64_t begin = batch.source_segments.begin(i);
      Tokens read(batch.source.begin() + begin,
                  batch.source.begin() + batch.source_segments.end(i));
      const Tokens masked = read;
      for (std::int64_t j = batch.target_segments.begin(i); j < batch.target_segments.end(i); ++j) {
        read[batch.target_in[j]] = batch.target_out[j];
      }
      masks[read].insert(masked);
    }
  }
  CHECK(std::any_of(masks.begin(), masks.end(),
                    [](const auto& one) { return one.second.size() > 2; }));
}

TEST_CASE("masked text: what does not fit is an error") {
  const ScratchFolder folder;
  const auto message = [&](const std::function<void(MaskedTrainOptions&)>& change) {
    MaskedTrainOptions options = masked_options(folder, "out");
    options.steps = 1;
    change(options);
    std::filesystem::remove_all(options.out);
    return message_of([&] { train(options); });
  };
  CHECK(message([](MaskedTrainOptions&) {}).empty());
  CHECK(contains(
      message([](MaskedTrainOptions& o) { o.tokenizer = std::make_shared<ByteTokenizer>(); }),
      "expected one with a piece for masked words, given byte without"));
  CHECK(contains(message([&](MaskedTrainOptions& o) {
                   write_file(folder / "empty", "\n\n \n");
                   o.text = {folder / "empty"};
                   o.tokenizer_kind = "sentencepiece";
                 }),
                 "expected"));
  CHECK(contains(message([](MaskedTrainOptions& o) { o.batch_tokens = 17; }), "one window of 18"));
  CHECK(
      contains(message([](MaskedTrainOptions& o) { o.consistency.kind = ConsistencyKind::r_drop; }),
               "consistency: expected none beside masks, given r_drop"));
  // A model of the other kind.
  TextTrainOptions next;
  next.text = {folder / "train.txt"};
  next.out = folder / "gpt";
  next.model.layers = 1;
  next.model.width = next.model.hidden = 8;
  next.model.heads = 1;
  next.model.context = 8;
  next.steps = 1;
  next.quiet = true;
  train(next);
  CHECK(contains(message([&](MaskedTrainOptions& o) { o.from = folder / "gpt"; }),
                 "expected a masked language model, given a language model; kette generate"));
}
