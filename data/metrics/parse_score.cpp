#include "data/metrics/parse_score.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "tensor/error.h"

namespace kette {
namespace {

constexpr std::string_view kEmptyTag = "-NONE-";
constexpr std::array<std::string_view, 7> kDeleted = {"TOP", kEmptyTag, ",", ":", "``", "''", "."};

bool is_deleted(std::string_view label) {
  return std::find(kDeleted.begin(), kDeleted.end(), label) != kDeleted.end();
}

/// One of the labels that are the same.
std::string_view canonical(std::string_view label) { return label == "PRT" ? "ADVP" : label; }

struct Bracket {
  std::string_view label;
  std::int64_t begin = 0, end = 0;

  friend auto operator<=>(const Bracket&, const Bracket&) = default;
  bool crosses(const Bracket& other) const {
    return (other.begin < begin && begin < other.end && other.end < end) ||
           (begin < other.begin && other.begin < end && end < other.end);
  }
};

/// The words that count, with their tags, and the brackets.
struct Scored {
  std::vector<std::pair<std::string_view, std::string_view>> leaves;  // word, tag
  std::vector<Bracket> brackets;
};

std::vector<const Tree*> leaves_of(const Tree& tree) {
  std::vector<const Tree*> leaves;
  each_leaf(tree, [&](const Tree& leaf) { leaves.push_back(&leaf); });
  return leaves;
}

std::vector<bool> kept_by_tags(const std::vector<const Tree*>& leaves) {
  std::vector<bool> kept;
  for (const Tree* leaf : leaves) kept.push_back(!is_deleted(leaf->label));
  return kept;
}

/// Of test those words that gold keeps of its own, whatever empty elements are in either; by its own tags if
/// the two have not equally many words.
std::vector<bool> kept_by_gold(const std::vector<const Tree*>& gold,
                               const std::vector<const Tree*>& test) {
  std::vector<bool> of_words, kept;
  for (const Tree* leaf : gold) {
    if (leaf->label != kEmptyTag) of_words.push_back(!is_deleted(leaf->label));
  }
  std::size_t word = 0;
  for (const Tree* leaf : test) {
    const bool is_word = leaf->label != kEmptyTag;
    kept.push_back(is_word && word < of_words.size() && of_words[word]);
    word += is_word ? 1 : 0;
  }
  return word == of_words.size() ? kept : kept_by_tags(test);
}

/// kept: a value for each leaf; next: the number of the next one.
void add_brackets(const Tree& tree, const std::vector<bool>& kept, std::size_t& next,
                  Scored& scored) {
  if (tree.is_leaf()) {
    if (kept[next++]) scored.leaves.emplace_back(tree.word, tree.label);
    return;
  }
  const auto begin = std::ssize(scored.leaves);
  for (const Tree& child : tree.children) add_brackets(child, kept, next, scored);
  const auto end = std::ssize(scored.leaves);
  const std::string_view whole = tree.label, label = whole.substr(0, whole.find_first_of("-="));
  if (begin < end && !is_deleted(label)) scored.brackets.push_back({canonical(label), begin, end});
}

/// The outer bracket without a label is TOP.
Scored scored(const Tree& tree, const std::vector<bool>& kept) {
  Scored result;
  std::size_t next = 0;
  if (tree.is_leaf() || !tree.label.empty()) {
    add_brackets(tree, kept, next, result);
  } else {
    for (const Tree& child : tree.children) add_brackets(child, kept, next, result);
  }
  std::sort(result.brackets.begin(), result.brackets.end());
  return result;
}

/// Both are sorted.
std::int64_t common(const std::vector<Bracket>& a, const std::vector<Bracket>& b) {
  std::vector<Bracket> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return std::ssize(both);
}

/// Those of `test` that cross one of `gold`.
std::int64_t crossings(const std::vector<Bracket>& gold, const std::vector<Bracket>& test) {
  return std::count_if(test.begin(), test.end(), [&](const Bracket& bracket) {
    return std::any_of(gold.begin(), gold.end(),
                       [&](const Bracket& other) { return bracket.crosses(other); });
  });
}

bool same_words(const Scored& gold, const Scored& test) {
  return std::equal(gold.leaves.begin(), gold.leaves.end(), test.leaves.begin(), test.leaves.end(),
                    [](const auto& a, const auto& b) { return a.first == b.first; });
}

std::int64_t same_tags(const Scored& gold, const Scored& test) {
  std::int64_t same = 0;
  for (std::size_t i = 0; i < gold.leaves.size(); ++i) {
    same += canonical(gold.leaves[i].second) == canonical(test.leaves[i].second);
  }
  return same;
}

double percent(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? 100 * static_cast<double>(part) / static_cast<double>(whole) : 0;
}

/// In evalb's sense for the cutoff: all words but empty elements.
std::int64_t length_of(const Tree& tree) {
  std::int64_t length = 0;
  each_leaf(tree, [&](const Tree& leaf) { length += leaf.label != kEmptyTag; });
  return length;
}

/// Calls visit(counts, length) for each sentence.
template <class Visit>
void each_sentence(const Treebank& gold, const Treebank& test, const ParseScoreOptions& options,
                   const Visit& visit) {
  KETTE_CHECK(gold.trees.size() == test.trees.size(), test.name, ": expected ", gold.trees.size(),
              " trees, as many as ", gold.name, " has, given ", test.trees.size(),
              " (for a sentence without a tree write (()))");
  for (std::size_t i = 0; i < gold.trees.size(); ++i) {
    const std::int64_t length = length_of(gold.trees[i]);
    KETTE_CHECK(length > 0, gold.place(i), ": expected a tree with words, given one without");
    visit(parse_counts(gold.trees[i], test.trees[i], options.gold_punctuation), length);
  }
}

/// limit: the words of a sentence that count.
std::string signature(const ParseScoreOptions& options, const std::string& limit) {
  return std::string("evalb|prm:COLLINS|micro|") +
         (options.gold_punctuation ? "punctuation:gold|" : "") + "len<=" + limit;
}

}  // namespace

ParseCounts& ParseCounts::operator+=(const ParseCounts& more) {
  for (const auto number :
       {&ParseCounts::sentences, &ParseCounts::errors, &ParseCounts::skipped, &ParseCounts::matched,
        &ParseCounts::gold, &ParseCounts::test, &ParseCounts::complete, &ParseCounts::crossing,
        &ParseCounts::no_crossing, &ParseCounts::few_crossing, &ParseCounts::words,
        &ParseCounts::correct_tags}) {
    this->*number += more.*number;
  }
  return *this;
}

double ParseCounts::recall() const { return percent(matched, gold); }
double ParseCounts::precision() const { return percent(matched, test); }
double ParseCounts::f1() const { return percent(2 * matched, gold + test); }
double ParseCounts::complete_match() const { return percent(complete, valid()); }
double ParseCounts::mean_crossing() const { return percent(crossing, valid()) / 100; }
double ParseCounts::without_crossing() const { return percent(no_crossing, valid()); }
double ParseCounts::with_few_crossing() const { return percent(few_crossing, valid()); }
double ParseCounts::tagging_accuracy() const { return percent(correct_tags, words); }

ParseCounts parse_counts(const Tree& gold, const Tree& test, bool gold_punctuation) {
  const std::vector<const Tree*> gold_leaves = leaves_of(gold), test_leaves = leaves_of(test);
  ParseCounts counts;
  counts.sentences = 1;
  const Scored g = scored(gold, kept_by_tags(gold_leaves)),
               t = scored(test, gold_punctuation ? kept_by_gold(gold_leaves, test_leaves)
                                                 : kept_by_tags(test_leaves));
  if (t.leaves.empty()) {
    counts.skipped = 1;
    return counts;
  }
  if (!same_words(g, t)) {
    counts.errors = 1;
    return counts;
  }
  counts.matched = common(g.brackets, t.brackets);
  counts.gold = std::ssize(g.brackets);
  counts.test = std::ssize(t.brackets);
  counts.complete = counts.matched == counts.gold && counts.matched == counts.test;
  counts.crossing = crossings(g.brackets, t.brackets);
  counts.no_crossing = counts.crossing == 0;
  counts.few_crossing = counts.crossing <= 2;
  counts.words = std::ssize(g.leaves);
  counts.correct_tags = same_tags(g, t);
  return counts;
}

ParseScore parse_score(const Treebank& gold, const Treebank& test,
                       const ParseScoreOptions& options) {
  KETTE_CHECK(options.cutoff > 0, "cutoff: expected at least 1 word, given ", options.cutoff);
  ParseScore score;
  each_sentence(gold, test, options, [&](const ParseCounts& counts, std::int64_t length) {
    score.all += counts;
    if (length <= options.cutoff) score.short_ones += counts;
  });
  score.signature = signature(options, "all");
  score.short_signature = signature(options, std::to_string(options.cutoff));
  return score;
}

ScoreStatistics parse_statistics(const Treebank& gold, const Treebank& test,
                                 const ParseScoreOptions& options) {
  std::vector<ScoreCounts> rows;
  each_sentence(gold, test, options, [&](const ParseCounts& counts, std::int64_t /*length*/) {
    rows.push_back({counts.matched, counts.gold, counts.test});
  });
  const auto f1 = [](const ScoreCounts& sum) {
    ParseCounts counts;
    counts.matched = sum[0];
    counts.gold = sum[1];
    counts.test = sum[2];
    return counts.f1();
  };
  return {{"F1", signature(options, "all"), {}, f1}, rows};
}

}  // namespace kette
