#include "data/documents/formats.h"

#include <algorithm>
#include <map>

#include "data/documents/docx_document.h"
#include "data/documents/html_document.h"
#include "data/documents/mail_document.h"
#include "data/documents/markdown_document.h"
#include "data/documents/po_document.h"
#include "data/documents/subtitle_document.h"
#include "data/documents/table_document.h"
#include "data/documents/text_document.h"
#include "data/documents/xliff_document.h"
#include "data/files/packed_file.h"

namespace kette {

DocumentFormat format_of(const std::filesystem::path& file) {
  using enum DocumentFormat;
  static const std::map<std::string, DocumentFormat> formats = {
      {".md", markdown}, {".markdown", markdown}, {".html", html}, {".htm", html},
      {".xhtml", html},  {".xliff", xliff},       {".xlf", xliff}, {".srt", srt},
      {".vtt", vtt},     {".tsv", tsv},           {".po", po},     {".pot", po},
      {".eml", mail},    {".mbox", mail},         {".docx", docx}};
  std::string ending = without_packed_ending(file).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  const auto found = formats.find(ending);
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
      return read_tsv(std::move(bytes), name, {.columns = options.columns});
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
