#include "data/metrics/score_pieces.h"

#include <vector>

#include "data/files/text_file.h"
#include "data/files/unicode.h"
#include "data/tokenizers/sentencepiece_model.h"

namespace kette {

ScorePieces::ScorePieces(const std::filesystem::path& file)
    : processor_(std::make_unique<sentencepiece::SentencePieceProcessor>()) {
  load_sentencepiece(read_text(file), file.string(), *processor_);
}

ScorePieces::~ScorePieces() = default;

std::u32string ScorePieces::set_apart(std::u32string_view line) const {
  std::vector<std::string> pieces;
  check_encoded(processor_->Encode(encode_utf8(line), &pieces));
  std::u32string apart;
  for (const std::string& piece : pieces) apart.append(decode_utf8(piece)).push_back(U' ');
  return apart;
}

}  // namespace kette
