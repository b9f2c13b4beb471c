// Documents of a text, cut into pieces where a tokenizer cannot tell.
#include "data/corpora/text_documents.h"
#include "data/files/utf8.h"
#include "data/tokenizers/gpt2_tokenizer.h"
#include "tests/fuzz/targets.h"
#include "tests/support.h"

namespace kette::fuzz {
namespace {

/// The first two bytes choose the kind of documents and the length of pieces.
std::vector<std::string> seeds() {
  return {std::string("\0\x08", 2) + "One two\nthree  four\n\nfive",
          "\x01\x10line\nline two\r\n\nline",
          std::string("\x02\x05") + "para\ngraph\n\n \t\nnext\n\none\n",
          std::string("\0\x02", 2) + std::string(43, 'a'),
          std::string("\x03\x05") + "one\ntwo\n<|endoftext|>\n\nthree<|endoftext|><|endoftext|>\n"};
}

std::vector<std::int32_t> encoded(std::string_view text) {
  static const auto tokenizer =
      Gpt2Tokenizer::load(testing::source_folder() / "tests/fixtures/gpt2_tiny");
  return tokenizer->encode(text);
}

struct Document {
  std::string text;
  std::vector<std::int32_t> ids;
};

std::vector<Document> documents_of(const std::filesystem::path& file, DocumentKind kind,
                                   std::size_t piece_bytes, std::string_view whole) {
  std::vector<Document> found(1);
  TextDocuments documents(file, kind, piece_bytes);
  while (const std::optional<TextPiece> piece = documents.next()) {
    expect(whole.substr(static_cast<std::size_t>(piece->offset), piece->text.size()) == piece->text,
           "pieces of the text at their offsets");
    const auto ids = encoded(piece->text);
    found.back().text += piece->text;
    found.back().ids.insert(found.back().ids.end(), ids.begin(), ids.end());
    if (piece->ends_document) found.emplace_back();
  }
  expect(found.back().text.empty(), "an end to every document");
  found.pop_back();
  return found;
}

/// Whether there is a stretch in which no blank follows a word, so long that it is cut anywhere.
bool has_long_stretch(std::string_view text, std::size_t piece_bytes) {
  std::size_t start = 0;
  for (std::size_t at = 1; at < text.size(); ++at) {
    const bool is_blank = std::string_view(" \t\r\n").find(text[at]) != std::string_view::npos;
    if (is_blank && text[at - 1] > ' ' && text[at - 1] < '\x7F') start = at;
    if (at - start >= 8 * piece_bytes) return true;
  }
  return false;
}

void read(std::string_view input) {
  if (input.size() < 2) return;
  constexpr DocumentKind kKinds[] = {DocumentKind::file, DocumentKind::line,
                                     DocumentKind::paragraph, DocumentKind::endoftext};
  const DocumentKind kind = kKinds[static_cast<unsigned char>(input[0]) % 4];
  const std::size_t piece_bytes = 1 + static_cast<unsigned char>(input[1]);
  const std::string_view text = input.substr(2);
  if (text.substr(0, 2) == "\x1F\x8B") return;  // unpacked, the offsets are others
  const auto file = put("text", text);
  const auto cut = documents_of(file, kind, piece_bytes, text);
  const auto whole = documents_of(file, kind, TextDocuments::kPieceBytes, text);
  expect(cut.size() == whole.size(), "the same documents in pieces of any length");
  for (std::size_t i = 0; i < cut.size(); ++i) {
    expect(cut[i].text == whole[i].text, "documents with the same text in pieces of any length");
    if (has_long_stretch(whole[i].text, piece_bytes)) continue;
    expect(cut[i].ids == whole[i].ids, "the ids of the whole document");
  }
}

}  // namespace

const Target documents = {"documents", seeds, read};

}  // namespace kette::fuzz
