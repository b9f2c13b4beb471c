#include "data/tokenizers/tree_tokenizer.h"

#include "data/files/json_text.h"
#include "data/files/text_file.h"
#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "data/tokenizers/word_tokenizer.h"
#include "tensor/error.h"

namespace kette {
namespace {

/// One of the two lists of symbols.json.
std::set<std::string> names_in(const Json& json, const char* key, const std::string& name) {
  std::set<std::string> names;
  for (const std::string& entry : strings_in(json, key, name)) {
    KETTE_CHECK(names.insert(entry).second, name, ": expected every one of \"", key,
                "\" once, given \"", entry, "\" twice");
  }
  return names;
}

}  // namespace

TreeTokenizer::TreeTokenizer(SharedTokenizer words, TreeSymbols symbols, const std::string& name)
    : words_(std::move(words)), symbols_(std::move(symbols)) {
  KETTE_CHECK(
      words_->special() == special(), name,
      ": expected a tokenizer of the kind word or sentencepiece for words, given one of the kind ",
      words_->kind());
  KETTE_CHECK(!symbols_.labels.empty() && !symbols_.tags.empty(), name,
              ": expected labels and tags, given none");
  spelt_ = {"<pad>", "<unk>", "<s>", "</s>"};
  for (const std::string& label : symbols_.labels) spelt_.push_back(label);
  for (const std::string& label : symbols_.labels) spelt_.push_back(kClosing + label);
  for (const std::string& tag : symbols_.tags) spelt_.push_back(tag);
  for (std::int32_t id = kFirst; id < vocabulary(); ++id) {
    const std::string& symbol = spelt_[id];
    KETTE_CHECK(!symbol.empty() && symbol.find_first_of(" \t\r\n()") == std::string::npos, name,
                ": expected symbols without spaces and brackets, given '", symbol, "'");
    KETTE_CHECK(ids_.emplace(symbol, id).second, name,
                ": expected labels that are no tags, too, and that close no other, given ", symbol);
  }
}

TreeTokenizer::Shared TreeTokenizer::load(const std::filesystem::path& folder) {
  const std::string name = (folder / kFile).string();
  const Json json = parse_json(read_text(folder / kFile), name);
  const bool whole = std::filesystem::exists(folder / WordTokenizer::kFile);
  return std::make_shared<TreeTokenizer>(
      load_tokenizer(folder, whole ? "word" : "sentencepiece"),
      TreeSymbols{names_in(json, "labels", name), names_in(json, "tags", name)}, name);
}

std::string TreeTokenizer::piece(std::int32_t id) const {
  check_ids({&id, 1});
  return spelt_[id];
}

std::vector<std::int32_t> TreeTokenizer::encode_text(std::string_view text, Side side) const {
  if (side == Side::source) return words_->encode(text);
  std::vector<std::int32_t> ids;
  for (const std::string& symbol : split_words(text)) {
    const auto found = ids_.find(symbol);
    ids.push_back(found == ids_.end() ? special().unknown : found->second);
  }
  return ids;
}

std::string TreeTokenizer::decode(std::span<const std::int32_t> ids) const {
  check_ids(ids);
  std::string text;
  for (const std::int32_t id : ids) {
    if (id < kFirst) continue;
    text += (text.empty() ? "" : " ") + spelt_[id];
  }
  return text;
}

std::vector<std::pair<std::string, std::string>> TreeTokenizer::files() const {
  std::vector<std::pair<std::string, std::string>> files = words_->files();
  files.emplace_back(kFile,
                     Json{{"labels", symbols_.labels}, {"tags", symbols_.tags}}.dump(1) + "\n");
  return files;
}

}  // namespace kette
