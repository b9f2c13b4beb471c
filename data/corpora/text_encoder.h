// The documents of text files as ids, part by part: each is encoded and followed by the tokenizer's end_of_text. Several
// pieces are encoded at once, in bounded memory; the ids do not depend on the number of threads.
#pragma once

#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/checks/document_filter.h"
#include "data/corpora/text_documents.h"
#include "data/tokenizers/marks_in_text.h"
#include "data/tokenizers/tokenizer.h"

namespace kette {

struct TokenizeReport {
  std::int64_t documents = 0;
  std::int64_t tokens = 0;    ///< the ends of text counted
  std::int64_t bytes = 0;     ///< of the documents' text
  std::int64_t left_out = 0;  ///< documents, by a filter
  /// What the texts spell of marks (data/tokenizers/marks_in_text.h), of <|endoftext|> in any case, for people; "": none.
  std::string marks{};
};

/// Told every few MiB what is done so far, and which share of all files that is.
using TokenizeProgress = std::function<void(const TokenizeReport&, double share)>;

class TextEncoder {
 public:
  using Take = std::function<void(std::span<const std::int32_t> ids)>;
  static constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();

  /// What is missing or no text is told now and not after hours of others. odd: leaves odd documents out, and outlives
  /// this; may be null.
  TextEncoder(std::vector<std::filesystem::path> files, const Tokenizer& tokenizer,
              DocumentKind kind, DocumentFilter* odd = nullptr);

  /// Gives take() the ids of the next documents, of at least so many bytes of text; one that would make that more than an
  /// eighth more is cut. Of what was given; nothing at the end.
  std::optional<TokenizeReport> encode(const Take& take, std::int64_t bytes = kAll,
                                       const TokenizeProgress& progress = {});
  /// Passes over them instead; false at the end.
  bool skip(std::int64_t bytes);
  /// Of all so far, but for the tokens of what was passed over.
  TokenizeReport report() const;

 private:
  struct Waiting {
    std::size_t file;
    TextPiece piece;
    bool begins_document;
    bool is_left_out = false;
    std::vector<std::int32_t> ids{};
    std::vector<std::int64_t> marks{};
    std::exception_ptr error{};
  };

  /// How many pieces.
  std::int64_t read(const Take* take, std::int64_t bytes, const TokenizeProgress& progress);
  std::optional<TextPiece> next();
  /// Which of those that wait are left out; of what is passed over, what the filter must know of it.
  void filter_waiting(bool is_skipped);
  void encode_waiting(const Take* take);
  void add(const Waiting& waiting, const Take* take);
  double share() const;

  std::vector<std::filesystem::path> files_;
  const Tokenizer& tokenizer_;
  DocumentKind kind_;
  DocumentFilter* odd_;
  bool is_inside_document_ = false,
       leaves_out_ = false;                  // the one that is read, or was looked at last
  double all_bytes_ = 0, bytes_before_ = 0;  // on disk: of the files, of those that were read
  std::size_t file_ = 0;                     // that is read
  std::optional<TextDocuments> documents_;   // of it
  std::vector<Waiting> waiting_;
  MarksInText marks_;
  TokenizeReport report_;
};

}  // namespace kette
