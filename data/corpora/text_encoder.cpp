#include "data/corpora/text_encoder.h"

#include <algorithm>
#include <array>
#include <utility>

#include "data/corpora/token_file.h"
#include "data/files/text_file.h"
#include "tensor/error.h"
#include "tensor/parallel_for.h"

namespace kette {
namespace {

namespace fs = std::filesystem;

/// Text that is encoded at once: enough for many threads and for many short documents.
constexpr std::int64_t kTextAtOnce = std::int64_t{1} << 22;

}  // namespace

TextEncoder::TextEncoder(std::vector<fs::path> files, const Tokenizer& tokenizer, DocumentKind kind,
                         DocumentFilter* odd)
    : files_(std::move(files)),
      tokenizer_(tokenizer),
      kind_(kind),
      odd_(odd),
      marks_(tokenizer, {std::string(kEndOfTextPiece)}) {
  KETTE_CHECK(!files_.empty(), "tokenize: expected at least one text file, given none");
  for (const fs::path& file : files_) {
    check_text_file(file);
    KETTE_CHECK(!is_token_file(file), file.string(),
                ": expected text, given a file of tokens (its text has been tokenized before)");
    std::error_code error;  // what has no size, such as a pipe, counts as nothing
    const std::uintmax_t bytes = fs::file_size(file, error);
    if (!error) all_bytes_ += static_cast<double>(bytes);
  }
  if (odd_ != nullptr) odd_->begin(files_, kind_ == DocumentKind::file);
}

std::optional<TokenizeReport> TextEncoder::encode(const Take& take, std::int64_t bytes,
                                                  const TokenizeProgress& progress) {
  const TokenizeReport before = report_;
  if (read(&take, bytes, progress) == 0) return std::nullopt;
  return TokenizeReport{report_.documents - before.documents, report_.tokens - before.tokens,
                        report_.bytes - before.bytes, report_.left_out - before.left_out};
}

bool TextEncoder::skip(std::int64_t bytes) { return read(nullptr, bytes, {}) > 0; }

TokenizeReport TextEncoder::report() const {
  TokenizeReport report = report_;
  report.marks = marks_.text();
  return report;
}

std::int64_t TextEncoder::read(const Take* take, std::int64_t bytes,
                               const TokenizeProgress& progress) {
  const std::int64_t most = bytes < kAll ? bytes + bytes / 8 : kAll;
  std::int64_t pieces = 0, taken = 0, waiting = 0;
  for (bool is_full = false; !is_full;) {
    std::optional<TextPiece> piece = next();
    if (!piece) break;
    const std::int64_t size = std::ssize(piece->text);
    ++pieces;
    taken += size;
    waiting += size;
    is_full = taken >= (piece->ends_document ? bytes : most);
    const bool begins = !std::exchange(is_inside_document_, !piece->ends_document);
    waiting_.push_back({file_, std::move(*piece), begins});
    if (waiting < kTextAtOnce) continue;
    encode_waiting(take);
    waiting = 0;
    if (progress) progress(report_, share());
  }
  encode_waiting(take);
  return pieces;
}

std::optional<TextPiece> TextEncoder::next() {
  for (; file_ < files_.size(); ++file_) {
    if (!documents_) documents_.emplace(files_[file_], kind_);
    if (std::optional<TextPiece> piece = documents_->next()) return piece;
    bytes_before_ += static_cast<double>(documents_->bytes_taken());
    documents_.reset();
  }
  return std::nullopt;
}

double TextEncoder::share() const {
  const double read =
      bytes_before_ + (documents_ ? static_cast<double>(documents_->bytes_taken()) : 0);
  return all_bytes_ > 0 ? read / all_bytes_ : 0;
}

void TextEncoder::filter_waiting(bool is_skipped) {
  if (odd_ == nullptr) return;
  // Of what is passed over only the hash matters, but of a document of several pieces, of which the next shard may have some.
  const auto is_looked_at = [&](const Waiting& waiting) {
    return waiting.begins_document && !(is_skipped && waiting.piece.ends_document);
  };
  std::vector<DocumentFilter::Facts> facts(waiting_.size());
  parallel_for(std::ssize(waiting_), 1, [&](std::int64_t i) {
    const std::string& text = waiting_[i].piece.text;
    if (is_looked_at(waiting_[i])) {
      facts[i] = odd_->facts_of_document(text, waiting_[i].file);
    } else if (waiting_[i].begins_document && odd_->finds_duplicates()) {
      facts[i].hash = odd_->hash_of_document(text);
    }
  });
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    Waiting& waiting = waiting_[i];
    if (is_looked_at(waiting)) {
      leaves_out_ = !odd_->keeps(facts[i], waiting.piece.text, waiting.file);
    } else if (waiting.begins_document) {
      odd_->skip(facts[i].hash, waiting.file);
      leaves_out_ = false;  // nothing is said of it
    }
    waiting.is_left_out = leaves_out_;
  }
}

void TextEncoder::encode_waiting(const Take* take) {
  filter_waiting(take == nullptr);
  parallel_for(std::ssize(waiting_), 1, [&](std::int64_t i) {
    Waiting& waiting = waiting_[i];
    try {
      waiting.marks = marks_.count(waiting.piece.text);
      if (take && !waiting.is_left_out) waiting.ids = tokenizer_.encode(waiting.piece.text);
    } catch (...) {
      waiting.error = std::current_exception();
    }
  });
  for (const Waiting& waiting : waiting_) add(waiting, take);
  waiting_.clear();
}

void TextEncoder::add(const Waiting& waiting, const Take* take) {
  marks_.add(waiting.marks);  // of all documents: those that are passed over are not filtered
  if (waiting.is_left_out) {
    report_.left_out += waiting.begins_document ? 1 : 0;
    return;
  }
  try {
    if (waiting.error) std::rethrow_exception(waiting.error);
  } catch (const Error& error) {
    fail(files_[waiting.file].string(), ": in the text from byte ", waiting.piece.offset,
         " on: ", error.what());
  }
  report_.bytes += std::ssize(waiting.piece.text);
  report_.documents += waiting.piece.ends_document ? 1 : 0;
  if (!take) return;
  (*take)(waiting.ids);
  report_.tokens += std::ssize(waiting.ids);
  if (!waiting.piece.ends_document) return;
  (*take)(std::array{tokenizer_.special().end});
  ++report_.tokens;
}

}  // namespace kette
