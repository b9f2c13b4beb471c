#include "data/corpora/tokenize_files.h"

#include "data/files/file_fingerprint.h"
#include "tensor/error.h"

namespace kette {

namespace fs = std::filesystem;

TokenizeReport tokenize_files(const std::vector<fs::path>& files, const Tokenizer& tokenizer,
                              DocumentKind kind, const fs::path& out,
                              const TokenizeProgress& progress, const std::string& made_of) {
  TextEncoder encoder(files, tokenizer, kind);
  for (const fs::path& file : files) {
    std::error_code error;
    KETTE_CHECK(!fs::equivalent(file, out, error), out.string(),
                ": expected a file to write that is not one of the texts, given ", file.string());
  }
  TokenFileWriter writer(out, tokenizer.vocabulary());
  encoder.encode([&](auto ids) { writer.append(ids); }, TextEncoder::kAll, progress);
  const TokenizeReport report = encoder.report();
  check_documents(report, files);
  writer.finish(token_info(tokenizer, report, made_of));
  return report;
}

std::string marks_note(const std::string& marks) {
  if (marks.empty()) return {};
  const bool has_ends = marks.find(kEndOfTextPiece) != std::string::npos;
  return "the text has " + marks +
         (has_ends ? " (--documents endoftext ends a document at each)" : "");
}

std::string made_of(const std::vector<fs::path>& files, const Tokenizer& tokenizer,
                    DocumentKind kind) {
  return file_fingerprint(files) + "; " + tokenizer.fingerprint() + "; documents " +
         enum_name(kind);
}

TokenFileInfo token_info(const Tokenizer& tokenizer, const TokenizeReport& report,
                         const std::string& made_of) {
  return {tokenizer.fingerprint(),
          tokenizer.vocabulary(),
          tokenizer.special().end,
          report.documents,
          report.bytes,
          made_of,
          ""};
}

void check_documents(const TokenizeReport& report, const std::vector<fs::path>& files) {
  KETTE_CHECK(report.documents > 0, files.front().string(),
              ": expected at least one document, given ",
              report.left_out > 0 ? "only such as the filter leaves out" : "only blank lines");
}

TokenFile open_tokens(const fs::path& path, const Tokenizer& tokenizer) {
  TokenFile tokens = TokenFile::open(path);
  KETTE_CHECK(tokens.info().tokenizer == tokenizer.fingerprint(), path.string(),
              ": expected tokens of the model's tokenizer, ", tokenizer.fingerprint(),
              ", given those of ", tokens.info().tokenizer,
              " (make them with kette tokenize and that tokenizer)");
  return tokens;
}

}  // namespace kette
