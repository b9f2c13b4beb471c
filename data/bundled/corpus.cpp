#include "data/bundled/corpus.h"

#include <algorithm>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "data/bundled/marks.h"
#include "data/bundled/patterns.h"
#include "data/bundled/random.h"
#include "data/files/atomic_file.h"
#include "data/files/text_file.h"
#include "tensor/error.h"

namespace kette::bundled {
namespace {

constexpr std::size_t kShortest = 3, kLongest = 16;  // in English words

/// The first letter as a capital; the umlauts are two bytes that differ in bit 5 of the second.
void capitalise(std::string& text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first == 0xC3) {
    text[1] = static_cast<char>(static_cast<unsigned char>(text[1]) & ~0x20u);
  } else if (first >= 'a' && first <= 'z') {
    text[0] = static_cast<char>(first - 'a' + 'A');
  }
}

const Pattern& pick_pattern(Random& random) {
  std::size_t roll = random.below(1000);
  for (const Pattern& pattern : patterns()) {
    if (roll < pattern.weight) return pattern;
    roll -= pattern.weight;
  }
  fail("bundled corpus: expected pattern weights that add up to 1000");
}

enum class Split { train, valid, test, none };

/// Of all combinations 5 % belong to the test set and 3 % to the validation set. A sentence belongs
/// to the set of its combinations; with combinations of both sets it is dropped.
Split split_of(const std::vector<std::string>& combinations, std::uint64_t seed) {
  bool valid = false, test = false;
  for (const std::string& combination : combinations) {
    const std::uint64_t share = hash(combination, seed) % 100;
    test |= share < 5;
    valid |= share >= 5 && share < 8;
  }
  if (valid && test) return Split::none;
  return test ? Split::test : valid ? Split::valid : Split::train;
}

using Counts = std::unordered_map<std::string, int>;

Counts count_words(const std::vector<SentencePair>& pairs, std::string SentencePair::*side) {
  Counts counts;
  for (const SentencePair& pair : pairs) {
    for (const std::string& word : words_of(pair.*side)) ++counts[word];
  }
  return counts;
}

/// Keeps the sentences whose words are all frequent enough in training.
class Familiar {
 public:
  explicit Familiar(const std::vector<SentencePair>& train)
      : english_(count_words(train, &SentencePair::english)),
        german_(count_words(train, &SentencePair::german)) {}

  bool operator()(const SentencePair& pair) const {
    return all_seen(pair.english, english_) && all_seen(pair.german, german_);
  }

 private:
  static bool all_seen(const std::string& sentence, const Counts& counts) {
    const std::vector<std::string> words = words_of(sentence);
    return std::all_of(words.begin(), words.end(), [&](const std::string& word) {
      const auto found = counts.find(word);
      return found != counts.end() && found->second >= kSeenInTraining;
    });
  }

  Counts english_, german_;
};

/// Draws sentences; the n-th depends only on the seed and n.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : seed_(seed) {}

  /// The next sentence that differs from all earlier ones, and its set.
  std::pair<SentencePair, Split> next() {
    for (int attempts = 0; attempts < 100000; ++attempts) {
      Sampler sampler(splitmix64(seed_) + ++drawn_);
      const Draft draft = pick_pattern(sampler.random()).draft(sampler);
      SentencePair pair{finished(draft.english, draft.mark), finished(draft.german, draft.mark)};
      const std::size_t length = words_of(pair.english).size();
      if (length < kShortest || length > kLongest) continue;
      const auto [seen, fresh] = translations_.emplace(pair.english, pair.german);
      KETTE_CHECK(seen->second == pair.german, "bundled corpus: expected one translation of \"",
                  pair.english, "\", given \"", seen->second, "\" and \"", pair.german, "\"");
      if (!fresh) continue;
      pair.links = links_of(draft.english, draft.german);
      return {std::move(pair), split_of(sampler.combinations(), seed_)};
    }
    fail("bundled corpus: expected sizes that the grammar can fill (ask for fewer sentences)");
  }

 private:
  std::uint64_t seed_;
  std::uint64_t drawn_ = 0;
  std::unordered_map<std::string, std::string> translations_;
};

/// Whether a text may take the file's place: it is not there, it is empty, or it holds that text.
bool is_free_for(const std::filesystem::path& path, const std::string& text) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return true;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  return !error && (size == 0 || (size == text.size() && first_bytes(path, text.size()) == text));
}

}  // namespace

std::string finished(std::string text, char mark) {
  text = without_marks(text) + mark;
  for (const std::string doubled : {",,", ",.", ",?", ",!"}) {
    for (auto at = text.find(doubled); at != std::string::npos; at = text.find(doubled)) {
      text.erase(at, 1);
    }
  }
  capitalise(text);
  return text;
}

std::vector<std::string> words_of(const std::string& sentence) {
  std::vector<std::string> words(1);
  for (const char letter : sentence) {
    if (std::string_view(" .,?!'").find(letter) == std::string_view::npos) {
      words.back() += letter;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

Corpus generate(std::uint64_t seed, Sizes sizes) {
  Generator generator(seed);
  Corpus corpus;
  std::vector<std::pair<SentencePair, Split>> held_out;
  while (corpus.train.size() < sizes.train) {
    auto [pair, split] = generator.next();
    if (split == Split::train) {
      corpus.train.push_back(std::move(pair));
    } else {
      held_out.emplace_back(std::move(pair), split);
    }
  }
  const Familiar familiar(corpus.train);
  const auto keep = [&](const SentencePair& pair, Split split) {
    auto& set = split == Split::valid ? corpus.valid : corpus.test;
    const std::size_t size = split == Split::valid ? sizes.valid : sizes.test;
    const bool held = split == Split::valid || split == Split::test;
    if (held && set.size() < size && familiar(pair)) set.push_back(pair);
  };
  for (const auto& [pair, split] : held_out) keep(pair, split);
  for (int more = 0; corpus.valid.size() < sizes.valid || corpus.test.size() < sizes.test; ++more) {
    KETTE_CHECK(
        more < 1000000,
        "bundled corpus: expected enough training sentences to know the words of the held-out ones, given ",
        sizes.train, " (ask for more)");
    const auto [pair, split] = generator.next();
    keep(pair, split);
  }
  return corpus;
}

void write(const Corpus& corpus, const std::filesystem::path& folder, Replace replace) {
  std::vector<std::pair<std::filesystem::path, std::string>> files;
  const auto add_side = [&](const std::string& name, const std::vector<SentencePair>& pairs,
                            std::string SentencePair::*side) {
    std::string text;
    for (const SentencePair& pair : pairs) text += pair.*side + '\n';
    files.emplace_back(folder / name, std::move(text));
  };
  const auto add_set = [&](const std::string& name, const std::vector<SentencePair>& pairs) {
    add_side(name + ".en", pairs, &SentencePair::english);
    add_side(name + ".de", pairs, &SentencePair::german);
  };
  add_set("train", corpus.train);
  add_set("valid", corpus.valid);
  add_set("test", corpus.test);
  // All are looked at before one is written.
  for (const auto& [path, text] : files) {
    KETTE_CHECK(replace == Replace::all || is_free_for(path, text), path.string(),
                ": expected a new file or this corpus, given other text (move it away, choose "
                "another folder, or replace it with --force)");
  }
  make_folder(folder);
  for (const auto& [path, text] : files) write_file_atomically(path, text);
}

}  // namespace kette::bundled
