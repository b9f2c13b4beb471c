#include "cli/tokenizer_option.h"

#include <filesystem>

#include "cli/options.h"

namespace kette::cli {
namespace {

constexpr const char* kKinds[] = {"character", "sentencepiece", "gpt2", "wordpiece", "marian"};

}  // namespace

SharedTokenizer load_named_tokenizer(const std::string& name) {
  if (name == "byte") return load_tokenizer({}, name);
  for (const std::string kind : kKinds) {
    if (name.starts_with(kind + ":")) return load_tokenizer(name.substr(kind.size() + 1), kind);
  }
  if (!std::filesystem::is_directory(name)) {
    throw UsageError(
        "--tokenizer: expected byte, KIND:DIR (character, sentencepiece, gpt2, wordpiece or marian) or a folder with the files of one, given " +
        name);
  }
  return load_tokenizer(name);
}

}  // namespace kette::cli
