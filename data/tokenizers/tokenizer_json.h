// tokenizer.json of Hugging Face's tokenizers, which transformers 5 writes alone: the vocabulary, the merges of a BPE, and the
// steps a text goes through. Kette's tokenizers have one form each of these steps, and another one is an Error that names it.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

namespace kette {

class TokenizerJson {
 public:
  explicit TokenizerJson(const std::filesystem::path& file);

  const std::string& file() const { return file_; }
  /// "BPE", "WordPiece", ...
  std::string model() const;
  /// The tokens with their ids, without those that were added (data/tokenizers/added_tokens.h) and stand in no vocabulary.
  std::vector<std::pair<std::string, std::int64_t>> vocabulary() const;
  /// Pairs of tokens, which are kept as ["a", "b"] or as "a b", in the order in which they were learnt.
  std::vector<std::pair<std::string, std::string>> merges() const;

  using Value = nlohmann::json;
  /// What stands at a path such as "model/dropout"; null where nothing does.
  Value at(const std::string& path) const;
  /// Throws unless it is one of these.
  void expect(const std::string& path, std::initializer_list<Value> allowed) const;
  /// Throws unless text is to stand between these tokens.
  void expect_between(const std::vector<std::string>& before,
                      const std::vector<std::string>& after) const;

 private:
  std::string file_;
  std::shared_ptr<const Value> json_;
};

/// What sort of tokenizer the tokenizer.json of a folder holds, by the names of Tokenizer::kind(). One that Kette has none
/// for is an Error.
std::string kind_of_tokenizer_json(const std::filesystem::path& file);

}  // namespace kette
