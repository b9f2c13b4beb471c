#include "data/corpora/tokenize_files.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "data/corpora/token_file.h"
#include "data/tokenizers/marks_in_text.h"
#include "tensor/error.h"
#include "tensor/parallel_for.h"

namespace kette {
namespace {

namespace fs = std::filesystem;
using Ids = std::vector<std::int32_t>;

/// Text that is encoded at once: enough for many threads and for many short documents.
constexpr std::size_t kBytesAtOnce = std::size_t{1} << 22;

class FilesTokenizer {
 public:
  FilesTokenizer(const Tokenizer& tokenizer, TokenFileWriter& writer)
      : tokenizer_(tokenizer), writer_(writer), marks_(tokenizer, {std::string(kEndOfTextPiece)}) {}

  /// True when a part is full and should be encoded.
  bool add(const fs::path& file, TextPiece piece) {
    waiting_bytes_ += piece.text.size();
    waiting_.push_back({&file, std::move(piece), {}, {}, {}});
    return waiting_bytes_ >= kBytesAtOnce;
  }

  void encode() {
    parallel_for(std::ssize(waiting_), 1, [&](std::int64_t i) {
      Waiting& waiting = waiting_[i];
      try {
        waiting.ids = tokenizer_.encode(waiting.piece.text);
        waiting.marks = marks_.count(waiting.piece.text);
      } catch (...) {
        waiting.error = std::current_exception();
      }
    });
    for (const Waiting& waiting : waiting_) append(waiting);
    waiting_.clear();
    waiting_bytes_ = 0;
  }

  const TokenizeReport& report() const { return report_; }
  std::string marks() const { return marks_.text(); }

 private:
  struct Waiting {
    const fs::path* file;
    TextPiece piece;
    Ids ids;
    std::vector<std::int64_t> marks;
    std::exception_ptr error;
  };

  void append(const Waiting& waiting) {
    try {
      if (waiting.error) std::rethrow_exception(waiting.error);
    } catch (const Error& error) {
      fail(waiting.file->string(), ": in the text from byte ", waiting.piece.offset,
           " on: ", error.what());
    }
    marks_.add(waiting.marks);
    writer_.append(waiting.ids);
    report_.bytes += static_cast<std::int64_t>(waiting.piece.text.size());
    if (waiting.piece.ends_document) {
      writer_.append(Ids{tokenizer_.special().end});
      ++report_.documents;
    }
    report_.tokens = writer_.size();
  }

  const Tokenizer& tokenizer_;
  TokenFileWriter& writer_;
  MarksInText marks_;
  std::vector<Waiting> waiting_;
  std::size_t waiting_bytes_ = 0;
  TokenizeReport report_;
};

/// Bytes on disk of all files. Those that are missing or no text are told now and not after hours of others;
/// what has no size, such as a pipe, counts as nothing.
double total_bytes(const std::vector<fs::path>& files, const fs::path& out) {
  std::uintmax_t total = 0;
  for (const fs::path& file : files) {
    check_text_file(file);
    KETTE_CHECK(!is_token_file(file), file.string(),
                ": expected text, given a file of tokens (its text has been tokenized before)");
    std::error_code error;
    KETTE_CHECK(!fs::equivalent(file, out, error), out.string(),
                ": expected a file to write that is not one of the texts, given ", file.string());
    const std::uintmax_t bytes = fs::file_size(file, error);
    if (!error) total += bytes;
  }
  return static_cast<double>(total);
}

}  // namespace

TokenizeReport tokenize_files(const std::vector<fs::path>& files, const Tokenizer& tokenizer,
                              DocumentKind kind, const fs::path& out,
                              const TokenizeProgress& progress, const std::string& made_of) {
  KETTE_CHECK(!files.empty(), "tokenize: expected at least one text file, given none");
  const double total = total_bytes(files, out);
  TokenFileWriter writer(out, tokenizer.vocabulary());
  FilesTokenizer parts(tokenizer, writer);
  double taken_before = 0;
  for (const fs::path& file : files) {
    TextDocuments documents(file, kind);
    while (std::optional<TextPiece> piece = documents.next()) {
      if (!parts.add(file, std::move(*piece))) continue;
      parts.encode();
      const double taken = taken_before + static_cast<double>(documents.bytes_taken());
      if (progress) progress(parts.report(), total > 0 ? taken / total : 0);
    }
    taken_before += static_cast<double>(documents.bytes_taken());
  }
  parts.encode();
  TokenizeReport report = parts.report();
  report.marks = parts.marks();
  KETTE_CHECK(report.documents > 0, files.front().string(),
              ": expected at least one document, given only blank lines");
  writer.finish({tokenizer.fingerprint(), tokenizer.vocabulary(), tokenizer.special().end,
                 report.documents, report.bytes, made_of, ""});
  return report;
}

std::string marks_note(const TokenizeReport& report) {
  if (report.marks.empty()) return {};
  const bool has_ends = report.marks.find(kEndOfTextPiece) != std::string::npos;
  return "the text has " + report.marks +
         (has_ends ? " (--documents endoftext ends a document at each)" : "");
}

bool were_made_of(const fs::path& path, const std::string& made_of) {
  if (!fs::exists(path)) return false;
  try {
    return TokenFile::open(path).info().made_of == made_of;
  } catch (const Error&) {
    return false;
  }
}

bool are_tokens(const std::vector<fs::path>& files, DocumentKind documents) {
  const auto tokens = std::find_if(files.begin(), files.end(), is_token_file);
  if (tokens == files.end()) return false;
  KETTE_CHECK(files.size() == 1, tokens->string(),
              ": expected text, given a file of tokens beside other files (give one alone)");
  KETTE_CHECK(documents == DocumentKind::file, files.front().string(),
              ": expected text, of which documents are told apart, given tokens, whose documents ",
              "were told when they were made (leave --documents ", enum_name(documents), " out)");
  return true;
}

TokenFile open_tokens(const fs::path& path, const Tokenizer& tokenizer) {
  TokenFile tokens = TokenFile::open(path);
  KETTE_CHECK(tokens.info().tokenizer == tokenizer.fingerprint(), path.string(),
              ": expected tokens of the model's tokenizer, ", tokenizer.fingerprint(),
              ", given those of ", tokens.info().tokenizer,
              " (make them with kette tokenize and that tokenizer)");
  return tokens;
}

}  // namespace kette
