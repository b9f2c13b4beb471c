// Small texts that options take: names, devices, penalties, numbers, lists of adapters.
#include "data/corpora/text_documents.h"
#include "data/metrics/bleu.h"
#include "decode/length_penalty.h"
#include "models/lora.h"
#include "tensor/device.h"
#include "tensor/suggestion.h"
#include "tests/fuzz/targets.h"
#include "train/schedule.h"

namespace kette::fuzz {
namespace {

std::vector<std::string> seeds() {
  return {"gnmt:0.6", "len:1",     "none",  "cuda:1", "query,value",
          "all",      "paragraph", "add-k", "13a",    "inverse_sqrt"};
}

template <class Action>
void ignoring_errors(const Action& action) {
  try {
    action();
  } catch (const Error&) {
  }
}

void read(std::string_view input) {
  const std::string word(input);
  ignoring_errors([&] {
    const LengthPenalty penalty = parse_length_penalty(word);
    expect(penalty.divisor(1) >= 1, "a divisor of at least 1");
    must("a penalty that can be written and read again",
         [&] { expect(parse_length_penalty(penalty.str()).kind == penalty.kind, "its kind"); });
  });
  ignoring_errors([&] { parse_device(word); });
  ignoring_errors([&] { LoraOptions::parse_names(word); });
  ignoring_errors([&] { enum_named<DocumentKind>(word); });
  if (word.size() < 200) did_you_mean(word, {"steps", "epochs", "minutes", "batch-tokens"});
}

}  // namespace

const Target words = {"words", seeds, read};

}  // namespace kette::fuzz
