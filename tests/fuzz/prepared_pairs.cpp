// A folder of prepared pairs, its list and a shard: what is accepted is a corpus, whose pairs all have ids of the
// vocabulary and lengths as they are said to be.
#include "data/corpora/prepared_pairs.h"

#include "tests/fuzz/targets.h"
#include "tests/fuzz/tiny_models.h"

namespace kette::fuzz {
namespace {

const char* const kList = "pairs.json";
const char* const kShard = "text-1-00001.tokens";

const SharedTokenizer& tokenizer() {
  static const SharedTokenizer trained = tiny_tokenizer();
  return trained;
}

std::filesystem::path folder() { return put("pairs/none", "").parent_path(); }

/// Without checksums, which no mutation would get past.
std::string unchecked(std::string header) {
  for (const char* key : {"\"kette.crc32\":\"", "\"kette.crc32_of_blocks\":\""}) {
    const std::size_t at = header.find(key);
    if (at == std::string::npos) continue;
    const std::size_t end = header.find('"', at + std::string_view(key).size());
    header.erase(at, end + 2 - at);  // with the comma
  }
  return header;
}

std::string seed(const std::string& source, const std::string& target,
                 const FilterOptions& filters) {
  const std::filesystem::path made = scratch() / "made";
  std::filesystem::remove_all(made);
  std::filesystem::create_directory(made);
  PrepareOptions options;
  options.filters = filters;
  prepare_pairs(made, {{put("s.en", source), put("t.de", target)}}, tokenizer(), options)
      .save(made);
  const std::string header = header_of(made / kShard);
  const std::string shard = testing::read_file(made / kShard);
  return joined({testing::read_file(made / kList), unchecked(header),
                 std::string_view(shard).substr(sizeof(std::uint64_t) + header.size())});
}

std::vector<std::string> seeds() {
  FilterOptions filters;
  filters.max_length = 3;
  filters.max_ratio = 2;
  return {seed("a girl sees it\nit\n", "it sees a girl\nit sees\n", {}),
          seed("a girl sees it\nit\n", "it\nit sees\n", filters)};
}

void read(std::string_view input) {
  const auto files = parts(input, 3);
  const std::filesystem::path there = folder();
  put("pairs/" + std::string(kList), files[0]);
  put("pairs/" + std::string(kShard), safetensors(files[1], files[2]));
  for (const ParallelText& text : prepared_texts(there)) {
    const ParallelCorpus corpus = prepared_corpus(text, tokenizer(), 1000);
    for (std::int64_t pair = 0; pair < std::min<std::int64_t>(corpus.size(), 100); ++pair) {
      const PairIds ids = corpus.read(pair);
      const PairLengths lengths = corpus.lengths(pair);
      expect(lengths.source == std::ssize(ids.source) && lengths.target == std::ssize(ids.target),
             "lengths of the pair");
      for (const auto* side : {&ids.source, &ids.target}) {
        for (const std::int32_t id : *side) {
          expect(id >= 0 && id < tokenizer()->vocabulary(), "ids of the vocabulary");
        }
      }
    }
  }
}

}  // namespace

const Target prepared_pairs = {"prepared-pairs", seeds, read};

}  // namespace kette::fuzz
