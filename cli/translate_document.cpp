// Translates the text of a document and keeps everything else.
#include <unistd.h>

#include <algorithm>

#include "cli/host.h"
#include "cli/translation.h"
#include "data/documents/document_bytes.h"
#include "data/files/text_file.h"
#include "data/files/visible_text.h"
#include "tensor/stopwatch.h"

namespace kette::cli {
namespace {

constexpr LineLimits kDocument{.bytes = static_cast<std::int64_t>(kMostDocumentBytes),
                               .may_be_empty = true,
                               .may_be_zip = true};

std::string bytes_of(const TranslateCommandOptions& o, std::string& name) {
  if (!o.sentences.empty()) {
    name = "sentence";
    std::string bytes;
    for (const std::string& one : o.sentences) bytes += one + "\n";
    return bytes;
  }
  const std::filesystem::path& file = o.input;
  TextSource source = is_stdin(file) ? TextSource(stdin_descriptor(), "stdin", kDocument)
                                     : TextSource(file, kDocument);
  name = source.name();
  return read_all(source);
}

}  // namespace

TranslationOutcome translate_document(TranslateCommandOptions& o,
                                      const SentenceTranslator& translator) {
  std::string name;
  std::string bytes = bytes_of(o, name);
  DocumentOptions how;
  how.paragraphs = o.split != Split::lines;
  how.table.header = o.header;
  for (const double column : o.columns) {
    how.table.columns.push_back(static_cast<std::size_t>(column));
  }
  const auto document = read_document(*o.document_format(), std::move(bytes), name, how);
  const std::vector<TextBlock>& blocks = document->blocks();
  std::vector<std::string_view> some;
  for (const TextBlock& block : blocks) some.push_back(block.text);
  o.choose_sentences(some);
  Sink sink(o.output, o.read());
  TranslationOutcome outcome{{o.report, o.read(), "block"}};
  std::vector<TextBlock> translations;
  const auto take = [&](std::int64_t, TranslatedText translated) {
    const TextBlock& block = blocks[translations.size()];
    const std::size_t number = translations.size() + 1;
    outcome.report.add(static_cast<std::int64_t>(number), block.text, translated);
    if (translated.fault.empty()) {
      translations.push_back({std::move(translated.text), std::move(translated.marks)});
      return;
    }
    const std::string fault = name + ": block " + std::to_string(number) + ": " + translated.fault;
    if (o.on_error == OnError::stop) fail(fault);
    to_stderr() << "kette: " << visible(fault) << "\n";
    translations.push_back(block);  // as it was
  };
  const Stopwatch watch;
  DecodingProgress progress;
  TextTranslator text_translator(translator, o.translate);
  while (translations.size() < blocks.size()) {
    const std::size_t begin = translations.size(),
                      end = std::min(blocks.size(), begin + kSentencesAtOnce);
    std::vector<SourceText> part;
    for (std::size_t i = begin; i < end; ++i) part.push_back({blocks[i].text, blocks[i].marks});
    const double share = static_cast<double>(end) / static_cast<double>(blocks.size());
    text_translator.translate(part, take, progress.next_part(share));
    progress.clear();
  }
  outcome.seconds = watch.seconds();
  sink.write(document->with(translations));
  sink.finish();
  for (const std::string& note : document->notes()) {
    to_stderr() << "kette: " << visible(note) << "\n";
  }
  return outcome;
}

}  // namespace kette::cli
