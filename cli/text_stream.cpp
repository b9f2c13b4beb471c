#include "cli/text_stream.h"

#include <algorithm>
#include <iostream>

#include "cli/common.h"
#include "data/files/utf8.h"

namespace kette::cli {

TextStream::TextStream(const Tokenizer& tokenizer, const std::vector<std::int32_t>& prompt)
    : tokenizer_(tokenizer),
      tokens_(prompt.end() - std::min(kKept, std::ssize(prompt)), prompt.end()),
      written_(tokenizer.decode(tokens_).size()) {}

void TextStream::add(std::int32_t token) {
  tokens_.push_back(token);
  const std::string text = tokenizer_.decode(tokens_);
  const std::size_t whole = text.size() - unfinished_utf8(text);
  if (whole > written_) {
    std::cout << for_stdout(text.substr(written_, whole - written_)) << std::flush;
  }
  written_ = std::max(written_, whole);
  if (written_ == text.size() && std::ssize(tokens_) > 2 * kKept) {
    tokens_.erase(tokens_.begin(), tokens_.end() - kKept);
    written_ = tokenizer_.decode(tokens_).size();
  }
}

void TextStream::finish() {
  const std::string text = tokenizer_.decode(tokens_);
  if (text.size() > written_) std::cout << for_stdout(text.substr(written_));
  std::cout << std::flush;
}

std::string text_after(const Tokenizer& tokenizer, std::vector<std::int32_t> prompt,
                       const std::vector<std::int32_t>& tokens) {
  const std::size_t begin = tokenizer.decode(prompt).size();
  prompt.insert(prompt.end(), tokens.begin(), tokens.end());
  return tokenizer.decode(prompt).substr(begin);
}

}  // namespace kette::cli
