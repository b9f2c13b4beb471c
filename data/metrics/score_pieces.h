// The pieces of a SentencePiece model as the words that BLEU counts: sacreBLEU's tokenizers
// flores101, flores200 and spBLEU-1K (Goyal et al. 2022, "The Flores-101 Evaluation Benchmark"),
// with the model of that name from a file.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace kette {

class ScorePieces {
 public:
  /// Throws an Error unless the file is a SentencePiece model.
  explicit ScorePieces(const std::filesystem::path& file);
  ~ScorePieces();

  /// The line's pieces, joined by spaces; unknown pieces are unchanged.
  std::u32string set_apart(std::u32string_view line) const;

 private:
  std::unique_ptr<sentencepiece::SentencePieceProcessor> processor_;
};

}  // namespace kette
