// Lines of a plain or gzip file.
#include "data/text_file.h"
#include "tests/fuzz/targets.h"

namespace kette::fuzz {
namespace {

std::vector<std::string> seeds() {
  const std::string zipped(
      "\037\213\010\000\000\000\000\000\002\003\113\114\112\346\112\111\115\343\002\000\165\013\260"
      "\210\010\000\000\000",
      28);  // of "abc\ndef\n"
  return {"one\ntwo\r\nthree", "\xEF\xBB\xBFwith a mark\n\n\n",
          "m\xC3\xBCll\xE2\x80\xA8"
          "er\n",
          std::string("\xFF\xFEl\0e\0", 6), zipped};
}

void read(std::string_view input) {
  const std::string content = read_text(put("lines", input));
  const TextLines lines(content, "lines");
  std::size_t bytes = 0;
  for (const std::string_view line : lines.views()) {
    expect(line.find('\n') == std::string_view::npos, "lines without their ends");
    bytes += line.size();
  }
  expect(bytes <= content.size(), "lines of the text alone");
}

}  // namespace

const Target text_lines = {"text-lines", seeds, read};

}  // namespace kette::fuzz
