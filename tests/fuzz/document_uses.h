// What every reader of documents must keep to, whatever it accepts: blocks are whole, and a document with its own blocks
// is byte for byte what was read; other texts can be written as well.
#pragma once

#include <string>

#include "tests/data/document_doubles.h"
#include "tests/fuzz/fuzz.h"

namespace kette::fuzz {

inline void use(const Document& document, std::string_view bytes) {
  const std::string fault = testing::fault_of(document);
  expect(fault.empty(), fault.c_str());
  expect(document.with(document.blocks()) == bytes, "the bytes that were read");
  must("other texts", [&] { document.with(testing::inverse(document.blocks())); });
}

}  // namespace kette::fuzz
