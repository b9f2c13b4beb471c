#include "data/metrics/parse_score.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "tensor/error.h"

namespace kette {
namespace {

constexpr std::string_view kEmptyTag = "-NONE-";

struct Bracket {
  std::string_view label;
  std::int64_t begin = 0, end = 0;

  bool crosses(const Bracket& other) const {
    return (other.begin < begin && begin < other.end && other.end < end) ||
           (begin < other.begin && other.begin < end && end < other.end);
  }
};

/// The words that count, with their tags, and the brackets in opening order.
struct Scored {
  /// A quotation mark and its actual or possible place.
  struct Quote {
    const Tree* leaf;
    bool is_kept;
    std::size_t word, bracket;        ///< the next ones
    std::vector<std::size_t> around;  ///< brackets
  };
  std::vector<std::pair<std::string_view, std::string_view>> leaves;  // word, tag
  std::vector<Bracket> brackets;
  std::vector<Quote> quotes;
};

std::vector<const Tree*> leaves_of(const Tree& tree) {
  std::vector<const Tree*> leaves;
  each_leaf(tree, [&](const Tree& leaf) { leaves.push_back(&leaf); });
  return leaves;
}

std::vector<bool> kept_by_tags(const std::vector<const Tree*>& leaves,
                               const BracketParameters& parameters) {
  std::vector<bool> kept;
  for (const Tree* leaf : leaves) kept.push_back(!parameters.deleted.contains(leaf->label));
  return kept;
}

/// The words of test that gold keeps, ignoring empty elements; by test's own tags if the numbers of
/// words differ.
std::vector<bool> kept_by_gold(const std::vector<const Tree*>& gold,
                               const std::vector<const Tree*>& test,
                               const BracketParameters& parameters) {
  std::vector<bool> of_words, kept;
  for (const Tree* leaf : gold) {
    if (leaf->label != kEmptyTag) of_words.push_back(!parameters.deleted.contains(leaf->label));
  }
  std::size_t word = 0;
  for (const Tree* leaf : test) {
    const bool is_word = leaf->label != kEmptyTag;
    kept.push_back(is_word && word < of_words.size() && of_words[word]);
    word += is_word ? 1 : 0;
  }
  return word == of_words.size() ? kept : kept_by_tags(test, parameters);
}

/// Collects the words and brackets of a tree.
class Collector {
 public:
  /// kept: a value for each leaf.
  Collector(const BracketParameters& parameters, const std::vector<bool>& kept)
      : parameters_(parameters), kept_(kept) {}

  /// roots: outer brackets that do not count.
  void add(const Tree& tree, std::size_t roots) {
    if (tree.is_leaf()) {
      add_leaf(tree);
      return;
    }
    const std::size_t place = scored_.brackets.size();
    if (roots == 0) {
      const std::string_view label = tree.label;
      scored_.brackets.push_back({label.substr(0, label.find_first_of("-=")), next_word(), 0});
      open_.push_back(place);
    }
    for (const Tree& child : tree.children) add(child, roots > 0 ? roots - 1 : 0);
    if (roots > 0) return;
    scored_.brackets[place].end = next_word();
    open_.pop_back();
  }
  Scored take() { return std::move(scored_); }

 private:
  std::int64_t next_word() const { return std::ssize(scored_.leaves); }

  void add_leaf(const Tree& leaf) {
    const bool is_kept = kept_[next_leaf_++];
    const bool is_mark = leaf.word == "'" || leaf.word == "\"" || leaf.word == "/";
    if (is_mark && parameters_.quotes.contains(leaf.label)) {
      scored_.quotes.push_back(
          {&leaf, is_kept, scored_.leaves.size(), scored_.brackets.size(), open_});
    }
    if (is_kept) scored_.leaves.emplace_back(leaf.word, leaf.label);
  }

  const BracketParameters& parameters_;
  const std::vector<bool>& kept_;
  std::size_t next_leaf_ = 0;
  std::vector<std::size_t> open_;
  Scored scored_;
};

Scored scored(const Tree& tree, const std::vector<bool>& kept,
              const BracketParameters& parameters) {
  Collector collector(parameters, kept);
  collector.add(tree, parameters.counts_roots ? 0 : roots_of(tree));
  return collector.take();
}

void put_back(Scored& scored, std::size_t number) {
  const Scored::Quote quote = scored.quotes[number];
  scored.leaves.insert(scored.leaves.begin() + static_cast<std::ptrdiff_t>(quote.word),
                       {quote.leaf->word, quote.leaf->label});
  for (std::size_t i = quote.bracket; i < scored.brackets.size(); ++i) {
    ++scored.brackets[i].begin;
    ++scored.brackets[i].end;
  }
  for (const std::size_t i : quote.around) ++scored.brackets[i].end;
  for (std::size_t i = number; i < scored.quotes.size(); ++i) ++scored.quotes[i].word;
}

/// Restores quotation marks that only one side left out, by exactly the steps of evalb.
void put_quotes_back(Scored& gold, Scored& test) {
  for (std::size_t t = 0; t < test.quotes.size(); ++t) {
    const Scored::Quote of_test = test.quotes[t];
    for (std::size_t g = 0; g < gold.quotes.size(); ++g) {
      const Scored::Quote& of_gold = gold.quotes[g];
      if (of_gold.word != of_test.word || of_gold.leaf->label == of_test.leaf->label) continue;
      if (of_gold.is_kept == of_test.is_kept) continue;
      if (of_test.is_kept) {
        put_back(gold, g);
      } else {
        put_back(test, t);
      }
    }
  }
}

void drop_deleted(std::vector<Bracket>& brackets, const BracketParameters& parameters) {
  std::erase_if(brackets, [&](const Bracket& bracket) {
    return bracket.begin == bracket.end || parameters.is_deleted_bracket(bracket.label);
  });
}

/// Each gold bracket takes the first equal test bracket left, as in evalb: equality of labels is
/// not transitive.
std::int64_t common(const std::vector<Bracket>& gold, const std::vector<Bracket>& test,
                    const BracketParameters& parameters) {
  std::vector<bool> is_left(test.size(), true);
  std::int64_t matched = 0;
  for (const Bracket& bracket : gold) {
    for (std::size_t i = 0; i < test.size(); ++i) {
      if (!is_left[i] || test[i].begin != bracket.begin || test[i].end != bracket.end) continue;
      if (parameters.labelled && !parameters.are_same_labels(bracket.label, test[i].label)) {
        continue;
      }
      is_left[i] = false;
      ++matched;
      break;
    }
  }
  return matched;
}

/// The number of brackets of `test` that cross a bracket of `gold`.
std::int64_t crossings(const std::vector<Bracket>& gold, const std::vector<Bracket>& test) {
  return std::count_if(test.begin(), test.end(), [&](const Bracket& bracket) {
    return std::any_of(gold.begin(), gold.end(),
                       [&](const Bracket& other) { return bracket.crosses(other); });
  });
}

bool are_same_words(const Scored& gold, const Scored& test, const BracketParameters& parameters) {
  return std::equal(
      gold.leaves.begin(), gold.leaves.end(), test.leaves.begin(), test.leaves.end(),
      [&](const auto& a, const auto& b) { return parameters.are_same_words(a.first, b.first); });
}

std::int64_t same_tags(const Scored& gold, const Scored& test,
                       const BracketParameters& parameters) {
  std::int64_t same = 0;
  for (std::size_t i = 0; i < gold.leaves.size(); ++i) {
    same += parameters.are_same_labels(gold.leaves[i].second, test.leaves[i].second) ? 1 : 0;
  }
  return same;
}

double percent(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? 100 * static_cast<double>(part) / static_cast<double>(whole) : 0;
}

/// The length for the cutoff, as in evalb.
std::int64_t length_of(const Tree& tree, const BracketParameters& parameters) {
  std::int64_t length = 0;
  each_leaf(tree, [&](const Tree& leaf) {
    length += parameters.deleted_for_length.contains(leaf.label) ? 0 : 1;
  });
  return length;
}

/// Calls visit(counts, i) for each sentence.
template <class Visit>
void each_sentence(const Treebank& gold, const Treebank& test, const ParseScoreOptions& options,
                   const Visit& visit) {
  KETTE_CHECK(
      gold.trees.size() == test.trees.size(), test.name, ": expected ", gold.trees.size(),
      " trees, as many as ", gold.name, " has, given ", test.trees.size(),
      " (for a sentence without a tree write (()), or an empty line where each has a line)");
  for (std::size_t i = 0; i < gold.trees.size(); ++i) {
    KETTE_CHECK(has_words(gold.trees[i]), gold.place(i),
                ": expected a tree with words, given one without");
    visit(parse_counts(gold.trees[i], test.trees[i], options), i);
  }
}

/// limit: the words of a sentence that count.
std::string signature(const ParseScoreOptions& options, const std::string& limit) {
  return "evalb|prm:" + options.parameters.name +
         (options.parameters.counts_roots ? "|micro|" : "|roots:no|micro|") +
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

ParseCounts parse_counts(const Tree& gold, const Tree& test, const ParseScoreOptions& options) {
  const BracketParameters& parameters = options.parameters;
  const std::vector<const Tree*> gold_leaves = leaves_of(gold), test_leaves = leaves_of(test);
  ParseCounts counts;
  counts.sentences = 1;
  Scored g = scored(gold, kept_by_tags(gold_leaves, parameters), parameters),
         t = scored(test,
                    options.gold_punctuation ? kept_by_gold(gold_leaves, test_leaves, parameters)
                                             : kept_by_tags(test_leaves, parameters),
                    parameters);
  if (t.leaves.empty()) {
    counts.skipped = 1;
    return counts;
  }
  if (g.leaves.size() != t.leaves.size()) put_quotes_back(g, t);
  if (!are_same_words(g, t, parameters)) {
    counts.errors = 1;
    return counts;
  }
  drop_deleted(g.brackets, parameters);
  drop_deleted(t.brackets, parameters);
  counts.matched = common(g.brackets, t.brackets, parameters);
  counts.gold = std::ssize(g.brackets);
  counts.test = std::ssize(t.brackets);
  counts.complete = counts.matched == counts.gold && counts.matched == counts.test;
  counts.crossing = crossings(g.brackets, t.brackets);
  counts.no_crossing = counts.crossing == 0;
  counts.few_crossing = counts.crossing <= 2;
  counts.words = std::ssize(g.leaves);
  counts.correct_tags = same_tags(g, t, parameters);
  return counts;
}

ParseScore parse_score(const Treebank& gold, const Treebank& test,
                       const ParseScoreOptions& options) {
  const BracketParameters& parameters = options.parameters;
  const std::int64_t cutoff = options.cutoff > 0 ? options.cutoff : parameters.cutoff;
  ParseScoreOptions without_roots = options;
  without_roots.parameters.counts_roots = false;
  ParseScore score;
  each_sentence(gold, test, options, [&](const ParseCounts& counts, std::size_t i) {
    score.all += counts;
    if (length_of(gold.trees[i], parameters) <= cutoff) score.short_ones += counts;
    if (!parameters.counts_roots) return;
    const ParseCounts rootless = parse_counts(gold.trees[i], test.trees[i], without_roots);
    score.rootless += rootless;
    const bool has_roots = counts.gold + counts.test > rootless.gold + rootless.test;
    score.lone_roots += has_roots && counts.matched == rootless.matched ? 1 : 0;
  });
  KETTE_CHECK(!parameters.most_errors || score.all.errors <= *parameters.most_errors + 1, test.name,
              ": expected at most ", parameters.most_errors.value_or(0) + 1,
              " sentences whose words are not gold's, which MAX_ERROR ",
              parameters.most_errors.value_or(0), " of ", parameters.name, ".prm lets pass, given ",
              score.all.errors);
  score.signature = signature(options, "all");
  score.short_signature = signature(options, std::to_string(cutoff));
  return score;
}

ScoreStatistics parse_statistics(const Treebank& gold, const Treebank& test,
                                 const ParseScoreOptions& options) {
  std::vector<ScoreCounts> rows;
  each_sentence(gold, test, options, [&](const ParseCounts& counts, std::size_t /*i*/) {
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
