#include "serve/text_pieces.h"

#include <algorithm>
#include <utility>

#include "data/files/utf8.h"

namespace kette {

TextPieces::TextPieces(const Tokenizer& tokenizer, const std::vector<std::int32_t>& prompt,
                       std::vector<std::string> stop)
    : tokenizer_(&tokenizer),
      stop_(std::move(stop)),
      tokens_(prompt.end() - std::min(kKept, std::ssize(prompt)), prompt.end()),
      written_(tokenizer.decode(tokens_).size()) {}

std::string TextPieces::add(std::int32_t token) {
  tokens_.push_back(token);
  const std::string text = tokenizer_->decode(tokens_);
  const std::size_t whole = text.size() - unfinished_utf8(text);
  std::string more;
  if (whole > written_) more = text.substr(written_, whole - written_);
  written_ = std::max(written_, whole);
  if (written_ == text.size() && std::ssize(tokens_) > 2 * kKept) {
    tokens_.erase(tokens_.begin(), tokens_.end() - kKept);
    written_ = tokenizer_->decode(tokens_).size();
  }
  return told(std::move(more), false);
}

std::string TextPieces::finish() {
  const std::string text = tokenizer_->decode(tokens_);
  return told(text.size() > written_ ? text.substr(written_) : "", true);
}

std::string TextPieces::told(std::string more, bool is_last) {
  std::string text = std::exchange(held_, {}) + std::move(more);
  std::size_t end = std::string::npos;
  for (const std::string& stop : stop_) end = std::min(end, text.find(stop));
  if (end != std::string::npos) {
    has_ended_ = true;
    return text.substr(0, end);
  }
  if (is_last) return text;
  // The longest end of the text that begins a stop is kept back.
  std::size_t kept = 0;
  for (const std::string& stop : stop_) {
    for (std::size_t size = std::min(stop.size() - 1, text.size()); size > kept; --size) {
      if (text.ends_with(std::string_view(stop).substr(0, size))) {
        kept = size;
        break;
      }
    }
  }
  held_ = text.substr(text.size() - kept);
  text.resize(text.size() - kept);
  return text;
}

}  // namespace kette
