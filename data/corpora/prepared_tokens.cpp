#include "data/corpora/prepared_tokens.h"

#include <optional>

#include "data/checks/document_filter.h"
#include "data/checks/odd_pairs_json.h"
#include "data/corpora/tokenize_files.h"
#include "data/files/json_text.h"
#include "tensor/error.h"
#include "tensor/suggestion.h"

namespace kette {
namespace {

namespace fs = std::filesystem;

/// In the notes of shards: what a filter left out, and of how many documents.
constexpr const char *kLeftOut = "left_out", *kDocuments = "documents";

class ShardedFiles final : public ShardedText {
 public:
  ShardedFiles(const std::vector<fs::path>& files, const Tokenizer& tokenizer,
               const PrepareTokensOptions& options, DocumentFilter* odd,
               const TokenizeProgress& progress)
      : encoder_(files, tokenizer, options.documents, odd),
        odd_(odd),
        tokenizer_(tokenizer),
        bytes_a_shard_(options.bytes_a_shard),
        progress_(progress) {}

  bool write(const fs::path& shard, const std::string& made_of) override {
    TokenFileWriter writer(shard, tokenizer_.vocabulary());
    const std::optional<TokenizeReport> report =
        encoder_.encode([&](auto ids) { writer.append(ids); }, bytes_a_shard_, progress_);
    if (!report) return false;
    TokenFileInfo info = token_info(tokenizer_, *report, made_of);
    if (odd_ != nullptr) {
      info.note = Json{{kLeftOut, odd_pairs_to_json(odd_->take_left_out())},
                       {kDocuments, report->documents + report->left_out}}
                      .dump();
    }
    writer.finish(info);
    return true;
  }

  bool skip() override {
    const bool is_there = encoder_.skip(bytes_a_shard_);
    if (odd_ != nullptr) odd_->take_left_out();  // which its shard tells
    return is_there;
  }

  TokenizeReport report() const { return encoder_.report(); }

 private:
  TextEncoder encoder_;
  DocumentFilter* odd_;
  const Tokenizer& tokenizer_;
  std::int64_t bytes_a_shard_;
  const TokenizeProgress& progress_;
};

std::string made_of_text(const std::vector<fs::path>& files, const Tokenizer& tokenizer,
                         const PrepareTokensOptions& options) {
  const std::string text = made_of(files, tokenizer, options.documents);
  if (options.odd.empty()) return text;
  return text + "; without " + joined(options.odd, [](Oddity one) { return enum_name(one); });
}

}  // namespace

PreparedTokens PreparedTokens::of(const fs::path& folder) {
  PreparedTokens prepared;
  ShardFolder(folder, ShardKind::texts).read_list([&](const Json& json) {
    prepared.tokenizer = json.at("tokenizer");
    prepared.documents = enum_named<DocumentKind>(json.at("documents").get<std::string>());
    for (const Json& text : json.at("texts")) {
      prepared.texts.push_back(
          {text.at("files"), text.at("made_of"), text.at("marks"), text.at("shards")});
    }
  });
  return prepared;
}

void PreparedTokens::save(const fs::path& folder) const {
  Json of_texts = Json::array();
  for (const Text& text : texts) {
    of_texts.push_back({{"files", text.files},
                        {"made_of", text.made_of},
                        {"marks", text.marks},
                        {"shards", text.shards}});
  }
  ShardFolder(folder, ShardKind::texts)
      .save_list(
          {{"tokenizer", tokenizer}, {"documents", enum_name(documents)}, {"texts", of_texts}});
}

bool has_shards_of(const fs::path& folder, const std::vector<fs::path>& files,
                   const Tokenizer& tokenizer, const PrepareTokensOptions& options) {
  return ShardFolder(folder, ShardKind::texts)
      .has_shard_of(made_of_text(files, tokenizer, options));
}

PreparedTokens prepare_tokens(const fs::path& folder, const std::vector<fs::path>& files,
                              const Tokenizer& tokenizer, const PrepareTokensOptions& options,
                              const TokenizeProgress& progress) {
  KETTE_CHECK(options.bytes_a_shard > 0, "tokenize: expected at least a byte a shard, given ",
              options.bytes_a_shard);
  ShardFolder shards(folder, ShardKind::texts, options.shards);
  PreparedTokens before;
  if (shards.has_list()) {
    before = PreparedTokens::of(folder);
    shards.check_adds(before.tokenizer, tokenizer);
    KETTE_CHECK(before.documents == options.documents, folder.string(),
                ": expected the documents of the texts that it has, ", enum_name(before.documents),
                ", given ", enum_name(options.documents), " (take another folder)");
  }
  PreparedTokens::Text text{{}, made_of_text(files, tokenizer, options), "", {}};
  for (const fs::path& file : files) text.files.push_back(file.string());
  PreparedTokens prepared{tokenizer.fingerprint(), options.documents,
                          shards.kept(before.texts, {text.made_of})};
  std::optional<DocumentFilter> odd;
  if (!options.odd.empty()) odd.emplace(options.odd);
  shards.check_duplicates(odd && odd->finds_duplicates(), prepared.texts.size());
  ShardedFiles sharded(files, tokenizer, options, odd ? &*odd : nullptr, progress);
  text.shards = shards.make(prepared.texts.size(), text.made_of,
                            std::to_string(options.bytes_a_shard) + " bytes", sharded);
  const TokenizeReport report = sharded.report();
  check_documents(report, files);
  text.marks = report.marks;
  prepared.texts.push_back(std::move(text));
  return prepared;
}

LeftOutDocuments left_out_documents(const fs::path& folder, const PreparedTokens::Text& text) {
  LeftOutDocuments all;
  for (const std::string& name : text.shards) {
    const std::string note = TokenFile::open(folder / name).info().note;
    if (note.empty()) continue;
    const Json json = parse_json(note, (folder / name).string());
    add_to(all.odd, odd_pairs_of_json(json.at(kLeftOut)));
    all.documents += json.at(kDocuments).get<std::int64_t>();
  }
  return all;
}

SharedTokenizer tokenizer_in(const fs::path& folder) {
  const std::string fingerprint = PreparedTokens::of(folder).tokenizer;
  return load_tokenizer(folder, fingerprint.substr(0, fingerprint.find(' ')));
}

TokenStream prepared_tokens(const fs::path& folder, const Tokenizer& tokenizer) {
  const ShardFolder shards(folder, ShardKind::texts);
  const PreparedTokens prepared = PreparedTokens::of(folder);
  shards.check_reads(prepared.tokenizer, tokenizer);
  std::vector<TokenFile> files;
  for (const PreparedTokens::Text& text : prepared.texts) {
    for (const std::string& name : text.shards) {
      files.push_back(open_tokens(folder / name, tokenizer));
      shards.check_shard(name, files.back().info().made_of, text.made_of);
    }
  }
  KETTE_CHECK(!files.empty(), shards.list().string(), ": expected shards of texts, given none");
  return TokenStream(std::move(files));
}

}  // namespace kette
