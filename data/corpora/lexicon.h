// Which target pieces a translation is likely to have, by the pieces of its source: of each the best
// by IBM Model 1 (data/corpora/ibm_model1.h), and for every source those most frequent in the training
// data. So a search need not look at the whole vocabulary (Jean et al. 2015, "On Using Very Large Target
// Vocabulary for Neural Machine Translation", section 3.2; Marian and CTranslate2 call it a shortlist).
// The lexicon of a model lies in its directory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "data/corpora/ibm_model1.h"
#include "data/tokenizers/tokenizer.h"

namespace kette {

/// Beside model.safetensors.
inline constexpr const char* kLexiconFile = "lexicon.safetensors";

struct LexiconOptions {
  std::int64_t best = 100;      ///< target pieces of each source piece
  std::int64_t frequent = 100;  ///< target pieces of every source
  Model1Options model;

  void check() const;
};

class Lexicon {
 public:
  /// Of pairs of ids below `vocabulary`, which is the same for both sides.
  static Lexicon of(const TokenLists& source, const TokenLists& target, std::int64_t vocabulary,
                    const LexiconOptions& options = {}, const Model1Progress& progress = {});
  /// An Error with what to do unless there is one in this file, sound, of this tokenizer and not of another training run:
  /// both directions of a pair of languages may have one tokenizer. run: "" if it is not known.
  static Lexicon load(const std::filesystem::path& file, const Tokenizer& tokenizer,
                      const std::string& run = {});
  void save(const std::filesystem::path& file, const Tokenizer& tokenizer) const;
  /// The run of the model that it is for.
  void set_run(const std::string& run) { run_ = run; }

  /// What translations of these source tokens may have, rising: the pieces of each, those of every
  /// source, and the source's own, which names keep. No marks, for no text has any.
  std::vector<std::int32_t> pieces_for(std::span<const std::int32_t> source) const;
  std::int64_t vocabulary() const { return std::ssize(begins_) - 1; }
  /// Pieces of source pieces in all.
  std::int64_t entries() const { return std::ssize(best_); }

 private:
  void check(const std::string& file) const;

  std::string run_;
  std::vector<std::int32_t> frequent_, best_;
  std::vector<std::int32_t> begins_;  // of each source piece in best_, and where the last one's end
};

/// Into another model's directory, of the same tokenizer, if there is one.
void copy_lexicon(const std::filesystem::path& from_model, const std::filesystem::path& to_model,
                  const Tokenizer& tokenizer);

}  // namespace kette
