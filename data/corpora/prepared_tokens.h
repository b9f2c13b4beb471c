// Texts as ids, made once of files of any size: a folder (data/corpora/shard_folder.h) of shards, each a token file of about so
// much text, and of tokens.json, which names them by what they were made of. Shard by shard they are the ids of tokenize_files().
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "data/corpora/shard_folder.h"
#include "data/corpora/text_encoder.h"
#include "data/corpora/token_stream.h"

namespace kette {

struct PreparedTokens {
  /// Of files that were given together.
  struct Text {
    std::vector<std::string> files;  ///< as they were given
    std::string made_of;
    std::string marks;                ///< TokenizeReport::marks
    std::vector<std::string> shards;  ///< files of the folder
  };
  std::string tokenizer;  ///< Tokenizer::fingerprint()
  DocumentKind documents = DocumentKind::file;
  std::vector<Text> texts;

  /// What a folder has: an Error where it is none of these.
  static PreparedTokens of(const std::filesystem::path& folder);
  /// Into a folder whose shards are all there.
  void save(const std::filesystem::path& folder) const;
};

struct PrepareTokensOptions {
  ShardOptions shards;
  DocumentKind documents = DocumentKind::file;
  /// Of text. A shard ends with the document that fills it, or, of a long one, with the piece that makes it an eighth more.
  std::int64_t bytes_a_shard = std::int64_t{1} << 28;
  /// Which odd documents are left out (data/checks/document_filter.h).
  std::vector<Oddity> odd{};
};

/// Whether a folder has shards of these files as its first text, by this tokenizer.
bool has_shards_of(const std::filesystem::path& folder,
                   const std::vector<std::filesystem::path>& files, const Tokenizer& tokenizer,
                   const PrepareTokensOptions& options);

/// Makes the shards that are not there yet, and gives what is to be saved once all processes have made theirs.
PreparedTokens prepare_tokens(const std::filesystem::path& folder,
                              const std::vector<std::filesystem::path>& files,
                              const Tokenizer& tokenizer, const PrepareTokensOptions& options,
                              const TokenizeProgress& progress = {});

struct LeftOutDocuments {
  std::int64_t documents = 0;   ///< of the text, with those that were left out
  std::vector<OddPairs> odd{};  ///< as of DocumentFilter
};
/// Of a text that was filtered; nothing of another.
LeftOutDocuments left_out_documents(const std::filesystem::path& folder,
                                    const PreparedTokens::Text& text);

/// The tokenizer that lies in a folder.
SharedTokenizer tokenizer_in(const std::filesystem::path& folder);
/// All texts of a folder, one after the other, to learn from; throws unless they are of this tokenizer.
TokenStream prepared_tokens(const std::filesystem::path& folder, const Tokenizer& tokenizer);

}  // namespace kette
