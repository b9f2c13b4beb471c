// The bundled English-German corpus: sentences from a grammar of our own, so that a first
// translator can be trained with no download. The split is compositional: whole combinations of
// verb and noun or adjective and noun are held out ("repair+clock"), so valid and test put known
// words together in ways that training never shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace kette::bundled {

/// Two words that translate each other, by their places among what stands between spaces. Sure, or one of several
/// that do so together (Och and Ney 2003, "A Systematic Comparison of Various Statistical Alignment Models").
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

/// Writes train.en, train.de, valid.en ... into the folder, one sentence a line, UTF-8, LF.
void write(const Corpus& corpus, const std::filesystem::path& folder);

/// A sentence with its capital and its final mark, without the marks of marks.h. A relative clause ends in a comma,
/// which gives way to whatever mark follows it.
std::string finished(std::string text, char mark);

/// The words of a sentence without its marks; "neighbor's" counts as neighbor and s.
std::vector<std::string> words_of(const std::string& sentence);

}  // namespace kette::bundled
