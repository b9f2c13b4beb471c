// Lines of a plain or packed file, all at once and part by part.
#include "data/files/line_reader.h"
#include "data/files/text_file.h"
#include "data/files/text_size.h"
#include "tests/fuzz/targets.h"

namespace kette::fuzz {
namespace {

std::vector<std::string> seeds() {
  // Each of "abc\ndef\n".
  const std::string gzip(
      "\037\213\010\000\000\000\000\000\002\003\113\114\112\346\112\111\115\343\002\000\165\013\260"
      "\210\010\000\000\000",
      28);
  const std::string xz(
      "\375\067\172\130\132\000\000\004\346\326\264\106\002\000\041\001\026\000\000\000\164\057\345\243\001\000\007\141\142\143\012\144\145\146\012\000\215\114\061\273\253\216\065\305\000\001\040\010\273\031\331\273\037\266\363\175\001\000\000\000\000\004\131\132",
      64);
  const std::string zstd(
      "\050\265\057\375\004\130\101\000\000\141\142\143\012\144\145\146\012\203\110\011\164", 21);
  return {"one\ntwo\r\nthree",
          "\xEF\xBB\xBFwith a mark\n\n\n",
          "m\xC3\xBCll\xE2\x80\xA8"
          "er\n",
          std::string("\xFF\xFEl\0e\0", 6),
          gzip,
          xz,
          zstd,
          zstd + std::string("\x50\x2a\x4d\x18\0\0\0\0", 8) + zstd};
}

void read(std::string_view input) {
  const auto file = put("lines", input);
  if (text_size(file).bytes > 1 << 24) return;  // few bytes may hold very many
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
