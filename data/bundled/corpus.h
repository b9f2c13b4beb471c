// The bundled English-German corpus: sentences from our own grammar, so that a first translator can
// be trained without a download. The split is compositional: whole combinations of verb and noun or
// adjective and noun are held out ("repair+clock"), so valid and test combine known words in ways
// that training never shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace kette::bundled {

/// Two words that translate each other: their indices among the words between spaces. sure: a sure
/// link, else a possible one (Och and Ney 2003, "A Systematic Comparison of Various Statistical
/// Alignment Models").
struct WordLink {
  int english, german;
  bool sure;
};

struct SentencePair {
  std::string english, german;
  std::vector<WordLink> links{};
};

struct Corpus {
  std::vector<SentencePair> train, valid, test;
};

struct Sizes {
  std::size_t train = 20000, valid = 500, test = 1000;
};

/// The same corpus for the same seed and sizes on every platform. Every English sentence occurs
/// once; every word of valid and test occurs at least kSeenInTraining times in train.
Corpus generate(std::uint64_t seed = 2017, Sizes sizes = {});

inline constexpr int kSeenInTraining = 8;

/// What write() replaces: nothing but the same text and empty files, or all files of these names.
enum class Replace { same, all };

/// Writes train.en, train.de, valid.en ... into the folder, one sentence a line, UTF-8, LF. An Error
/// names a file that is not to be replaced; then none is written.
void write(const Corpus& corpus, const std::filesystem::path& folder,
           Replace replace = Replace::same);

/// Adds the capital and the final mark and removes the marks of marks.h. The comma at the end of a
/// relative clause is dropped before another punctuation mark.
std::string finished(std::string text, char mark);

/// The words of a sentence without punctuation; "neighbor's" gives neighbor and s.
std::vector<std::string> words_of(const std::string& sentence);

}  // namespace kette::bundled
