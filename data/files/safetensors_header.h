// The JSON header of a safetensors file (github.com/huggingface/safetensors, "Format"): for each
// tensor its dtype, shape and data_offsets [begin, end), relative to the end of the header, and
// under __metadata__ strings by name. The tensors must cover the data exactly: no hole, no overlap,
// no trailing byte. Otherwise all that the format's own library accepts is accepted, such as
// further keys of a tensor, which are ignored, except duplicate names.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/shape.h"

namespace kette::safetensors {

/// Bits per element of a type, by its name in the format; 0 for an unknown name.
std::uint64_t element_bits(std::string_view dtype);

struct Entry {
  std::string name;
  std::string dtype;  ///< as in the file: "F32", "BF16", ...
  Shape shape;
  std::uint64_t begin = 0, end = 0;
};

struct Header {
  std::vector<Entry> entries;  ///< in the order of the data
  std::map<std::string, std::string> metadata;
};

/// Throws an Error with the file's name unless text is a valid header for data_bytes of data.
Header parse_header(const std::string& file, std::string_view text, std::uint64_t data_bytes);

/// The reverse. Offsets follow from the shapes, in the order of the entries.
std::string format_header(const std::string& file, const Header& header);

}  // namespace kette::safetensors
