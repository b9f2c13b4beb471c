// A folder of shards, token files (data/corpora/token_file.h) that were made of texts one after the other, and its list, which
// names the texts. A shard is there whole or not at all and says what it was made of, so that a preparation that was ended goes
// on where it was, and what is damaged is made again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "data/corpora/token_file.h"
#include "data/files/json_fwd.h"
#include "data/tokenizers/tokenizer.h"

namespace kette {

/// Of what: sentence pairs (data/corpora/prepared_pairs.h), or texts (data/corpora/prepared_tokens.h).
enum class ShardKind : std::uint8_t { pairs, texts };

struct ShardOptions {
  bool appends = false;  ///< to the texts that the folder has, which otherwise must be these
  int process = 0, processes = 1;  ///< each makes every so-manieth shard
};

/// A text that shards are made of, one after the other.
class ShardedText {
 public:
  virtual ~ShardedText() = default;
  /// Writes the next one, which says that it was made of this; false where nothing is left, and then there is none.
  virtual bool write(const std::filesystem::path& shard, const std::string& made_of) = 0;
  /// Passes over what it would hold; false where nothing is left.
  virtual bool skip() = 0;
};

class ShardFolder {
 public:
  ShardFolder(std::filesystem::path path, ShardKind kind, const ShardOptions& options = {});

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path list() const;
  bool has_list() const { return std::filesystem::exists(list()); }
  /// An Error where there is none.
  std::filesystem::path expected_list() const;
  /// Calls read with what the list says; an Error where there is none, or something else.
  void read_list(const std::function<void(const Json&)>& read) const;
  /// Into a folder whose shards are all there.
  void save_list(const Json& json) const;

  /// Throws unless this is the tokenizer that the list names: of the shards, which more are to stand beside, or which are read.
  void check_adds(const std::string& tokenizer, const Tokenizer& given) const;
  void check_reads(const std::string& tokenizer, const Tokenizer& given) const;
  /// Those of the folder's texts that stay before others. Throws unless the others are added, or are the same.
  template <class Text>
  std::vector<Text> kept(std::vector<Text> texts, const std::vector<std::string>& wanted) const {
    std::vector<std::string> made_of;
    for (const Text& text : texts) made_of.push_back(text.made_of);
    texts.resize(count_kept(made_of, wanted));
    return texts;
  }
  /// Throws if texts stay and what repeats earlier text is left out of others: those that stay are not looked at.
  void check_duplicates(bool are_left_out, std::size_t kept) const;
  /// Makes the shards of a text that are this process's and are not there, and gives the names of all. number: of the text,
  /// from 0 on. size: of a shard, "1000 lines".
  std::vector<std::string> make(std::size_t number, const std::string& made_of,
                                const std::string& size, ShardedText& text);
  /// Whether there is a shard of this text as the first one, such as a preparation that was ended leaves.
  bool has_shard_of(const std::string& made_of) const;
  /// Throws unless a shard says that it was made of this text.
  void check_shard(const std::string& name, const std::string& says,
                   const std::string& made_of) const;

 private:
  std::size_t count_kept(const std::vector<std::string>& has,
                         const std::vector<std::string>& wanted) const;

  std::filesystem::path path_;
  ShardKind kind_;
  ShardOptions options_;
  std::int64_t shards_ = 0;  // of all texts
};

}  // namespace kette
