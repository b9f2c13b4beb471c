// The JSON header alone, with as much data as it asks for.
#include "data/files/safetensors_header.h"

#include "data/files/safetensors.h"
#include "tests/fuzz/targets.h"

namespace kette::fuzz {
namespace {

std::vector<std::string> seeds() {
  return {
      R"({"a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}})",
      R"({"__metadata__":{"format":"pt"},"b":{"dtype":"U8","shape":[],"data_offsets":[4,5]},)"
      R"("a":{"dtype":"I32","shape":[1],"data_offsets":[0,4]}})",
      R"( {"__metadata__":null,"x":{"dtype":"F4","shape":[2],"data_offsets":[0,1],"more":[{"a":[]}]}})",
      "{}  "};
}

void read(std::string_view input) {
  const std::string file = kette::fuzz::safetensors(input, "\x01");
  const std::uint64_t data_bytes = file.size() - sizeof(std::uint64_t) - input.size();
  const safetensors::Header header = safetensors::parse_header("input", input, data_bytes);
  must("a header that can be written and read again", [&] {
    const std::string text = safetensors::format_header("output", header);
    const safetensors::Header again = safetensors::parse_header("output", text, data_bytes);
    expect(safetensors::format_header("again", again) == text, "the header that was written");
  });
}

}  // namespace

const Target safetensors_header = {"safetensors-header", seeds, read};

}  // namespace kette::fuzz
