// All document formats, by name and by file ending.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "data/documents/document.h"
#include "data/documents/table_document.h"
#include "tensor/enum_names.h"

namespace kette {

enum class DocumentFormat : std::uint8_t {
  text,
  markdown,
  html,
  xliff,
  srt,
  vtt,
  tsv,
  csv,
  po,
  mail,
  docx
};
template <>
inline constexpr auto kNamesOf<DocumentFormat> =
    enum_names<DocumentFormat>({{DocumentFormat::text, "text"},
                                {DocumentFormat::markdown, "markdown"},
                                {DocumentFormat::html, "html"},
                                {DocumentFormat::xliff, "xliff"},
                                {DocumentFormat::srt, "srt"},
                                {DocumentFormat::vtt, "vtt"},
                                {DocumentFormat::tsv, "tsv"},
                                {DocumentFormat::csv, "csv"},
                                {DocumentFormat::po, "po"},
                                {DocumentFormat::mail, "mail"},
                                {DocumentFormat::docx, "docx"}});

/// By the ending of the file's name; text if that is unknown.
DocumentFormat format_of(const std::filesystem::path& file);
/// Whether this is the ending of a document that no reader here knows, and whose lines are not text:
/// .json, .pdf.
bool is_unread_document(const std::filesystem::path& file);

struct DocumentOptions {
  bool paragraphs = true;  ///< for text: lines are wrapped
  TableOptions table{};
};

/// name: for errors.
std::unique_ptr<Document> read_document(DocumentFormat format, std::string bytes,
                                        const std::string& name,
                                        const DocumentOptions& options = {});

}  // namespace kette
