// Fuzzers of everything that reads bytes, in one program on libFuzzer: a target is a reader, seeds
// that it accepts, and a function that reads an input and uses what came of it. An Error is the right
// answer to a bad input. Whatever else is thrown, a report of a sanitizer, too much memory or time,
// or a broken expectation ends the process, and libFuzzer keeps the input.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "nn/param_store.h"
#include "tensor/error.h"

namespace kette::fuzz {

struct Target {
  const char* name;
  std::vector<std::string> (*seeds)();
  void (*read)(std::string_view input);
};

/// In the order of the table that scripts/torture.sh prints.
const std::vector<const Target*>& targets();

/// Ends the process unless the condition holds.
void expect(bool condition, const char* what);
/// Ends the process if the action throws an Error: what was accepted must be of use.
template <class Action>
void must(const char* what, const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    expect(false, (std::string(what) + ", given " + error.what()).c_str());
  }
}
void expect_finite(const ParamStore& parameters);

/// A folder in memory, where there is such a file system; gone at the end.
const std::filesystem::path& scratch();
/// Puts a file there. Folders in its name are made.
std::filesystem::path put(const std::string& name, std::string_view content);

/// Several files or settings in one input, between marks that mutations rarely hit. Missing ones are
/// empty.
std::vector<std::string_view> parts(std::string_view input, std::size_t count);
std::string joined(std::initializer_list<std::string_view> parts);

/// A safetensors file of a header's JSON and data that is repeated up to the length that the header
/// asks for; a checksum in it is made right. So mutations get past length and checksum.
std::string safetensors(std::string_view header, std::string_view data);
/// The JSON of a file's header, for seeds.
std::string header_of(const std::filesystem::path& file);

/// Of tests/fixtures.
std::string fixture(const std::string& name);

}  // namespace kette::fuzz
