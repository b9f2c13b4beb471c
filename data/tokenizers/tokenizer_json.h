// tokenizer.json of Hugging Face's tokenizers, the only file that transformers 5 writes: the
// vocabulary, the merges of a BPE, and the processing steps. Kette's tokenizers support one form of
// each step; any other is an Error that names it.
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
  /// The tokens with their ids, without added tokens (data/tokenizers/added_tokens.h) outside the
  /// vocabulary.
  std::vector<std::pair<std::string, std::int64_t>> vocabulary() const;
  /// Pairs of tokens, stored as ["a", "b"] or as "a b", in the order learnt.
  std::vector<std::pair<std::string, std::string>> merges() const;

  using Value = nlohmann::json;
  /// The value at a path such as "model/dropout"; null if there is none.
  Value at(const std::string& path) const;
  /// Throws unless the value at the path is one of `allowed`.
  void expect(const std::string& path, std::initializer_list<Value> allowed) const;
  /// Throws unless the file puts text between these tokens.
  void expect_between(const std::vector<std::string>& before,
                      const std::vector<std::string>& after) const;

 private:
  std::string file_;
  std::shared_ptr<const Value> json_;
};

/// The kind of tokenizer in a tokenizer.json, by the names of Tokenizer::kind(). An unsupported
/// kind is an Error.
std::string kind_of_tokenizer_json(const std::filesystem::path& file);

}  // namespace kette
