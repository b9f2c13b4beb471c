// For tests of readers of documents: blocks in a form that is easy to compare, and what every document keeps to.
#pragma once

#include <algorithm>
#include <ctime>
#include <string>
#include <vector>

#include "tests/data/document_doubles.h"

namespace kette::testing {

/// Its blocks, each with the bytes of its marks in braces.
inline std::vector<std::string> shown_blocks(const Document& document) {
  std::vector<std::string> all;
  for (const TextBlock& block : document.blocks()) all.push_back(shown(block));
  return all;
}

/// The document with one block's text in the place of all of it, without marks.
inline std::string with_text(const Document& document, std::size_t index, const std::string& text) {
  std::vector<TextBlock> blocks = document.blocks();
  blocks[index] = TextBlock{text};
  return document.with(blocks);
}

/// What is wrong after one pass unchanged, and two of the stand-in that is its own inverse.
template <class Read>
std::string faults_of_passes(const std::string& bytes, const Read& read) {
  const auto document = read(bytes);
  const std::string fault = fault_of(*document);
  if (!fault.empty()) return fault;
  if (document->with(document->blocks()) != bytes) return "other bytes";
  const auto again = read(document->with(inverse(document->blocks())));
  return again->with(inverse(again->blocks())) == bytes ? "" : "other bytes after two passes";
}

/// How many times as much of the processor an action takes for four times as much input.
template <class Action>
double growth(const Action& action, std::size_t size) {
  const auto seconds = [&](std::size_t of) {
    double best = 1e9;
    for (int i = 0; i < 3; ++i) {
      const std::clock_t begin = std::clock();
      action(of);
      best = std::min(best, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
    }
    return best;
  };
  constexpr double kLeast = 1e-3;  // the clock is not finer, nor is a machine that does other work
  return (seconds(4 * size) + kLeast) / (seconds(size) + kLeast);
}

inline std::string repeated(const std::string& text, std::size_t bytes) {
  std::string all;
  while (all.size() < bytes) all += text;
  return all;
}

}  // namespace kette::testing
