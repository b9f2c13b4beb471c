// Whatever a model finds likely, what comes out is a tree over the words of the sentence.
#include <doctest/doctest.h>

#include <algorithm>

#include "decode/scorer.h"
#include "decode/tree_parser.h"
#include "models/model_directory.h"
#include "tests/data/tiny_text.h"
#include "tests/data/treebank.h"
#include "tests/decode/decode_models.h"
#include "tests/toy_trees.h"

using namespace kette;
using namespace kette::testing;

namespace {

const Treebank& toy_bank() {
  static const Treebank bank = trees_in(toy_trees(100, 1));
  return bank;
}

std::unique_ptr<Transformer> random_parser(const TreeTokenizer& tokenizer, std::uint64_t seed) {
  TransformerConfig config = small_config(NormOrder::pre);
  config.vocabulary = tokenizer.vocabulary();
  config.source_vocabulary = tokenizer.source_vocabulary();
  config.count_tags = seed % 2 == 1;
  config.first_tag = tokenizer.second_positions().first;
  config.max_length = 60;
  auto model = random_model(config, seed);
  // Sure of itself, so that it repeats itself until something stops it.
  float* values = model->token_embedding().table.value().data<float>();
  for (std::int64_t i = 0; i < model->token_embedding().table.value().elements(); ++i)
    values[i] *= 4;
  return model;
}

std::string words(int count) {
  std::string line;
  for (int i = 0; i < count; ++i) line += i % 3 == 0 ? "the " : i % 3 == 1 ? "cat " : "sleeps ";
  return line;
}

/// The symbols that a constraint lets follow, the end mark as well.
Ids allowed(const Constraint::Choice& choice, const std::vector<std::vector<bool>>& masks) {
  if (choice.forced >= 0) return {choice.forced};
  CHECK(!choice.may_end);
  Ids ids;
  for (std::int32_t id = 0; id < std::ssize(masks[choice.mask]); ++id) {
    if (masks[choice.mask][id]) ids.push_back(id);
  }
  return ids;
}

}  // namespace

TEST_CASE("the constraint lets every tree be written, and no symbol that it could not go on from") {
  const TreeTokenizer::Shared tokenizer = toy_tree_tokenizer(toy_bank());
  for (const Tree& tree : toy_bank().trees) {
    const Ids ids = tokenizer->encode(linearised_line(tree), Side::target);
    const TreeConstraint constraint(tokenizer, std::ssize(words_of(tree)),
                                    std::ssize(ids));  // not one symbol more
    const auto masks = constraint.masks();
    for (std::size_t i = 0; i <= ids.size(); ++i) {
      const Ids next = allowed(constraint.after(std::span(ids).first(i)), masks);
      const std::int32_t wanted = i < ids.size() ? ids[i] : tokenizer->special().end;
      REQUIRE(std::count(next.begin(), next.end(), wanted) == 1);
    }
  }
}

TEST_CASE("a walk by chance through what is allowed ends in a tree, however little room there is") {
  const TreeTokenizer::Shared tokenizer = toy_tree_tokenizer(toy_bank());
  Random random(5);
  std::int64_t deepest = 0;
  for (int walk = 0; walk < 300; ++walk) {
    const std::int64_t count = 1 + random.below(12),
                       longest = TreeConstraint::shortest(count) +
                                 (walk % 3 == 0 ? random.below(3) : random.below(400));
    const TreeConstraint constraint(tokenizer, count, longest);
    const auto masks = constraint.masks();
    // Some love to open, some to close: ids rise from labels by closing ones to tags.
    const std::int64_t taste = random.below(3);
    Ids ids;
    for (;;) {
      const Ids next = allowed(constraint.after(ids), masks);
      REQUIRE(!next.empty());
      const std::int64_t any = random.below(std::ssize(next));
      const std::int32_t id = taste == 0 ? next.front() : taste == 1 ? next.back() : next[any];
      if (id == tokenizer->special().end) break;
      ids.push_back(id);
      REQUIRE(std::ssize(ids) <= longest);
    }
    const Tree tree = tree_of(split_words(tokenizer->decode(ids)),
                              std::vector<std::string>(static_cast<std::size_t>(count), "x"));
    std::int64_t depth = 0;
    for (const std::int32_t id : ids) {
      depth += tokenizer->opens(id) ? 1 : tokenizer->closes(id) ? -1 : 0;
      deepest = std::max(deepest, depth);
    }
    CHECK(tree_of(linearised(tree), words_of(tree)) == tree);
  }
  CHECK(deepest == TreeConstraint::kMaxOpen);
  CHECK(message_of([&] { TreeConstraint(tokenizer, 4, 5); }) ==
        "parse: expected room for the 6 symbols of the shortest tree of 4 words, given 5");
}

TEST_CASE_FIXTURE(OneThread, "models by chance write trees with the right words, at any beam") {
  const TreeTokenizer::Shared tokenizer = toy_tree_tokenizer(toy_bank());
  std::vector<std::string> lines;
  for (const int count : {1, 2, 3, 7, 19}) lines.push_back(words(count));
  lines.emplace_back("");
  lines.emplace_back(" \t ");
  lines.emplace_back("f(x) = ( \xE2\x80\x8B ) \xF0\x9F\x99\x82 the");
  lines.emplace_back("\xE2\x80\x8B");  // a space of no width, of which SentencePiece makes nothing
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const auto model = random_parser(*tokenizer, seed);
    const TreeParser parser(*model, tokenizer);
    const auto ready = model->for_decoding();
    for (const auto& [beam, kind, extra] : {std::tuple{1, BeamKind::narrowing, 300},
                                            {4, BeamKind::narrowing, 300},
                                            {3, BeamKind::full, 300},
                                            {13, BeamKind::narrowing, 2},
                                            {2, BeamKind::full, 3}}) {
      CAPTURE(seed);
      const int hypotheses = beam;
      CAPTURE(hypotheses);
      SearchOptions options = parse_options();
      options.beam = beam;
      options.kind = kind;
      options.extra_length = extra;
      const std::vector<Parse> parses = parser.parse(lines, options);
      REQUIRE(parses.size() == lines.size());
      for (std::size_t i = 0; i < lines.size(); ++i) {
        CAPTURE(lines[i]);
        if (split_words(lines[i]).empty()) {
          CHECK(parses[i].tree == Tree{});
          continue;
        }
        const Tree& tree = parses[i].tree;
        REQUIRE(!tree.is_leaf());
        CHECK(words_of(tree).size() == split_words(lines[i]).size());
        CHECK(trees_in(to_text(tree)).trees.front() == tree);
        if (kind == BeamKind::full) continue;  // which takes the last end mark for certain
        // As a pass over the whole tree has it, which counts its tags otherwise.
        const Hypothesis& found = parses[i].hypothesis;
        Ids source = tokenizer->encode(sentence_of(tree));
        if (source.empty()) source.push_back(tokenizer->special().unknown);
        const auto score = score_ids(*ready, {source}, {found.tokens}).front();
        CHECK(found.log_probability == doctest::Approx(score.log_probability).epsilon(1e-5));
      }
      CHECK(words_of(parses[7].tree).front() == "f-LRB-x-RRB-");
    }
  }
}

TEST_CASE("a tree does not depend on the sentences beside it, nor on threads") {
  const TreeTokenizer::Shared tokenizer = toy_tree_tokenizer(toy_bank());
  const auto model = random_parser(*tokenizer, 9);
  const TreeParser parser(*model, tokenizer);
  std::vector<std::string> lines;
  for (int i = 0; i < 12; ++i) lines.push_back(words(1 + i));
  SearchOptions options = parse_options();
  options.beam = 3;
  const std::vector<Parse> together = parser.parse(lines, options, {.threads = 1});
  const std::vector<Parse> apart = parser.parse(lines, options, {.batch_tokens = 30, .threads = 3});
  for (std::size_t i = 0; i < lines.size(); ++i) {
    CHECK(apart[i].tree == together[i].tree);
    CHECK(apart[i].hypothesis.log_probability == together[i].hypothesis.log_probability);
    CHECK(parser.parse({lines[i]}, options).front().tree == together[i].tree);
  }
}

TEST_CASE("a parser says what it cannot parse, and a translation model that it is none") {
  const TreeTokenizer::Shared tokenizer = toy_tree_tokenizer(toy_bank());
  const auto model = random_parser(*tokenizer, 1);
  const TreeParser parser(*model, tokenizer);
  const std::vector<std::string> lines = {"the", words(70), words(3)};
  const std::vector<Parse> parses = parser.parse(lines);
  CHECK(parses[1].tree == Tree{});
  CHECK(parses[1].fault.starts_with(
      "expected a sentence of at most 59 pieces, as many as the model has positions for, and a "
      "tree of at most 59 symbols, given "));
  CHECK(parser.fault_of(lines[1], parse_options()) == parses[1].fault);
  for (const std::size_t good : {0, 2}) {  // the others are parsed
    CHECK(parses[good].fault.empty());
    CHECK(parses[good].tree == parser.parse({lines[good]}).front().tree);
  }
  // As long as fits, of pieces, and its shortest tree does not.
  CHECK(parser.parse({words(58)}).front().fault.ends_with(" of 58 words"));
  SearchOptions options = parse_options();
  options.extra_length = 0;
  CHECK(parser.fault_of("the", options).ends_with(" of 1 words"));
  CHECK(message_of([&] { TreeParser(*model, load_tokenizer({}, "byte")); }) ==
        "parse: expected a parser, given a model with a tokenizer of the kind byte (kette train "
        "--trees makes one)");
  const SourceIds both{{5}, {6}, std::make_shared<TreeConstraint>(tokenizer, 1, 20)};
  CHECK(message_of([&] { translate_ids(*model->for_decoding(), std::vector{both}, options); }) ==
        "translate: expected a prefix or another constraint, given both");
}

TEST_CASE("a model of two vocabularies comes back from its directory") {
  const ScratchFolder folder;
  const TreeTokenizer::Shared tokenizer = toy_tree_tokenizer(toy_bank());
  const auto model = random_parser(*tokenizer, 3);
  save_description(folder.path(), model->config(), *tokenizer);
  save_parameters(folder / kModelFile, model->parameters(), {});
  const SavedModel<Transformer> saved = load_model<Transformer>(folder.path());
  CHECK(saved.model->config().source_vocabulary == 60);
  CHECK(TreeParser(*saved.model, saved.tokenizer).parse({words(5)}).front().tree ==
        TreeParser(*model, tokenizer).parse({words(5)}).front().tree);
  TransformerConfig other = model->config();
  other.source_vocabulary = 59;
  CHECK(contains(message_of([&] { other.check_tokenizer(*tokenizer, "here"); }),
                 "here: expected a tokenizer of at most 59 pieces of sources, given 60"));
}
