#include "data/documents/html_elements.h"

#include <unordered_set>

namespace kette {
namespace {

using Names = std::unordered_set<std::string_view>;

}  // namespace

bool is_html_void(std::string_view name) {
  static const Names names = {"area",  "base",  "basefont", "bgsound", "br",    "col",    "embed",
                              "frame", "hr",    "image",    "img",     "input", "keygen", "link",
                              "meta",  "param", "source",   "track",   "wbr"};
  return names.contains(name);
}

bool is_html_block(std::string_view name) {
  static const Names names = {
      "address",  "article",  "aside",    "blockquote", "body",       "caption",   "center",
      "col",      "colgroup", "datalist", "dd",         "details",    "dialog",    "dir",
      "div",      "dl",       "dt",       "fieldset",   "figcaption", "figure",    "footer",
      "form",     "frame",    "frameset", "h1",         "h2",         "h3",        "h4",
      "h5",       "h6",       "head",     "header",     "hgroup",     "hr",        "html",
      "legend",   "li",       "listing",  "main",       "menu",       "nav",       "noframes",
      "noscript", "ol",       "optgroup", "option",     "p",          "plaintext", "pre",
      "search",   "section",  "select",   "summary",    "table",      "tbody",     "td",
      "template", "tfoot",    "th",       "thead",      "title",      "tr",        "ul",
      "xmp"};
  return names.contains(name);
}

bool is_html_raw(std::string_view name) {
  static const Names names = {"script", "style",   "textarea", "title",    "xmp",
                              "iframe", "noembed", "noframes", "plaintext"};
  return names.contains(name);
}

bool is_html_code(std::string_view name) {
  static const Names names = {"code", "kbd", "samp", "var", "pre", "listing", "svg", "math"};
  return names.contains(name);
}

bool ends_before(std::string_view open, std::string_view next) {
  static const Names row_groups = {"tbody", "thead", "tfoot"};
  if (open == "p") return is_html_block(next);
  if (open == "li") return next == "li";
  if (open == "dt" || open == "dd") return next == "dt" || next == "dd";
  if (open == "option") return next == "option" || next == "optgroup";
  const bool ends_row = next == "tr" || row_groups.contains(next);
  if (open == "td" || open == "th") return next == "td" || next == "th" || ends_row;
  if (open == "tr") return ends_row;
  return row_groups.contains(open) && row_groups.contains(next);
}

}  // namespace kette
