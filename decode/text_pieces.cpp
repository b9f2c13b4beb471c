#include "decode/text_pieces.h"

#include <algorithm>
#include <utility>

#include "data/files/utf8.h"

namespace kette {

TextPieces::TextPieces(const Tokenizer& tokenizer, const std::vector<std::int32_t>& prompt,
                       std::vector<std::string> stop)
    : tokenizer_(&tokenizer),
      stop_(std::move(stop)),
      tokens_(prompt.end() - std::min(kKept, std::ssize(prompt)), prompt.end()),
      told_(tokenizer.decode(tokens_).size()) {
  std::erase(stop_, "");
}

std::string TextPieces::add(std::int32_t token) {
  tokens_.push_back(token);
  const std::string text = tokenizer_->decode(tokens_);
  const std::size_t whole = text.size() - unfinished_utf8(text);
  std::string more;
  if (whole > told_) more = text.substr(told_, whole - told_);
  told_ = std::max(told_, whole);
  if (told_ == text.size() && std::ssize(tokens_) > 2 * kKept) {
    tokens_.erase(tokens_.begin(), tokens_.end() - kKept);
    told_ = tokenizer_->decode(tokens_).size();
  }
  return before_stop(std::move(more), false);
}

std::string TextPieces::finish() {
  const std::string text = tokenizer_->decode(tokens_);
  return before_stop(text.size() > told_ ? text.substr(told_) : "", true);
}

std::string TextPieces::before_stop(std::string more, bool is_last) {
  if (has_ended_) return {};
  std::string text = std::exchange(held_, {}) + std::move(more);
  std::size_t end = std::string::npos;
  for (const std::string& stop : stop_) end = std::min(end, text.find(stop));
  if (end != std::string::npos) {
    has_ended_ = true;
    return text.substr(0, end);
  }
  if (is_last) return text;
  std::size_t kept = 0;  // the longest end of the text that begins a stop
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

std::vector<std::int32_t> without_pieces(const Tokenizer& tokenizer, std::int64_t vocabulary) {
  std::vector<std::int32_t> ids;
  for (std::int64_t id = tokenizer.vocabulary(); id < vocabulary; ++id) {
    ids.push_back(static_cast<std::int32_t>(id));
  }
  return ids;
}

std::string text_after(const Tokenizer& tokenizer, std::vector<std::int32_t> prompt,
                       const std::vector<std::int32_t>& tokens) {
  const std::size_t begin = tokenizer.decode(prompt).size();
  prompt.insert(prompt.end(), tokens.begin(), tokens.end());
  return tokenizer.decode(prompt).substr(begin);
}

}  // namespace kette
