// A lexicon: what it lists for any source are pieces of the vocabulary, rising.
#include "data/corpora/lexicon.h"

#include "tests/fuzz/targets.h"

namespace kette::fuzz {
namespace {

/// Of bytes: 257 pieces, of which the last becomes two others.
std::vector<std::string> seeds() {
  std::string data(std::size_t{4} * (1 + 258 + 2), '\0');
  data[0] = 7;                 // the frequent piece
  data[data.size() - 12] = 2;  // where the last piece's end
  data[data.size() - 8] = 5;
  data[data.size() - 4] = 9;
  return {joined({R"({"__metadata__":{"kette.crc32":"00000000","tokenizer":")" +
                      load_tokenizer({}, "byte")->fingerprint() +
                      R"("},"frequent":{"dtype":"I32","shape":[1],"data_offsets":[0,4]},)"
                      R"("begins":{"dtype":"I32","shape":[258],"data_offsets":[4,1036]},)"
                      R"("best":{"dtype":"I32","shape":[2],"data_offsets":[1036,1044]}})",
                  data})};
}

void check_lists(const Lexicon& lexicon) {
  for (std::int32_t id = 0; id < lexicon.vocabulary(); ++id) {
    std::int32_t before = -1;
    for (const std::int32_t piece : lexicon.pieces_for({&id, 1})) {
      expect(piece > before && piece < lexicon.vocabulary(), "pieces of the vocabulary, rising");
      before = piece;
    }
  }
}

void read(std::string_view input) {
  const auto files = parts(input, 2);
  const SharedTokenizer tokenizer = load_tokenizer({}, "byte");
  const Lexicon lexicon =
      Lexicon::load(put(kLexiconFile, safetensors(files[0], files[1])), *tokenizer);
  check_lists(lexicon);
  must("a lexicon that can be written and read again", [&] {
    const auto copy = scratch() / "copy.safetensors";
    lexicon.save(copy, *tokenizer);
    expect(Lexicon::load(copy, *tokenizer).entries() == lexicon.entries(), "the lists written");
  });
}

}  // namespace

const Target lexicon = {"lexicon", seeds, read};

}  // namespace kette::fuzz
