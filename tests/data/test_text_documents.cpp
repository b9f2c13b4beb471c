// Documents in pieces: nothing is lost whatever the length of a piece, and no tokenizer can tell
// where the cuts were.
#include <doctest/doctest.h>

#include <regex>

#include "data/corpora/text_documents.h"
#include "data/files/unicode.h"
#include "data/files/utf8.h"
#include "tensor/error.h"
#include "tensor/splitmix.h"
#include "tests/data/packings.h"
#include "tests/data/tiny_text.h"
#include "tests/support.h"

namespace kette {
namespace {

namespace fs = std::filesystem;
using testing::contains;
using testing::message_of;
using testing::ScratchFolder;
using testing::write_file;
using Texts = std::vector<std::string>;

std::vector<TextPiece> pieces_of(const fs::path& path, DocumentKind kind,
                                 std::size_t piece_bytes = TextDocuments::kPieceBytes) {
  TextDocuments documents(path, kind, piece_bytes);
  std::vector<TextPiece> pieces;
  while (std::optional<TextPiece> piece = documents.next()) pieces.push_back(std::move(*piece));
  return pieces;
}

Texts documents_of(const std::vector<TextPiece>& pieces) {
  Texts documents(1);
  for (const TextPiece& piece : pieces) {
    documents.back() += piece.text;
    if (piece.ends_document) documents.emplace_back();
  }
  CHECK(documents.back().empty());
  documents.pop_back();
  return documents;
}

/// The documents of a text, the same for pieces of any length and at the offsets that are told.
Texts documents_in(const std::string& text, DocumentKind kind) {
  const ScratchFolder folder;
  write_file(folder / "text", text);
  const Texts documents = documents_of(pieces_of(folder / "text", kind));
  for (const std::size_t piece_bytes : {1, 2, 3, 5, 8, 13, 100}) {
    const std::vector<TextPiece> pieces = pieces_of(folder / "text", kind, piece_bytes);
    CAPTURE(piece_bytes);
    CHECK(documents_of(pieces) == documents);
    for (const TextPiece& piece : pieces) {
      CHECK(text.compare(static_cast<std::size_t>(piece.offset), piece.text.size(), piece.text) ==
            0);
    }
  }
  return documents;
}

/// Text of words and white space in all constellations, with characters that look like spaces to
/// some.
std::string random_text(int seed) {
  static const Texts parts = {"a",        "b",
                              "'s",       "'",
                              "1",        ".",
                              "\u00e9",   "\n",
                              "\n",       " ",
                              " ",        "\r\n",
                              "\t",       "\u00a0",
                              "\u2028",   "\u3000",
                              "\u3002",   "\x85",
                              "\xe2\x80", "\u0085",
                              "\x1c",     std::string(1, '\0')};
  std::string text;
  for (int i = 0; i < 60; ++i) text += parts[hash_of(seed, i) % parts.size()];
  return text;
}

/// The pieces of GPT-2's own pattern (Radford et al. 2019; encoder.py), for the characters above. A
/// byte that is no UTF-8 is a character of its own that is neither letter nor space.
Texts pattern_pieces(const std::string& text) {
  const std::wstring space = L"\\t-\\r \\x85\\xa0\\u2028\\u3000", letter = L"a-z\\u00e9";
  static const std::wregex pattern(L"'s|'t|'re|'ve|'m|'ll|'d| ?[" + letter + L"]+| ?[0-9]+| ?[^" +
                                   space + letter + L"0-9]+|[" + space + L"]+(?![^" + space +
                                   L"])|[" + space + L"]+");
  std::wstring wide;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t length = 1;
    for (std::size_t longer = 2; longer <= 3 && at + longer <= text.size(); ++longer) {
      const std::string_view character = std::string_view(text).substr(at, longer);
      if ((text[at] & 0x80) != 0 && first_invalid_utf8(character) == std::string_view::npos &&
          decode_utf8(character).size() == 1)
        length = longer;
    }
    const bool is_byte = length == 1 && (text[at] & 0x80) != 0;
    wide += is_byte ? static_cast<wchar_t>(0x10FF00 + static_cast<unsigned char>(text[at]))
                    : static_cast<wchar_t>(decode_utf8(text.substr(at, length))[0]);
    at += length;
  }
  Texts pieces;
  for (std::wsregex_iterator match(wide.begin(), wide.end(), pattern), end; match != end; ++match) {
    const std::wstring piece = match->str();
    pieces.push_back(encode_utf8(std::u32string(piece.begin(), piece.end())));
  }
  return pieces;
}

}  // namespace

TEST_CASE("documents: a file is one, with every byte of it") {
  for (const std::string& text : {std::string("a"), std::string("\n"), std::string(" \n\n x\ny "),
                                  std::string("a\0b\xff\n", 5), std::string("one\r\ntwo\r\n")}) {
    CHECK(documents_in(text, DocumentKind::file) == Texts{text});
  }
}

TEST_CASE("documents: each line is one, blank ones are none") {
  CHECK(documents_in("one\n\ntwo three\r\n \t\n\n  four\nfive", DocumentKind::line) ==
        Texts{"one", "two three", "  four", "five"});
  CHECK(documents_in("\n\r\n \n", DocumentKind::line).empty());
  CHECK(documents_in("a b c d e f g h\n", DocumentKind::line) == Texts{"a b c d e f g h"});
  CHECK(documents_in("x\r", DocumentKind::line) == Texts{"x"});
}

TEST_CASE("documents: paragraphs lie between blank lines") {
  CHECK(documents_in("\n\n a\nb\n\nc\n \t \n\nd\r\ne\r\n\r\nf", DocumentKind::paragraph) ==
        Texts{" a\nb", "c", "d\r\ne", "f"});
  CHECK(documents_in("one\ntwo\n\n", DocumentKind::paragraph) == Texts{"one\ntwo"});
  CHECK(documents_in("one\n  ", DocumentKind::paragraph) == Texts{"one"});
  CHECK(documents_in("\n \n", DocumentKind::paragraph).empty());
}

TEST_CASE("documents: what stands between two <|endoftext|>, without blank lines at its ends") {
  const auto texts = [](const std::string& text) {
    return documents_in(text, DocumentKind::endoftext);
  };
  CHECK(texts("a b\nc\n<|endoftext|>\nd\n<|endoftext|>\n") == Texts{"a b\nc", "d"});
  CHECK(texts("a<|endoftext|>b") == Texts{"a", "b"});
  CHECK(texts("<|endoftext|><|endoftext|>\n \n\t<|endoftext|>\n\n b \n\n \n<|endoftext|>") ==
        Texts{" b "});
  CHECK(texts("one\r\n<|endoftext|>\r\n\r\ntwo\r\n") == Texts{"one", "two"});
  CHECK(texts("a <|endoftext|> b <|endoftext c|>") == Texts{"a ", " b <|endoftext c|>"});
  CHECK(texts("no mark\n\nat all") == Texts{"no mark\n\nat all"});
  CHECK(texts("\n<|endoftext|>\n").empty());
  std::string many, repeated(100, 'x');
  for (int i = 0; i < 50; ++i) many += repeated + "<|endoftext|>";
  CHECK(texts(many) == Texts(50, repeated));
}

TEST_CASE("documents: a byte order mark at the start is no text") {
  const ScratchFolder folder;
  write_file(folder / "text", "\xEF\xBB\xBFlesen \xEF\xBB\xBF");
  for (const std::size_t piece_bytes : {1, 2, 100}) {
    const auto pieces = pieces_of(folder / "text", DocumentKind::file, piece_bytes);
    CHECK(documents_of(pieces) == Texts{"lesen \xEF\xBB\xBF"});
    CHECK(pieces.front().offset == 3);
  }
}

TEST_CASE("documents: GPT-2's pattern finds the same pieces in a cut text as in the whole") {
  const ScratchFolder folder;
  int cuts = 0;
  for (int seed = 0; seed < 300; ++seed) {
    const std::string text = random_text(seed);
    fs::remove(folder / "text");
    write_file(folder / "text", text);
    Texts found;
    for (const TextPiece& piece : pieces_of(folder / "text", DocumentKind::file, 8)) {
      for (std::string& part : pattern_pieces(piece.text)) found.push_back(std::move(part));
      ++cuts;
    }
    REQUIRE(found == pattern_pieces(text));
  }
  CHECK(cuts > 2000);
  // The rule is needed: behind a line end, and within white space, a cut does show.
  CHECK(pattern_pieces("a\n\nb") == Texts{"a", "\n", "\n", "b"});
  CHECK(pattern_pieces("a\n\n") == Texts{"a", "\n\n"});
}

TEST_CASE("documents: cut at line ends, else at blanks, else between characters") {
  const ScratchFolder folder;
  const auto texts = [&](const std::string& text, std::size_t piece_bytes) {
    write_file(folder / "text", text);
    Texts pieces;
    for (const TextPiece& piece : pieces_of(folder / "text", DocumentKind::file, piece_bytes))
      pieces.push_back(piece.text);
    return pieces;
  };
  CHECK(texts("ab c\nde f\ngh i", 6) == Texts{"ab c", "\nde f", "\ngh i"});
  CHECK(texts("ab cd ef", 4) == Texts{"ab", " cd", " ef"});
  // A model that keeps line ends as they are may have ",\r" as one piece.
  CHECK(texts("a b,\r\nc d,\r\ne f", 8) == Texts{"a b,\r\nc", " d,\r\ne", " f"});
  CHECK(texts("abc,\r\ndef", 7) == Texts{"abc,", "\r\ndef"});
  std::string umlauts;
  for (int i = 0; i < 100; ++i) umlauts += "ü";
  const Texts pieces = texts(umlauts, 3);
  CHECK(pieces.size() == 5);
  for (const std::string& piece : pieces) {
    CHECK(piece.size() <= 48);
    CHECK(first_invalid_utf8(piece) == std::string_view::npos);
  }
}

TEST_CASE("documents: packed files, and files that cannot be read") {
  const ScratchFolder folder;
  std::string content;
  for (int i = 0; i < 20'000; ++i) content += "line " + std::to_string(i) + "\n";
  for (const testing::Packing& packing : testing::kPackings) {
    CAPTURE(packing.format);
    const std::string packed = packing.pack(content);
    write_file(folder / "text", packed);
    CHECK(documents_of(pieces_of(folder / "text", DocumentKind::file, 1000)) == Texts{content});
    CHECK(documents_of(pieces_of(folder / "text", DocumentKind::line)).size() == 20'000);
    write_file(folder / "cut", packed.substr(0, packed.size() / 2));
    CHECK(contains(message_of([&] { pieces_of(folder / "cut", DocumentKind::line); }),
                   "expected a whole " + packing.format + " file"));
  }
  write_file(folder / "empty", "");
  CHECK(contains(message_of([&] { pieces_of(folder / "empty", DocumentKind::line); }),
                 "empty: expected text, given an empty file"));
  CHECK(contains(message_of([&] { pieces_of(folder / "none", DocumentKind::line); }),
                 "none: expected a text file"));
  CHECK(contains(message_of([&] { pieces_of(folder.path(), DocumentKind::line); }), "a directory"));
  CHECK(contains(message_of([] { enum_named<DocumentKind>("page"); }), "given page"));
}

TEST_CASE("documents: a large file passes in pieces of bounded length") {
  const ScratchFolder folder;
  std::string line;
  for (int i = 0; i < 12; ++i) line += "word" + std::to_string(i) + " ";
  std::string content;
  for (int i = 0; i < 100'000; ++i) content += line + "\n";
  write_file(folder / "large", content);
  TextDocuments documents(folder / "large", DocumentKind::file);
  std::size_t total = 0, pieces = 0;
  while (const std::optional<TextPiece> piece = documents.next()) {
    REQUIRE(piece->text.size() <= 2 * TextDocuments::kPieceBytes);
    REQUIRE(content.compare(total, piece->text.size(), piece->text) == 0);
    total += piece->text.size();
    ++pieces;
  }
  CHECK(total == content.size());
  CHECK(pieces > content.size() / TextDocuments::kPieceBytes);
  CHECK(documents.bytes_taken() == static_cast<std::int64_t>(content.size()));
}

}  // namespace kette
