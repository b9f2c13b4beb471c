#include "data/corpora/joint_vocabulary.h"

#include <algorithm>

#include "data/tokenizers/sentencepiece_tokenizer.h"

namespace kette {
namespace {

template <class Value>
void add_once(std::vector<Value>& list, const Value& value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

}  // namespace

std::vector<std::string> languages_of(const std::vector<ParallelText>& texts) {
  std::vector<std::string> languages;
  for (const ParallelText& text : texts) {
    if (!text.language.empty()) add_once(languages, text.language);
  }
  return languages;
}

SharedTokenizer joint_vocabulary(const std::vector<ParallelText>& texts, std::int64_t pieces,
                                 FaultyLines faulty) {
  SentencePieceOptions settings;
  settings.vocabulary = pieces;
  settings.languages = languages_of(texts);
  std::vector<TextColumn> columns;
  for (const ParallelText& text : texts) {
    // One source may have translations into several languages.
    add_once(columns, text.source);
    add_once(columns, text.target);
  }
  return SentencePieceTokenizer::train_files(columns, settings, faulty);
}

}  // namespace kette
