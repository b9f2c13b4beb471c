// Stand-ins for a translator of documents: one that changes nothing, and one that reverses the letters of each word, so
// that twice is once: every other character, the lengths of words and the places of marks stay. And what every block of
// every document keeps to.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "data/documents/document.h"
#include "data/files/unicode.h"
#include "data/files/utf8.h"

namespace kette::testing {

/// The letters of each run of letters in reverse; marks keep their place, counted in characters.
inline TextBlock inverse(const TextBlock& block) {
  std::u32string text = decode_utf8(block.text);
  std::vector<std::size_t> characters_before(block.text.size() + 1);  // each byte
  for (std::size_t at = 0; at < block.text.size(); ++at) {
    characters_before[at + 1] =
        characters_before[at] +
        (at + 1 == block.text.size() || !continues_utf8(block.text[at + 1]) ? 1 : 0);
  }
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    while (at < text.size() && is_letter(text[at])) ++at;
    std::reverse(text.begin() + static_cast<std::ptrdiff_t>(begin),
                 text.begin() + static_cast<std::ptrdiff_t>(at));
    if (at == begin) ++at;
  }
  TextBlock inverted = block;
  inverted.text.clear();
  std::vector<std::size_t> places;  // of each character, and of the end
  for (const char32_t character : text) {
    places.push_back(inverted.text.size());
    inverted.text += encode_utf8(std::u32string_view(&character, 1));
  }
  places.push_back(inverted.text.size());
  for (Mark& mark : inverted.marks) mark.at = places[characters_before[mark.at]];
  return inverted;
}

inline std::vector<TextBlock> inverse(const std::vector<TextBlock>& blocks) {
  std::vector<TextBlock> inverted;
  for (const TextBlock& block : blocks) inverted.push_back(inverse(block));
  return inverted;
}

/// A block's text with the bytes of its marks in braces; a break stands for its space.
inline std::string shown(const TextBlock& block) {
  std::string out;
  std::size_t at = 0;
  for (const Mark& mark : block.marks) {
    out.append(block.text, at, mark.at - at).append("{" + mark.bytes + "}");
    at = mark.at + (mark.kind == Mark::Kind::breaks ? 1 : 0);
  }
  return out + block.text.substr(at);
}

/// All blocks, one behind the other.
inline std::string shown(const Document& document) {
  std::string out;
  for (const TextBlock& block : document.blocks()) out += (out.empty() ? "" : " | ") + shown(block);
  return out;
}

/// A document with one block, whose text becomes another one, marks where they were found in it: at "*", one each.
inline std::string with_text(const Document& document, const std::string& text) {
  std::vector<TextBlock> blocks = document.blocks();
  TextBlock& block = blocks.at(0);
  block.text.clear();
  std::size_t mark = 0;
  for (const char byte : text) {
    if (byte == '*') {
      block.marks.at(mark++).at = block.text.size();
    } else {
      block.text += byte;
    }
  }
  return document.with(blocks);
}

/// Other words, with all marks at one place: as far from the source as a translation comes.
inline std::vector<TextBlock> crowded(const std::vector<TextBlock>& blocks) {
  std::vector<TextBlock> changed;
  for (const TextBlock& block : blocks) {
    changed.push_back({"one & two <three>", {}, {}});
    for (const Mark& mark : block.marks) {
      changed.back().marks.push_back(mark);
      changed.back().marks.back().at = 3;
    }
  }
  return changed;
}

/// What is wrong with a block, whatever its format; empty: nothing.
inline std::string fault_of(const TextBlock& block) {
  if (block.text.empty()) return "no text";
  if (first_invalid_utf8(block.text) != std::string::npos) return "text that is no UTF-8";
  const std::u32string text = decode_utf8(block.text);
  if (is_white_space(text.front()) || is_white_space(text.back())) return "white space at an end";
  std::vector<std::size_t> open;
  std::size_t at = 0;
  for (std::size_t i = 0; i < block.marks.size(); ++i) {
    const Mark& mark = block.marks[i];
    if (mark.at < at || mark.at > block.text.size()) return "marks out of order";
    at = mark.at;
    if (at < block.text.size() && continues_utf8(block.text[at])) return "a mark in a character";
    const bool is_pair = mark.kind == Mark::Kind::opens || mark.kind == Mark::Kind::closes;
    if (is_pair != (mark.partner != Mark::kNoPartner)) return "a mark that lacks its partner";
    if (mark.kind == Mark::Kind::opens) open.push_back(i);
    if (mark.kind == Mark::Kind::closes) {
      if (open.empty() || open.back() != mark.partner) return "marks that do not nest";
      if (block.marks[mark.partner].partner != i) return "partners that disagree";
      open.pop_back();
    }
    if (mark.kind == Mark::Kind::breaks && (at >= block.text.size() || block.text[at] != ' ')) {
      return "a break at no space";
    }
  }
  return open.empty() ? "" : "a mark that is not closed";
}

inline std::string fault_of(const Document& document) {
  for (const TextBlock& block : document.blocks()) {
    const std::string fault = fault_of(block);
    if (!fault.empty()) return fault + ": " + block.text.substr(0, 200);
  }
  return {};
}

}  // namespace kette::testing
