// The ids of one file or of several, one after the other, as one text of any size. Safe to read from several threads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "data/corpora/token_file.h"

namespace kette {

class TokenStream {
 public:
  /// Of one file. Without `explicit`, for a file is such a text.
  TokenStream(TokenFile file) : TokenStream(std::vector<TokenFile>{std::move(file)}) {}
  /// At least one, all of one tokenizer.
  explicit TokenStream(std::vector<TokenFile> files);
  /// One after the other.
  static TokenStream joined(const std::vector<TokenStream>& texts);

  std::int64_t size() const { return all_->ends.back(); }
  /// Documents and bytes are those of the files that it lies in, together.
  const TokenFileInfo& info() const { return all_->info; }
  /// Of the first file.
  const std::string& name() const { return all_->files.front().name(); }
  /// Tokens [begin, begin + count) as a text of their own.
  TokenStream part(std::int64_t begin, std::int64_t count) const;
  /// The ids [begin, begin + count).
  std::vector<std::int32_t> copy(std::int64_t begin, std::int64_t count) const;

 private:
  struct All {
    std::vector<TokenFile> files;
    std::vector<std::int64_t> ends;  // of the files
    TokenFileInfo info;
  };
  /// Calls take(file, begin, count) for each piece of a file that [begin, begin + count) lies in, of which there is one at least.
  template <class Take>
  void for_pieces(std::int64_t begin, std::int64_t count, const Take& take) const;

  std::shared_ptr<const All> all_;  // so that copies cost nothing
};

}  // namespace kette
