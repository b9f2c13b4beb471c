#include "data/documents/formats.h"

#include <algorithm>
#include <map>
#include <set>

#include "data/documents/docx_document.h"
#include "data/documents/html_document.h"
#include "data/documents/mail_document.h"
#include "data/documents/markdown_document.h"
#include "data/documents/po_document.h"
#include "data/documents/subtitle_document.h"
#include "data/documents/text_document.h"
#include "data/documents/xliff_document.h"
#include "data/files/packed_file.h"
#include "data/files/utf8.h"

namespace kette {

namespace {

/// In lower case, without that of a packed file.
std::string ending_of(const std::filesystem::path& file) {
  return lower_ascii(without_packed_ending(file).extension().string());
}

}  // namespace

bool is_unread_document(const std::filesystem::path& file) {
  static const std::set<std::string> endings = {
      ".adoc", ".ass", ".doc",  ".docm", ".epub",    ".ipynb", ".json", ".jsonl",      ".mhtml",
      ".msg",  ".odp", ".ods",  ".odt",  ".pdf",     ".ppt",   ".pptx", ".properties", ".resx",
      ".rst",  ".rtf", ".sbv",  ".ssa",  ".strings", ".svg",   ".tex",  ".tmx",        ".toml",
      ".ttml", ".xls", ".xlsx", ".xml",  ".yaml",    ".yml"};
  return endings.contains(ending_of(file));
}

DocumentFormat format_of(const std::filesystem::path& file) {
  using enum DocumentFormat;
  static const std::map<std::string, DocumentFormat> formats = {
      {".md", markdown}, {".markdown", markdown}, {".html", html}, {".htm", html},
      {".xhtml", html},  {".xliff", xliff},       {".xlf", xliff}, {".srt", srt},
      {".vtt", vtt},     {".tsv", tsv},           {".csv", csv},   {".po", po},
      {".pot", po},      {".eml", mail},          {".mbox", mail}, {".docx", docx}};
  const auto found = formats.find(ending_of(file));
  return found == formats.end() ? text : found->second;
}

std::unique_ptr<Document> read_document(DocumentFormat format, std::string bytes,
                                        const std::string& name, const DocumentOptions& options) {
  switch (format) {
    case DocumentFormat::text:
      return read_text_document(std::move(bytes), name,
                                options.paragraphs ? TextLayout::paragraphs : TextLayout::lines);
    case DocumentFormat::markdown:
      return read_markdown(std::move(bytes), name);
    case DocumentFormat::html:
      return read_html(std::move(bytes), name);
    case DocumentFormat::xliff:
      return read_xliff(std::move(bytes), name);
    case DocumentFormat::srt:
      return read_srt(std::move(bytes), name);
    case DocumentFormat::vtt:
      return read_vtt(std::move(bytes), name);
    case DocumentFormat::tsv:
      return read_tsv(std::move(bytes), name, options.table);
    case DocumentFormat::csv:
      return read_csv(std::move(bytes), name, options.table);
    case DocumentFormat::po:
      return read_po(std::move(bytes), name);
    case DocumentFormat::mail:
      return read_mail(std::move(bytes), name);
    case DocumentFormat::docx:
      return read_docx(std::move(bytes), name);
  }
  fail("read_document: expected a format, given none");
}

}  // namespace kette
