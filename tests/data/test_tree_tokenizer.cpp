// The tokenizer of a parser: two vocabularies, two files.
#include <doctest/doctest.h>

#include "data/corpora/batch_sampler.h"
#include "data/corpora/tree_pairs.h"
#include "tests/data/tiny_text.h"
#include "tests/data/treebank.h"
#include "tests/toy_trees.h"

namespace kette {
namespace {

using Ids = std::vector<std::int32_t>;
using testing::contains;
using testing::message_of;
using testing::ScratchFolder;
using testing::write_file;

Treebank toy_bank() { return testing::trees_in(testing::toy_trees(200, 1)); }

TEST_CASE("a tokenizer of trees has words on one side and symbols on the other") {
  const Treebank bank = toy_bank();
  const TreeTokenizer::Shared tokenizer = testing::toy_tree_tokenizer(bank);
  CHECK(tokenizer->writes() == Writes::trees);
  CHECK_FALSE(tokenizer->reads_words());  // these are cut into pieces
  SentencePieceOptions unigram;
  unigram.vocabulary = 57;
  unigram.model = SentencePieceOptions::Model::unigram;
  const TextLines lines = testing::tiny_text().source_lines();
  const auto of_pieces = std::make_shared<TreeTokenizer>(
      SentencePieceTokenizer::train(lines.views(), unigram), tokenizer->symbols(), "symbols");
  CHECK_FALSE(of_pieces->reads_words());
  CHECK(tokenizer->symbols().labels == std::set<std::string>{"NP", "PP", "S", "VP"});
  CHECK(tokenizer->vocabulary() == 4 + 2 * 4 + 5);
  CHECK(tokenizer->source_vocabulary() == 60);
  const std::string line = linearised_line(bank.trees.front());
  const Ids ids = tokenizer->encode(line, Side::target);
  CHECK(std::ssize(ids) == std::ssize(split_words(line)));
  CHECK(tokenizer->decode(ids) == line);
  CHECK(tokenizer->encode("S XX /S", Side::target)[1] == tokenizer->special().unknown);
  for (const std::int32_t id : tokenizer->encode(sentence_of(bank.trees.front()))) {
    CHECK(id < 60);
    CHECK(!tokenizer->source_piece(id).empty());
  }
  for (std::int32_t id = 0; id < tokenizer->vocabulary(); ++id) {
    const std::string symbol = tokenizer->piece(id);
    CAPTURE(symbol);
    CHECK(tokenizer->opens(id) == tokenizer->symbols().labels.contains(symbol));
    CHECK(tokenizer->is_tag(id) == tokenizer->symbols().tags.contains(symbol));
    CHECK(tokenizer->closes(id) == (id >= 4 && symbol.starts_with(kClosing)));
    if (tokenizer->opens(id)) CHECK(tokenizer->piece(tokenizer->closing(id)) == "/" + symbol);
  }
  CHECK_THROWS_AS(tokenizer->decode(Ids{17}), Error);
  CHECK_THROWS_AS(tokenizer->piece(-1), Error);
}

TEST_CASE("a tokenizer of trees comes back from its folder, and is known by it") {
  const ScratchFolder folder;
  const TreeTokenizer::Shared tokenizer = testing::toy_tree_tokenizer(toy_bank());
  tokenizer->save(folder.path());
  const SharedTokenizer again = load_tokenizer(folder.path());
  CHECK(again->kind() == "tree");
  CHECK(again->fingerprint() == tokenizer->fingerprint());
  CHECK(again->encode("the cat") == tokenizer->encode("the cat"));
  CHECK(again->encode("S NN /S", Side::target) == tokenizer->encode("S NN /S", Side::target));

  const auto refused = [&](const std::string& symbols) {
    write_file(folder / "symbols.json", symbols);
    const std::string message = message_of([&] { load_tokenizer(folder.path(), "tree"); });
    return message.substr(message.rfind('/') + 1);
  };
  CHECK(refused("[1]") ==
        "symbols.json: expected a JSON object with a list \"labels\", given none");
  CHECK(refused("{\"labels\": [\"S\"]}") ==
        "symbols.json: expected a JSON object with a list \"tags\", given none");
  CHECK(refused("{\"labels\": [\"S\", 7], \"tags\": [\"NN\"]}") ==
        "symbols.json: expected strings in \"labels\", given 7");
  CHECK(refused("{\"labels\": [\"S\", \"S\"], \"tags\": [\"NN\"]}") ==
        "symbols.json: expected every one of \"labels\" once, given \"S\" twice");
  CHECK(refused("{\"labels\": [\"S\"], \"tags\": [\"S\"]}") ==
        "symbols.json: expected labels that are no tags, too, and that close no other, given S");
  CHECK(refused("{\"labels\": [], \"tags\": [\"S\"]}") ==
        "symbols.json: expected labels and tags, given none");
  CHECK(refused("{\"labels\": [\"S T\"], \"tags\": [\"NN\"]}") ==
        "symbols.json: expected symbols without spaces and brackets, given 'S T'");
}

TEST_CASE("a tokenizer of trees takes words by two kinds alone") {
  CHECK(contains(
      message_of([] {
        TreeTokenizer(load_tokenizer({}, "byte"), {{"S"}, {"NN"}}, "here");
      }),
      "here: expected a tokenizer of the kind word or sentencepiece for words, given one of the kind "
      "byte"));
}

TEST_CASE("trees become pairs of words and symbols; BPE-dropout leaves the symbols alone") {
  const ScratchFolder folder;
  write_file(folder / "trees", testing::toy_trees(50, 2) + "\n( (S (NP (DT the)\n (NN cat))))\n");
  const Treebank bank = cleaned(read_trees(folder / "trees"));
  const TreeTokenizer::Shared tokenizer = testing::toy_tree_tokenizer(bank);
  FilterOptions filters;
  filters.max_length = 24;
  for (int time = 0; time < 2; ++time) {  // from the text, then from the file of ids
    const ParallelCorpus corpus =
        pairs_of_trees(folder / "trees", tokenizer, filters, folder / "ids");
    CHECK(corpus.report().read == 51);
    CHECK(corpus.size() < 51);
    CHECK(corpus.report().too_long.count == 51 - corpus.size());
    const auto last = corpus.read(corpus.size() - 1).target;
    CHECK(tokenizer->decode(last) == "S NP DT NN /NP /S");
  }
  const ParallelCorpus corpus = pairs_of_trees(bank, tokenizer);
  const auto tokens_of_epoch = [&](double dropout) {
    BatchSampler sampler(corpus, {.tokens_per_batch = 100, .bpe_dropout = dropout});
    std::pair<std::int64_t, std::int64_t> tokens;
    while (sampler.state().epoch == 0) {
      const Batch batch = sampler.next();
      tokens.first += batch.source_segments.rows();
      tokens.second += batch.target_segments.rows();
    }
    return tokens;
  };
  const auto plain = tokens_of_epoch(0), dropped = tokens_of_epoch(0.5);
  CHECK(dropped.first > plain.first + plain.first / 10);
  CHECK(dropped.second == plain.second);
  filters.max_length = 1000;
  filters.must_fit = 5;
  CHECK(contains(message_of([&] { pairs_of_trees(bank, tokenizer, filters); }),
                 "trees:1: expected at most 5 tokens"));
  filters.must_fit = 0;
  const Treebank end = testing::trees_in("\n\n" + to_text(bank.trees.back()));
  filters.must_fit = 4;
  CHECK(contains(message_of([&] { pairs_of_trees(end, tokenizer, filters); }),
                 "trees:3: expected at most 4 tokens"));
}

}  // namespace
}  // namespace kette
