#include "data/tokenizers/sentencepiece_tokenizer.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <unordered_map>

#include "data/files/utf8.h"
#include "data/tokenizers/sentencepiece_model.h"
#include "tensor/parallel_for.h"

namespace kette {
namespace {

using Ids = std::vector<std::int32_t>;

constexpr SpecialTokens kSpecial;
constexpr std::string_view kNoCharacter = "\xEF\xBF\xBF";  // U+FFFF, in no vocabulary

/// Spaces at both ends and in runs, a ligature, letters to compose, and a tab: every normalisation
/// except the identity changes this.
constexpr std::string_view kProbe = "  a  \xEF\xAC\x81 A\xCC\x8A\t ";

std::string byte_piece(int byte) {
  char piece[8];
  std::snprintf(piece, sizeof piece, "<0x%02X>", static_cast<unsigned>(byte));
  return piece;
}

/// The number of bytes from `at` on that the model must not get: a newline, a NUL, a space mark (it
/// would become a space), and bytes that are not UTF-8 (it would replace them). 0 for other text.
std::size_t foreign(std::string_view text, std::size_t at) {
  if (text[at] == '\n' || text[at] == '\0') return 1;
  if (static_cast<unsigned char>(text[at]) < 0x80) return 0;
  if (text.substr(at, kSpaceMark.size()) == kSpaceMark) return kSpaceMark.size();
  return utf8_character(text, at).bytes == 0 ? 1 : 0;
}

/// Caches words, since text repeats them. Only for models whose pieces never cross a space.
class WordCache {
 public:
  explicit WordCache(const sentencepiece::SentencePieceProcessor& processor)
      : processor_(processor) {}

  Ids encode(std::string_view line) {
    Ids ids;
    while (!line.empty()) {
      const std::size_t end = std::min(line.find(' '), line.size());
      if (end > 0) append(line.substr(0, end), ids);
      line.remove_prefix(std::min(end + 1, line.size()));
    }
    return ids;
  }

 private:
  void append(std::string_view word, Ids& ids) {
    const auto [known, is_new] = known_.try_emplace(std::string(word));
    if (is_new) check_encoded(processor_.Encode(word, &known->second));
    ids.insert(ids.end(), known->second.begin(), known->second.end());
  }

  const sentencepiece::SentencePieceProcessor& processor_;
  std::unordered_map<std::string, Ids> known_;
};

}  // namespace

SentencePieceTokenizer::SentencePieceTokenizer(std::string_view bytes, const std::string& name)
    : processor_(std::make_unique<sentencepiece::SentencePieceProcessor>()) {
  const sentencepiece::SentencePieceProcessor& model = *processor_;
  load_sentencepiece(bytes, name, *processor_);
  KETTE_CHECK(
      model.pad_id() == kSpecial.pad && model.unk_id() == kSpecial.unknown &&
          model.bos_id() == kSpecial.begin && model.eos_id() == kSpecial.end,
      name, ": expected the special ids pad 0, unknown 1, begin 2, end 3, given pad ",
      model.pad_id(), ", unknown ", model.unk_id(), ", begin ", model.bos_id(), ", end ",
      model.eos_id(),
      " (train it with kette, or with spm_train --pad_id=0 --unk_id=1 --bos_id=2 --eos_id=3)");
  examine();
  find_bytes();
  is_lossless_ = !spelt_.empty() && spell(pieces_of(kProbe)) == kProbe;
}

SentencePieceTokenizer::~SentencePieceTokenizer() = default;

SentencePieceTokenizer::Shared SentencePieceTokenizer::load(const std::filesystem::path& file) {
  std::error_code none;
  KETTE_CHECK(std::filesystem::is_regular_file(file, none), file.string(),
              ": expected a SentencePiece model, given a path that is no file");
  std::string content(std::filesystem::file_size(file), '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(content.data(), std::ssize(content));
  KETTE_CHECK(stream, file.string(),
              ": expected a SentencePiece model, given a file that cannot be read (",
              std::strerror(errno), ")");
  return std::make_shared<SentencePieceTokenizer>(content, file.string());
}

void SentencePieceTokenizer::examine() {
  // Only unigram models have an entropy; the header that holds the model's type is not installed.
  float entropy = 0;
  is_bpe_ = !processor_->CalculateEntropy("a", 1.0f, &entropy).ok();
  Ids word = processor_->EncodeAsIds("a");
  word.insert(word.end(), word.begin(), word.end());
  words_are_independent_ = is_bpe_ && processor_->EncodeAsIds("a a") == word &&
                           processor_->EncodeAsIds(" a  a ") == word;  // spaces are trimmed
  for (int id = 0; id < processor_->GetPieceSize(); ++id) {
    const std::string& piece = processor_->IdToPiece(id);
    if (piece.find(kSpaceMark, 1) != std::string::npos) words_are_independent_ = false;
    if (processor_->IsControl(id) && piece.starts_with("<2")) {  // language_tag()
      languages_.push_back(piece.substr(2, piece.size() - 3));
    }
  }
}

/// Fills byte_ids_ and spelt_ if the model has a piece for every byte.
void SentencePieceTokenizer::find_bytes() {
  for (int byte = 0; byte < 256; ++byte) {
    byte_ids_[byte] = processor_->PieceToId(byte_piece(byte));
    if (byte_ids_[byte] == kSpecial.unknown) return;
  }
  spelt_.resize(vocabulary());
  for (std::int32_t id = kSpecial.end + 1; id < vocabulary(); ++id) {
    if (processor_->IsControl(id)) continue;  // not text
    std::string& spelt = spelt_[id];
    spelt = processor_->IdToPiece(id);
    for (std::size_t at = 0; (at = spelt.find(kSpaceMark, at)) != std::string::npos; ++at) {
      spelt.replace(at, kSpaceMark.size(), " ");
    }
  }
  for (int byte = 0; byte < 256; ++byte) {
    spelt_[byte_ids_[byte]] = std::string(1, static_cast<char>(byte));
  }
}

std::int64_t SentencePieceTokenizer::vocabulary() const { return processor_->GetPieceSize(); }

std::string SentencePieceTokenizer::piece(std::int32_t id) const {
  check_ids({&id, 1});
  return processor_->IdToPiece(id);
}

std::vector<std::pair<std::string, std::string>> SentencePieceTokenizer::files() const {
  return {{kFile, processor_->serialized_model_proto()}};
}

Ids SentencePieceTokenizer::encode_text(std::string_view text, Side) const {
  return is_lossless_ ? encode_parts(text) : pieces_of(text);
}

Ids SentencePieceTokenizer::pieces_of(std::string_view text) const {
  Ids ids;
  check_encoded(processor_->Encode(text, &ids));
  return ids;
}

std::function<Ids(std::string_view)> SentencePieceTokenizer::line_encoder(Side side) const {
  if (!words_are_independent_) return Tokenizer::line_encoder(side);
  return [this, cache = WordCache(*processor_)](std::string_view line) mutable {
    // SentencePiece trims a space mark in the text as it does a space.
    return line.find(kSpaceMark) == std::string_view::npos ? cache.encode(line) : pieces_of(line);
  };
}

/// Encodes the parts between foreign bytes on all threads, and foreign bytes as byte pieces.
Ids SentencePieceTokenizer::encode_parts(std::string_view text) const {
  std::vector<std::string_view> parts, gaps;  // in turn, a part first; either may be empty
  std::size_t start = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && foreign(text, end) > 0) end += foreign(text, end);
    if (end == at) {
      at += utf8_length(text[at]);
      continue;
    }
    parts.push_back(text.substr(start, at - start));
    gaps.push_back(text.substr(at, end - at));
    start = at = end;
  }
  parts.push_back(text.substr(start));
  gaps.emplace_back();

  std::vector<Ids> encoded(parts.size());
  parallel_for(std::ssize(parts), 64, [&](std::int64_t i) { encoded[i] = pieces_of(parts[i]); });
  Ids ids;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    ids.insert(ids.end(), encoded[i].begin(), encoded[i].end());
    for (const char byte : gaps[i]) ids.push_back(byte_ids_[static_cast<unsigned char>(byte)]);
  }
  return ids;
}

std::string SentencePieceTokenizer::spell(std::span<const std::int32_t> ids) const {
  std::string text;
  for (const std::int32_t id : ids) text += spelt_[id];
  return text;
}

std::string SentencePieceTokenizer::decode(std::span<const std::int32_t> ids) const {
  check_ids(ids);
  if (is_lossless_) return spell(ids);
  std::string text;
  check_encoded(processor_->Decode(Ids(ids.begin(), ids.end()), &text));
  return text;
}

Ids SentencePieceTokenizer::resegment(std::span<const std::int32_t> ids, double dropout,
                                      std::uint64_t seed) const {
  KETTE_CHECK(dropout >= 0 && dropout < 1,
              "BPE-dropout: expected a probability from 0 to below 1, given ", dropout);
  KETTE_CHECK(is_bpe_, "BPE-dropout: expected a BPE model, given a unigram model (train with BPE)");
  Ids result;
  std::string text;         // the characters of the pieces
  const auto merge = [&] {  // each text between tags has its own draws
    const Ids merged = merger().encode(text, dropout, seed + result.size());
    result.insert(result.end(), merged.begin(), merged.end());
    text.clear();
  };
  for (const std::int32_t id : ids) {
    const std::string& piece = processor_->IdToPiece(id);
    if (processor_->IsControl(id)) {  // such as a tag, which is not text
      merge();
      result.push_back(id);
    } else if (id == kSpecial.unknown) {
      text += kNoCharacter;
    } else if (processor_->IsByte(id)) {
      text += static_cast<char>(std::stoi(piece.substr(3, 2), nullptr, 16));  // "<0xE4>"
    } else {
      text += piece;
    }
  }
  merge();
  return result;
}

std::optional<std::int32_t> SentencePieceTokenizer::tag_of(const std::string& language) const {
  return find_control(language_tag(language));
}

std::optional<std::int32_t> SentencePieceTokenizer::mask() const {
  return find_control(kMaskPiece);
}

std::optional<std::int32_t> SentencePieceTokenizer::find_control(const std::string& piece) const {
  const std::int32_t id = processor_->PieceToId(piece);
  if (id == kSpecial.unknown || !processor_->IsControl(id)) return std::nullopt;
  return id;
}

/// Built at the first use: most runs have no dropout.
const BpeMerger& SentencePieceTokenizer::merger() const {
  std::call_once(merger_built_, [this] {
    Ids byte_ids;
    for (int id = 0; id < processor_->GetPieceSize(); ++id) {
      if (processor_->IsByte(id)) byte_ids.push_back(id);  // they are in byte order
    }
    merger_.emplace(kSpecial.unknown, std::move(byte_ids));
    for (int id = 0; id < processor_->GetPieceSize(); ++id) {
      const bool normal =
          !processor_->IsControl(id) && !processor_->IsUnknown(id) && !processor_->IsByte(id);
      if (normal) merger_->add(processor_->IdToPiece(id), {id, processor_->GetScore(id)});
    }
  });
  return *merger_;
}

}  // namespace kette
