// Pairs in two columns of a table: what has as many lines as it should is prepared, filtered or not, and what is left is
// a corpus of no more pairs than lines.
#include <charconv>

#include "data/corpora/prepared_pairs.h"
#include "tests/fuzz/targets.h"
#include "tests/fuzz/tiny_models.h"

namespace kette::fuzz {
namespace {

std::vector<std::string> seeds() {
  return {joined({"0", "1", "a girl sees it\tit sees a girl\nit\tit\n"}),
          joined({"3", "1", "x\ty\tz\r\n\t\t\na\tb\tc\td"}),
          joined({"2", "2", "\xEF\xBB\xBF\t\xFF\n"})};
}

std::int64_t column(std::string_view text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return 1 + ((number % 5) + 5) % 5;
}

void read(std::string_view input) {
  static const SharedTokenizer tokenizer = tiny_tokenizer();
  const auto given = parts(input, 3);
  const std::filesystem::path table = put("table.tsv", given[2]);
  const ParallelText text{{table, column(given[0])}, {table, column(given[1])}};
  const std::int64_t lines = check_pairing(text);
  for (const bool filters : {false, true}) {
    const std::filesystem::path folder = scratch() / "prepared";
    std::filesystem::remove_all(folder);
    std::filesystem::create_directory(folder);
    PrepareOptions options;
    if (filters) options.filters.odd = {{Oddity::duplicate, Oddity::equal, Oddity::encoding}};
    prepare_pairs(folder, {text}, tokenizer, options).save(folder);
    // An Error where the filters leave no pair.
    expect(prepared_corpus(folder, tokenizer).size() <= lines, "no more pairs than lines");
  }
}

}  // namespace

const Target parallel_table = {"parallel-table", seeds, read};

}  // namespace kette::fuzz
