// A clean corpus, made by the bundled grammar, with odd pairs in known lines.
#pragma once

#include <string>
#include <vector>

#include "data/bundled/corpus.h"
#include "tests/support.h"

namespace kette::testing {

struct PlantedPair {
  std::size_t line;  ///< from 1 on
  std::string source, target;
};

inline std::vector<bundled::SentencePair> clean_pairs() {
  static const std::vector<bundled::SentencePair> pairs = [] {
    bundled::Corpus corpus = bundled::generate();
    corpus.train.resize(1000);
    return corpus.train;
  }();
  return pairs;
}

inline void write_pairs(const std::filesystem::path& folder, const std::string& name,
                        const std::vector<bundled::SentencePair>& pairs,
                        const std::vector<PlantedPair>& planted = {}) {
  std::vector<bundled::SentencePair> all = pairs;
  for (const PlantedPair& one : planted) all[one.line - 1] = {one.source, one.target};
  std::string source, target;
  for (const bundled::SentencePair& pair : all) {
    source += pair.english + "\n";
    target += pair.german + "\n";
  }
  write_file(folder / (name + ".en"), source);
  write_file(folder / (name + ".de"), target);
}

/// train.en, train.de and 60 pairs as valid.en and valid.de, without anything odd.
inline void write_clean(const std::filesystem::path& folder) {
  const auto pairs = clean_pairs();
  write_pairs(folder, "train", {pairs.begin(), pairs.begin() + 900});
  write_pairs(folder, "valid", {pairs.begin() + 900, pairs.begin() + 960});
}

/// The same with odd pairs. In train: 12 duplicates (101 to 112, of 1 to 12), empty (121 to 123), equal (131, 132),
/// swapped (141 to 144), in another language (151 to 153), of odd ratio (161), with characters that normalisation changes
/// (171, 172), markup (181 to 183), broken encoding (191 to 194), tokenised (201, 202), lower-cased (211), with a
/// character that no other line has (221). In valid: pairs 5 to 7 are in train at 20 to 22, exactly, normalised, and by
/// their source.
inline void write_planted(const std::filesystem::path& folder) {
  const auto pairs = clean_pairs();
  const auto& english = "The dog is in the garden with the child of house ";
  const auto& german = "Der Hund ist mit dem Kind von Haus ";
  std::vector<PlantedPair> train = {
      {121, "The dog sleeps.", ""},
      {122, "The cat sleeps.", " \t"},
      {123, "\xC2\xA0", "Der Hund sleeps."},
      {131, "The train leaves at five.", "The train leaves at five."},
      {132, "New York", "New York"},
      {151, "The cat is in the house and it is asleep.", "Le chat est dans la maison et il dort."},
      {152, "The cat is on the roof of the house.", "The cat is not on the roof of the house."},
      {153, "\xD0\x9A\xD0\xBE\xD1\x88\xD0\xBA\xD0\xB0 \xD1\x81\xD0\xBF\xD0\xB8\xD1\x82.",
       "Die Katze ist in dem Haus."},
      {161, "This sentence is a good deal longer than what stands beside it.", "Ja."},
      {171, "It costs 5\xC2\xA0pounds.", "Es kostet 5 Pfund."},
      {172, "Well, perhaps.", "Nun ja\xE2\x80\xA6"},
      {181, "The <b>red</b> house.", "Das <b>rote</b> Haus."},
      {182, "Salt &amp; pepper.", "Salz und Pfeffer."},
      {183, "Read it.", "Lies <a href=\"x\">es</a>."},
      {191, "It is nice.", "Es ist sch\xC3\x83\xC2\xB6n."},
      {192, "It was nice.", "Es war sch\xF6n."},
      {193, "It will be nice.", "Es wird sch\xEF\xBF\xBDn."},
      {194, "It\xC3\xA2\xE2\x82\xAC\xE2\x84\xA2s mine.", "Es ist meins."},
      {201, "The dog sleeps .",
       "Der Hund schl\xC3\xA4"
       "ft ."},
      {202, "Yes , it does.", "Ja, das tut er."},
      {211, "The dog barks.", "der hund bellt."},
      {221, "It snows.", "Es schneit \xE2\x98\x83."}};
  for (std::size_t i = 0; i < 12; ++i)
    train.push_back({101 + i, pairs[i].english, pairs[i].german});
  for (std::size_t i = 0; i < 4; ++i) {
    const std::string number = std::to_string(i) + ".";
    train.push_back({141 + i, german + number, english + number});
  }
  write_pairs(folder, "train", {pairs.begin(), pairs.begin() + 900}, train);
  const auto shouted = [](std::string text) {
    text.pop_back();
    for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    return text + " !";
  };
  write_pairs(folder, "valid", {pairs.begin() + 900, pairs.begin() + 960},
              {{5, pairs[19].english, pairs[19].german},
               {6, shouted(pairs[20].english), shouted(pairs[20].german)},
               {7, pairs[21].english, "Das ist etwas anderes."}});
}

}  // namespace kette::testing
