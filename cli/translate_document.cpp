// A document in, the document out, with its text translated and all else as it was.
#include <unistd.h>

#include <iostream>

#include "cli/translation.h"
#include "data/documents/document_bytes.h"
#include "data/files/text_file.h"
#include "data/files/visible_text.h"
#include "tensor/stopwatch.h"

namespace kette::cli {
namespace {

constexpr LineLimits kDocument{.bytes = static_cast<std::int64_t>(kMostDocumentBytes),
                               .may_be_empty = true};

std::string bytes_of(const std::filesystem::path& file, std::string& name) {
  TextSource source =
      is_stdin(file) ? TextSource(STDIN_FILENO, "stdin", kDocument) : TextSource(file, kDocument);
  name = source.name();
  return read_all(source);
}

}  // namespace

TranslationOutcome translate_document(TranslateCommandOptions& o,
                                      const SentenceTranslator& translator) {
  std::string name;
  std::string bytes = bytes_of(o.input, name);
  DocumentOptions how;
  how.paragraphs = o.split != Split::lines;
  for (const double column : o.columns) how.columns.push_back(static_cast<std::size_t>(column));
  const auto document = read_document(*o.document_format(), std::move(bytes), name, how);
  std::vector<SourceText> sources;
  std::vector<std::string_view> some;
  for (const TextBlock& block : document->blocks()) {
    sources.push_back({block.text, block.marks});
    some.push_back(block.text);
  }
  o.choose_sentences(some);
  Sink sink(o.output, o.read());
  TranslationOutcome outcome{{o.report, o.read(), "block"}};
  std::vector<TextBlock> translations;
  const auto take = [&](std::int64_t number, TranslatedText translated) {
    outcome.report.add(number + 1, sources[static_cast<std::size_t>(number)].text, translated);
    if (!translated.fault.empty()) {  // as it was
      const std::string fault =
          name + ": block " + std::to_string(number + 1) + ": " + translated.fault;
      if (o.on_error == OnError::stop) fail(fault);
      std::cerr << "kette: " << visible(fault) << "\n";
      translations.push_back(document->blocks()[static_cast<std::size_t>(number)]);
      return;
    }
    translations.push_back({std::move(translated.text), std::move(translated.marks)});
  };
  const Stopwatch watch;
  DecodingProgress progress;
  const TextTranslator text_translator(translator, o.translate);
  text_translator.translate(sources, take, progress.next_part(1));
  progress.clear();
  outcome.seconds = watch.seconds();
  sink.write(document->with(translations));
  for (const std::string& note : document->notes()) {
    std::cerr << "kette: " << visible(note) << "\n";
  }
  return outcome;
}

}  // namespace kette::cli
