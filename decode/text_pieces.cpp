#include "decode/text_pieces.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "data/files/utf8.h"

namespace kette {

namespace {

/// The number of bytes at the end of a text that tokens to come may change: an incomplete character, or up to three
/// U+FFFD, as which a SentencePiece model that is not lossless writes the bytes of one.
std::size_t unfinished_end(std::string_view text) {
  constexpr std::string_view kNoCharacter = "\uFFFD";
  constexpr int kMost = 3;
  std::size_t bytes = unfinished_utf8(text);
  for (int i = 0; i < kMost && text.substr(0, text.size() - bytes).ends_with(kNoCharacter); ++i) {
    bytes += kNoCharacter.size();
  }
  return bytes;
}

/// How much of a text was told if `told` was: all that, unless it had an incomplete character as U+FFFD.
std::size_t told_of(std::string_view text, std::string_view told) {
  if (text.starts_with(told)) return told.size();
  auto same = static_cast<std::size_t>(
      std::mismatch(told.begin(), told.end(), text.begin(), text.end()).first - told.begin());
  while (same > 0 && same < text.size() && continues_utf8(text[same])) --same;
  return same;
}

}  // namespace

TextPieces::TextPieces(const Tokenizer& tokenizer, const std::vector<std::int32_t>& prompt,
                       std::vector<std::string> stop)
    : tokenizer_(&tokenizer),
      stop_(std::move(stop)),
      tokens_(prompt.end() - std::min(kKept, std::ssize(prompt)), prompt.end()),
      told_(tokenizer.decode(tokens_)) {
  std::erase(stop_, "");
}

std::string TextPieces::add(std::int32_t token) {
  tokens_.push_back(token);
  std::string text = tokenizer_->decode(tokens_);
  const std::size_t whole = text.size() - unfinished_end(text);
  const std::size_t told = told_of(text, told_), now = std::max(told, whole);
  std::string more = text.substr(told, now - told);
  const std::size_t untold = text.size() - now;
  text.resize(now);
  told_ = std::move(text);
  if (std::ssize(tokens_) > 2 * kKept) {
    std::string end = tokenizer_->decode(std::span(tokens_).last(kKept));
    if (end.size() > untold) {  // else what comes would begin a text, or be told in part
      end.resize(end.size() - untold);
      told_ = std::move(end);
      tokens_.erase(tokens_.begin(), tokens_.end() - kKept);
    }
  }
  return before_stop(std::move(more), false);
}

std::string TextPieces::finish() {
  const std::string text = tokenizer_->decode(tokens_);
  return before_stop(text.substr(told_of(text, told_)), true);
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
  const std::string before = tokenizer.decode(prompt);
  prompt.insert(prompt.end(), tokens.begin(), tokens.end());
  const std::string text = tokenizer.decode(prompt);
  return text.substr(told_of(text, before));
}

}  // namespace kette
