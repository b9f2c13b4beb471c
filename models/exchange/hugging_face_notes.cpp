#include "models/exchange/hugging_face_notes.h"

#include <algorithm>
#include <map>
#include <set>

#include "data/files/folder_entries.h"
#include "data/files/json_text.h"
#include "data/files/text_file.h"
#include "data/tokenizers/added_tokens.h"
#include "models/exchange/hugging_face_files.h"
#include "tensor/suggestion.h"

namespace kette::hugging_face {
namespace {

namespace fs = std::filesystem;
using SortedJson = nlohmann::json;

constexpr const char* kGeneration = "generation_config.json";

/// How transformers writes text without being asked: a setting, and the value at which it changes nothing. Folders of
/// transformers 4 keep these in config.json.
const std::vector<std::pair<std::string, SortedJson>>& generation_settings() {
  static const std::vector<std::pair<std::string, SortedJson>> settings = {
      {"bad_words_ids", nullptr},
      {"begin_suppress_tokens", nullptr},
      {"constraints", nullptr},
      {"diversity_penalty", 0},
      {"do_sample", false},
      {"early_stopping", false},
      {"encoder_no_repeat_ngram_size", 0},
      {"encoder_repetition_penalty", 1},
      {"exponential_decay_length_penalty", nullptr},
      {"force_words_ids", nullptr},
      {"forced_bos_token_id", nullptr},
      {"forced_decoder_ids", nullptr},
      {"guidance_scale", nullptr},
      {"length_penalty", 1},
      {"max_length", 20},
      {"max_new_tokens", nullptr},
      {"min_length", 0},
      {"min_new_tokens", nullptr},
      {"no_repeat_ngram_size", 0},
      {"num_beam_groups", 1},
      {"num_beams", 1},
      {"penalty_alpha", nullptr},
      {"remove_invalid_values", false},
      {"renormalize_logits", false},
      {"repetition_penalty", 1},
      {"sequence_bias", nullptr},
      {"stop_strings", nullptr},
      {"suppress_tokens", nullptr},
      {"temperature", 1},
      {"top_k", 50},
      {"top_p", 1},
      {"typical_p", 1}};
  return settings;
}

/// What of generation_config.json has nothing to do with what is written.
bool is_of_no_account(const std::string& key) {
  static const std::set<std::string> keys = {"_from_model_config",     "assistant_token_id",
                                             "bos_token_id",           "cache_implementation",
                                             "decoder_start_token_id", "eos_token_id",
                                             "forced_eos_token_id",    "num_return_sequences",
                                             "output_attentions",      "output_hidden_states",
                                             "output_logits",          "output_scores",
                                             "pad_token_id",           "return_dict_in_generate",
                                             "transformers_version",   "use_cache"};
  return keys.contains(key) || key.starts_with("_");
}

/// What a model of Kette never writes in any case.
bool bans_marks_alone(const SortedJson& words, const SpecialTokens& special) {
  return words.is_array() && std::all_of(words.begin(), words.end(), [&](const SortedJson& word) {
           return word == SortedJson{special.pad} || word == SortedJson{special.begin};
         });
}

std::string shown(const SortedJson& value) {
  constexpr std::size_t kLongest = 60;
  const std::string text = value.dump();
  return text.size() <= kLongest ? text : text.substr(0, kLongest) + " ...";
}

/// What of one file is not kept.
void note_generation(const fs::path& file, bool is_config, std::int64_t positions,
                     const Tokenizer& tokenizer, std::vector<std::string>& notes) {
  if (!fs::exists(file)) return;
  const auto json = parse_json<SortedJson>(read_text(file), file.string());
  KETTE_CHECK(json.is_object(), file.string(), ": expected a JSON object, given something else");
  std::vector<std::string> lost;
  for (const auto& [key, value] : json.items()) {
    const auto& known = generation_settings();
    const auto setting = std::find_if(known.begin(), known.end(), [&name = key](const auto& entry) {
      return entry.first == name;
    });
    const bool is_unknown = setting == known.end();
    if (value.is_null() || (is_unknown && (is_config || is_of_no_account(key)))) continue;
    if (!is_unknown && value == setting->second) continue;
    if (key == "bad_words_ids" && bans_marks_alone(value, tokenizer.special())) continue;
    if (key == "max_length" && value == positions) continue;
    lost.push_back(key + " " + shown(value));
  }
  if (lost.empty()) return;
  notes.push_back(
      file.filename().string() + ": not kept: " + joined(lost) +
      " (generate() of transformers heeds them by itself; what Kette has options for, such as --beam, is to be given anew)");
}

/// Where a text ends, in config.json and over it in generation_config.json.
void note_ends(const fs::path& folder, const Tokenizer& tokenizer,
               std::vector<std::string>& notes) {
  const std::int32_t end = tokenizer.special().end;
  for (const char* name : {"config.json", kGeneration}) {
    if (!fs::exists(folder / name)) continue;
    const auto json = parse_json<SortedJson>(read_text(folder / name), name);
    if (!json.is_object() || !json.contains("eos_token_id")) continue;
    const SortedJson &given = json["eos_token_id"],
                     ids = given.is_array() ? given : SortedJson{given};
    const bool are_same = std::all_of(
        ids.begin(), ids.end(), [&](const SortedJson& id) { return id.is_null() || id == end; });
    if (are_same) continue;
    notes.push_back(std::string(name) + ": eos_token_id " + shown(given) +
                    ": Kette ends a text at the id " + std::to_string(end) + " alone");
  }
}

/// Names for tokens that the vocabulary has not, each once.
std::vector<NamedToken> tokens_without_id(const fs::path& folder, const Tokenizer& tokenizer) {
  std::vector<NamedToken> named = read_named_tokens(folder);
  if (named.empty()) return named;
  std::set<std::string> known;
  for (std::int32_t id = 0; id < tokenizer.vocabulary(); ++id) known.insert(tokenizer.piece(id));
  std::erase_if(named,
                [&](const NamedToken& token) { return !known.insert(token.content).second; });
  return named;
}

void note_tokens(const fs::path& folder, const Tokenizer& tokenizer,
                 std::vector<std::string>& notes) {
  for (const NamedToken& token : tokens_without_id(folder, tokenizer)) {
    notes.push_back(fs::path(token.file).filename().string() + ": " + token.role + " " +
                    token.content + ": left out, for it has no id");
  }
}

bool is_read(const std::string& kind, const std::string& name) {
  static const std::set<std::string> of_all = {"config.json", kGeneration, "tokenizer_config.json",
                                               "special_tokens_map.json", kAddedTokensFile};
  static const std::map<std::string, std::set<std::string>> of_kinds = {
      {"gpt2", {"vocab.json", "merges.txt", "encoder.json", "vocab.bpe", kTokenizerJson}},
      {"wordpiece", {"vocab.txt", kTokenizerJson}},
      {"marian", {"vocab.json", "source.spm", "target.spm"}},
      {"sentencepiece", {"vocab.json", "source.spm", "target.spm"}}};
  const auto found = of_kinds.find(kind);
  return of_all.contains(name) || name.ends_with(".safetensors") ||
         name == "model.safetensors.index.json" ||
         (found != of_kinds.end() && found->second.contains(name));
}

/// Texts for people, what git keeps, and the same parameters for other programs.
bool is_no_part(const std::string& name) {
  static const std::set<std::string> names = {
      "LICENSE",     "LICENCE",       "NOTICE",           "flax_model.msgpack",
      "tf_model.h5", "rust_model.ot", "training_args.bin"};
  const bool is_torch = name.starts_with("pytorch_model") || name.ends_with(".onnx");
  return names.contains(name) || is_torch || name.starts_with(".") || name.ends_with(".md") ||
         name.ends_with(".pdf");
}

void note_files(const fs::path& folder, const Tokenizer& tokenizer,
                std::vector<std::string>& notes) {
  std::vector<std::string> others;
  for (const fs::path& file : folder_entries(folder)) {
    const std::string name = file.filename().string();
    if (!is_read(tokenizer.kind(), name) && !is_no_part(name)) others.push_back(name);
  }
  if (!others.empty()) notes.push_back("not read: " + joined(others));
}

}  // namespace

void expect_ids(const fs::path& folder, const Settings& settings, const Tokenizer& tokenizer) {
  const auto rows = settings.get<std::int64_t>("vocab_size");
  if (rows == tokenizer.vocabulary()) return;
  for (const NamedToken& token : tokens_without_id(folder, tokenizer)) {
    fail(token.file, ": ", token.role, " ", token.content,
         ": expected a token with an id, for the model has ", rows, " rows and the tokenizer ",
         tokenizer.vocabulary(), " tokens, given one without (give it its id in ", kAddedTokensFile,
         ")");
  }
}

std::vector<std::string> notes_on(const fs::path& folder, const Tokenizer& tokenizer) {
  std::vector<std::string> notes;
  const Settings settings(folder);
  note_tokens(folder, tokenizer, notes);
  if (tokenizer.kind() != "wordpiece") {  // a BERT writes no text
    const char* positions = settings.has("n_positions") ? "n_positions" : "max_position_embeddings";
    const auto longest = settings.get<std::int64_t>(positions, 0);
    note_ends(folder, tokenizer, notes);
    note_generation(folder / "config.json", true, longest, tokenizer, notes);
    note_generation(folder / kGeneration, false, longest, tokenizer, notes);
  }
  note_files(folder, tokenizer, notes);
  return notes;
}

}  // namespace kette::hugging_face
