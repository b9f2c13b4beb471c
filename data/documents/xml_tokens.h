// XML as tags and the text between them, with their places in the document. Strict: XML that is not
// well-formed is an Error with its place. A document type that declares entities is an Error, so
// that no text expands; none is fetched. Elements nest at most kDeepest deep.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kette {

struct XmlToken {
  enum class Kind { start, end, empty, text, cdata, other };  ///< other: comments and the like
  Kind kind = Kind::other;
  std::size_t begin = 0, end = 0;
  std::string_view name{};  ///< of a tag, as written
  /// The name without its prefix.
  std::string_view local_name() const;
};

class XmlReader {
 public:
  static constexpr std::size_t kDeepest = 1000;

  /// Checks the bytes (document_bytes.h) and the declared encoding. Tokens point into the bytes.
  XmlReader(std::string_view bytes, std::string name);

  /// False at the end of the document.
  bool next(XmlToken& token);
  /// The number of elements open after the last token.
  std::size_t depth() const { return open_.size(); }
  std::size_t at() const { return at_; }
  /// Skips to the end of the element whose start tag was the last token.
  void skip_element();
  [[noreturn]] void fail_at(std::size_t at, const std::string& what) const;

 private:
  void read_tag(XmlToken& token);
  void read_attributes(std::size_t& at) const;
  void read_doctype(XmlToken& token);
  std::size_t behind(std::size_t from, std::string_view what, const char* is) const;
  std::size_t end_of_name(std::size_t at) const;
  void check_text(std::size_t begin, std::size_t end) const;
  void check_reference(std::size_t at) const;
  bool starts(std::size_t at, std::string_view what) const;

  std::string_view bytes_;
  std::string name_;
  std::size_t at_ = 0;
  std::vector<std::string_view> open_;
  bool had_root_ = false;
};

/// A character at a byte of text, or a reference to one.
struct XmlCharacter {
  std::size_t bytes = 0;  ///< 0: a reference to no character
  char32_t plain = 0;
};
XmlCharacter xml_character(std::string_view bytes, std::size_t at);

/// The value of a tag's attribute, with references resolved. name: as written.
std::optional<std::string> xml_attribute(std::string_view tag, std::string_view name);

/// All of an attribute as the tag has it, name="value"; empty if it has none.
std::string_view xml_attribute_as_written(std::string_view tag, std::string_view name);

/// The prefix, with its colon, that a tag binds to a namespace; nothing if it binds none.
std::optional<std::string> xml_prefix(std::string_view tag, std::string_view space);

}  // namespace kette
