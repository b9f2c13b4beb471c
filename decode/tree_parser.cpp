#include "decode/tree_parser.h"

#include "decode/search_limits.h"

namespace kette {
namespace {

/// Words as written in trees, where brackets have another meaning.
std::vector<std::string> tree_words(std::string_view line) {
  std::string text;
  for (const char c : line) {
    if (c == '(') {
      text += "-LRB-";
    } else if (c == ')') {
      text += "-RRB-";
    } else {
      text += c;
    }
  }
  return split_words(text);
}

}  // namespace

SearchOptions parse_options() {
  SearchOptions options;
  options.beam = 21;
  options.length_penalty = parse_length_penalty("gnmt:0.3");
  options.extra_length = 300;
  return options;
}

TreeTokenizer::Shared tree_tokenizer_of(const SharedTokenizer& tokenizer,
                                        const std::string& where) {
  TreeTokenizer::Shared of_trees = std::dynamic_pointer_cast<const TreeTokenizer>(tokenizer);
  KETTE_CHECK(of_trees != nullptr, where,
              ": expected a parser, given a model with a tokenizer of the kind ", tokenizer->kind(),
              " (kette train --trees makes one)");
  return of_trees;
}

TreeSource tree_source(const Ensemble& model, const TreeTokenizer& tokenizer,
                       const std::string& line, const SearchOptions& options) {
  TreeSource source{tree_words(line), {}};
  if (source.words.empty()) return source;
  std::string text;
  for (const std::string& word : source.words) text += (text.empty() ? "" : " ") + word;
  source.ids = tokenizer.encode(text);
  if (source.ids.empty())
    source.ids.push_back(tokenizer.special().unknown);  // words of characters for nothing
  const auto pieces = std::ssize(source.ids), count = std::ssize(source.words),
             longest = longest_output(options, model, pieces), most = model.positions() - 1;
  source.longest = longest;
  if (pieces > most || TreeConstraint::shortest(count) > longest) {
    source.fault = "expected a sentence of at most " + std::to_string(most) +
                   " pieces, as many as the model has positions for, and a tree of at most " +
                   std::to_string(longest) + " symbols, given " + std::to_string(pieces) +
                   " pieces of " + std::to_string(count) + " words";
  }
  return source;
}

TreeParser::TreeParser(const Ensemble& model, const SharedTokenizer& tokenizer,
                       const DecodingTypes& types)
    : tokenizer_(tree_tokenizer_of(tokenizer, "parse")), model_(model.for_decoding(types)) {
  KETTE_CHECK(tokenizer->vocabulary() == model.vocabulary(), "parse: expected a tokenizer of ",
              model.vocabulary(), " symbols, the model's vocabulary, given one of ",
              tokenizer->vocabulary());
}

std::vector<Parse> TreeParser::parse(const std::vector<std::string>& lines,
                                     const SearchOptions& options, const WorkOptions& work,
                                     const SentenceProgress& progress) const {
  std::vector<Parse> parses(lines.size());
  std::vector<std::vector<std::string>> words;
  std::vector<SourceIds> sources;
  std::vector<std::size_t> places;  // of the lines that are parsed
  for (std::size_t i = 0; i < lines.size(); ++i) {
    TreeSource source = tree_source(model_, *tokenizer_, lines[i], options);
    parses[i].fault = std::move(source.fault);
    if (source.words.empty() || !parses[i].fault.empty()) continue;
    sources.push_back({.ids = std::move(source.ids),
                       .constraint = std::make_shared<TreeConstraint>(
                           tokenizer_, std::ssize(source.words), source.longest)});
    words.push_back(std::move(source.words));
    places.push_back(i);
  }
  std::vector<std::vector<Hypothesis>> found =
      translate_ids(model_, sources, options, work, progress);
  for (std::size_t i = 0; i < found.size(); ++i) {
    Hypothesis& best = found[i].front();
    const std::vector<std::string> symbols = split_words(tokenizer_->decode(best.tokens));
    parses[places[i]] = {tree_of(symbols, words[i]), std::move(best)};
  }
  return parses;
}

std::string TreeParser::fault_of(const std::string& line, const SearchOptions& options) const {
  return tree_source(model_, *tokenizer_, line, options).fault;
}

}  // namespace kette
