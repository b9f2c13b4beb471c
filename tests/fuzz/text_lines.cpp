// Lines of a plain or gzip file, all at once and part by part.
#include "data/files/line_reader.h"
#include "data/files/text_file.h"
#include "data/files/text_size.h"
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
  const auto file = put("lines", input);
  const std::string content = read_text(file);
  const TextLines lines(content, "lines");
  std::size_t bytes = 0;
  for (const std::string_view line : lines.views()) {
    expect(line.find('\n') == std::string_view::npos, "lines without their ends");
    bytes += line.size();
  }
  expect(bytes <= content.size(), "lines of the text alone");
  expect(text_size(file).lines == lines.size() || content == "\xEF\xBB\xBF", "a count of them");
  must("the same lines part by part", [&] {
    if (lines.empty()) return;
    LineReader reader(file);
    std::int64_t at = 0;
    for (std::vector<std::string> part; part = reader.next(3, 5), !part.empty();) {
      for (const std::string& line : part) expect(line == lines[at++], "the line at this place");
    }
    expect(at == lines.size(), "all lines");
  });
}

}  // namespace

const Target text_lines = {"text-lines", seeds, read};

}  // namespace kette::fuzz
