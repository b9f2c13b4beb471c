// Tokenizers and texts in Python.
#pragma once

#include <string>

#include "data/tokenizers/tokenizer.h"
#include "python/src/bindings.h"

namespace kette::python {

/// kette.Tokenizer.
struct PythonTokenizer {
  SharedTokenizer shared;
};

/// As a str. Bytes that are no UTF-8, as of half a character, become U+FFFD.
nb::str text_of(const std::string& bytes);

/// The bytes of a str in UTF-8; a UnicodeEncodeError for half a surrogate pair.
std::string bytes_of(nb::handle text);

/// A whole number of Python as an id; an Error for one of more than 32 bits.
std::int32_t id_of(nb::handle value);

/// The ids of a text, or those of a sequence of ids.
std::vector<std::int32_t> ids_of(const nb::object& text, const Tokenizer* tokenizer,
                                 Side side = Side::source);

}  // namespace kette::python
