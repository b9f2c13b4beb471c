#include "cli/tokenizer_option.h"

#include <filesystem>

#include "cli/options.h"

namespace kette::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKinds[] = {"character", "sentencepiece", "gpt2"};

/// A file that only one kind has.
constexpr std::pair<const char*, const char*> kSigns[] = {{"vocab.json", "gpt2"},
                                                          {"encoder.json", "gpt2"},
                                                          {"characters.json", "character"},
                                                          {"tokenizer.model", "sentencepiece"}};

}  // namespace

SharedTextTokenizer load_named_tokenizer(const std::string& name) {
  if (name == "byte") return load_text_tokenizer(name, {});
  for (const std::string kind : kKinds) {
    if (name.starts_with(kind + ":"))
      return load_text_tokenizer(kind, name.substr(kind.size() + 1));
  }
  if (!fs::is_directory(name)) {
    throw UsageError("--tokenizer: expected byte, KIND:DIR (character, sentencepiece or gpt2) or " +
                     std::string("a folder with the files of one, given ") + name);
  }
  for (const auto& [file, kind] : kSigns) {
    if (fs::exists(fs::path(name) / file)) return load_text_tokenizer(kind, name);
  }
  fail(name, ": expected a folder with the files of a tokenizer (vocab.json, characters.json or ",
       "tokenizer.model), given one with none of them");
}

}  // namespace kette::cli
