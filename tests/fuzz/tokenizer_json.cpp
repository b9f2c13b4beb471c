// A folder of transformers with its tokenizer: tokenizer.json, added_tokens.json, tokenizer_config.json and
// special_tokens_map.json, and a text that must come back whole; and what is told of the folder.
#include "data/tokenizers/tokenizer_json.h"

#include <nlohmann/json.hpp>

#include "data/tokenizers/added_tokens.h"
#include "models/exchange/hugging_face_notes.h"
#include "tests/fuzz/targets.h"

namespace kette::fuzz {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// The vocabulary of GPT-2's kind in one file.
std::string one_file() {
  Json json =
      Json::parse(R"({"added_tokens": [{"id": 360, "content": "<|user|>"}], "normalizer": null,
    "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false},
    "model": {"type": "BPE", "merges": ["h e", ["\u0120", "t"]]}})");
  json["model"]["vocab"] = Json::parse(fixture("gpt2_tiny/vocab.json"));
  return json.dump();
}

/// A text first, and the files in the order of read(); an empty one is not there.
std::vector<std::string> seeds() {
  const std::string config =
      R"({"model_type": "gpt2", "vocab_size": 361, "eos_token_id": 359, "num_beams": 2})";
  return {
      joined({"the <|user|>", one_file(), "{}", "{}", "{}", config, "{}"}),
      joined({"a<|user|><|x|>b", "", R"({"<|user|>": 360, "<|x|>": 361})",
              R"({"added_tokens_decoder": {"360": {"content": "<|user|>", "lstrip": false}}})",
              R"({"eos_token": {"content": "<|endoftext|>"}, "extra_special_tokens": ["<|x|>"]})",
              config, R"({"top_k": 7, "bad_words_ids": [[1]], "eos_token_id": [1, 2]})"}),
      joined({"a b",
              R"({"normalizer": {"type": "BertNormalizer", "lowercase": true,
                                     "handle_chinese_chars": true},
                      "pre_tokenizer": {"type": "BertPreTokenizer"},
                      "post_processor": {"type": "BertProcessing", "cls": ["[CLS]", 0], "sep": ["[SEP]", 1]},
                      "model": {"type": "WordPiece", "unk_token": "[UNK]",
                                "vocab": {"[CLS]": 0, "[SEP]": 1, "[UNK]": 2, "a": 3}}})",
              "", "", "", R"({"vocab_size": 4})", ""})};
}

void put_or_remove(const char* name, std::string_view content) {
  const fs::path path = put(std::string("folder/") + name, content);
  if (content.empty()) fs::remove(path);
}

void read(std::string_view input) {
  const auto files = parts(input, 7);
  const fs::path folder = put("folder/vocab.json", fixture("gpt2_tiny/vocab.json")).parent_path();
  put("folder/merges.txt", fixture("gpt2_tiny/merges.txt"));
  const char* names[] = {kTokenizerJson,          kAddedTokensFile,
                         "tokenizer_config.json", "special_tokens_map.json",
                         "config.json",           "generation_config.json"};
  for (std::size_t i = 0; i < std::size(names); ++i) put_or_remove(names[i], files[i + 1]);
  const bool is_one_file = !files[1].empty();
  const auto tokenizer = load_tokenizer(
      folder, is_one_file ? kind_of_tokenizer_json(folder / kTokenizerJson) : std::string("gpt2"));
  const std::string text(files[0]);
  if (tokenizer->kind() == "gpt2") {
    must("a text that every vocabulary can spell", [&] {
      expect(tokenizer->decode(tokenizer->encode(text)) == text, "a text that comes back whole");
    });
  }
  must("files that give the same tokenizer", [&] {
    fs::remove_all(scratch() / "again");
    for (const auto& [name, content] : tokenizer->files()) put("again/" + name, content);
    expect(load_tokenizer(scratch() / "again", tokenizer->kind())->fingerprint() ==
               tokenizer->fingerprint(),
           "the tokenizer that was written");
  });
  hugging_face::notes_on(folder, *tokenizer);
}

}  // namespace

const Target tokenizer_json = {"tokenizer-json", seeds, read};

}  // namespace kette::fuzz
