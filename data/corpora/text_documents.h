// The documents of a text file, plain or packed, in bounded memory: a document comes in pieces of
// about 256 KiB, cut where a tokenizer cannot tell. That is between a character that is no white
// space and a line feed (or, in a line too long or one that ends in "\r\n", a space) after it:
//   byte, character   see single characters only.
//   gpt2              each alternative of its pattern takes white space only first or nothing but
//                     white space, so a piece of it ends there in any case; the pattern never looks
//                     back, and looks ahead only from white space. Not so behind a line end: of
//                     "\n\n" and "x" the second \n is a piece of its own, of "\n\n" alone it is not.
//   wordpiece         parts words at each blank and at each line end.
//   sentencepiece     begins a new piece at each space, and takes a line feed for one, or as a piece
//                     of its own. Of a lossless model "," and "\r" may be one piece.
// Text with neither is cut before a tab or a carriage return, and text without any white space, or of
// nothing else, between characters once a piece is 16 times as long; then and only then may ids
// differ from those of the whole, and they still spell the same text. The bytes are handed out as they are, save a byte order mark at the start: what is no
// UTF-8 is the tokenizer's affair.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "data/files/packed_file.h"
#include "tensor/enum_names.h"

namespace kette {

/// file: the file is one document. line: each line is one, without its line end. paragraph: the
/// lines between blank ones, without the last line end. endoftext: what stands between two spellings of <|endoftext|>,
/// as many corpora are kept, without the last line end. Blank lines at the ends are in no document of the latter three.
enum class DocumentKind { file, line, paragraph, endoftext };
template <>
inline constexpr auto kNamesOf<DocumentKind> =
    enum_names<DocumentKind>({{DocumentKind::file, "file"},
                              {DocumentKind::line, "line"},
                              {DocumentKind::paragraph, "paragraph"},
                              {DocumentKind::endoftext, "endoftext"}});

struct TextPiece {
  std::string text;
  std::int64_t offset = 0;  ///< of its first byte in the (unpacked) file
  bool ends_document = false;
};

class TextDocuments {
 public:
  static constexpr std::size_t kPieceBytes = std::size_t{1} << 18;

  TextDocuments(const std::filesystem::path& path, DocumentKind kind,
                std::size_t piece_bytes = kPieceBytes);

  /// Nothing at the end of the file. An empty file is an Error.
  std::optional<TextPiece> next();
  /// Of the file as it lies on disk.
  std::int64_t bytes_taken() const { return file_.bytes_taken(); }

 private:
  /// Where a document ends, and where what follows it begins.
  struct End {
    std::size_t text, next;
  };

  std::string_view rest() const { return std::string_view(buffer_).substr(begin_); }
  void fill();
  void skip_blank_lines();
  void skip_blank_documents();
  std::optional<End> document_end() const;
  std::optional<End> mark_end() const;
  std::size_t cut() const;
  TextPiece take(End end, bool ends_document);

  std::string name_;
  PackedFile file_;
  DocumentKind kind_;
  std::size_t piece_bytes_;
  std::string buffer_;  // what was read and not handed out starts at begin_
  std::size_t begin_ = 0;
  std::int64_t offset_ = 0;  // of begin_ in the file
  bool at_end_ = false, inside_document_ = false;
};

}  // namespace kette
