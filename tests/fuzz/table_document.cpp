// Tables come back byte for byte; the first part of an input chooses columns and a header.
#include "data/documents/table_document.h"

#include "tensor/error.h"
#include "tests/fuzz/document_uses.h"
#include "tests/fuzz/targets.h"

namespace kette::fuzz {
namespace {

std::vector<std::string> seeds() {
  return {joined({"", "id\ttext\n1\tA text.\n2\tSee http://x.y now\n"}),
          joined({"", "id,text\r\n1,\"One, \"\"two\"\"\n\nthree.\"\r\n2, see http://x.y\n"}),
          joined({"h\x02", "id\ttext\r\n1\tone\r\n\r\n2\ttwo\tthree"})};
}

void read(std::string_view input) {
  const auto given = parts(input, 2);
  TableOptions options;
  for (const char sign : given[0].substr(0, 8)) {
    if (sign == 'h') {
      options.header = true;
    } else {
      options.columns.push_back(static_cast<unsigned char>(sign));
    }
  }
  try {
    use(*read_csv(std::string(given[1]), "fuzz", options), given[1]);
  } catch (const Error&) {  // a table of tabs may be none of commas
  }
  use(*read_tsv(std::string(given[1]), "fuzz", options), given[1]);
}

}  // namespace

const Target table_document = {"table_document", seeds, read};

}  // namespace kette::fuzz
