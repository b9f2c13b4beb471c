// Text as ids, and back. One interface, eight kinds:
//   byte           256 bytes; needs no file
//   character      the characters of its training text (Karpathy's char-rnn)
//   gpt2           byte-level BPE (Radford et al. 2019, section 2.2), from OpenAI's or Hugging
//                  Face's two files
//   sentencepiece  byte-pair encoding (Sennrich et al. 2016) or a unigram model; for translation,
//                  one for both languages (Vaswani et al. 2017, sections 3.4 and 5.1)
//   wordpiece      the longest pieces of words (Devlin et al. 2019), from Hugging Face's vocab.txt
//   marian         two SentencePiece models, one for sources and one for targets, as in Hugging
//                  Face's MarianTokenizer
//   word           whole words, rare ones by what they look like
//   tree           of a parser: sources are words, by one of the kind word or sentencepiece, and targets are
//                  trees as symbols (data/trees/linear_tree.h), with ids of their own
// The first five spell text for a language model; translation needs padding and a begin, which the last five
// have. Marks such as <|endoftext|> are plain text to encode(), so no text can end its own
// document. Never changed, safe to use from several threads.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/tokenizers/position_stream.h"
#include "data/tokenizers/special_tokens.h"

namespace kette {

/// Which language a text is in; of the kinds, only marian and tree tell them apart.
enum class Side : std::uint8_t { source, target };

/// Of a piece: whether it begins, and whether it ends, within a word. A word goes on from a piece that
/// ends in one to a piece that begins in one.
struct WordEdges {
  bool begins_inside = false, ends_inside = false;
};

/// The target language that a source asks for itself, as ">>deu<< A man" does.
struct WrittenTag {
  std::string language{};
  std::size_t size = 0;  ///< of the tag with the blanks behind it, in bytes; 0: there is none
};

/// What stands for a piece that a model is to find (Devlin et al. 2019, section 3.1).
inline constexpr const char* kMaskPiece = "[MASK]";

/// What a model's output is.
enum class Writes : std::uint8_t { text, trees };

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  /// As in the list above.
  virtual std::string kind() const = 0;
  virtual Writes writes() const { return Writes::text; }
  virtual std::int64_t vocabulary() const = 0;
  /// Of sources, where they have one of their own (of the kinds, only tree).
  virtual std::int64_t source_vocabulary() const { return vocabulary(); }
  virtual SpecialTokens special() const = 0;  ///< the same of both
  /// Which tokens of targets move a second stream of positions, if any.
  virtual PositionStream second_positions() const { return {}; }
  /// What an id stands for, as the vocabulary writes it.
  virtual std::string piece(std::int32_t id) const { return decode({&id, 1}); }
  virtual std::string source_piece(std::int32_t id) const { return piece(id); }

  /// Ids without begin and end. Text that the vocabulary cannot spell is an Error that shows it and
  /// says where it stands, or has unknown pieces in a vocabulary with one for that.
  std::vector<std::int32_t> encode(std::string_view text, Side side = Side::source) const {
    return encode_text(text, side);
  }
  /// The same for many lines, on all threads.
  std::vector<std::vector<std::int32_t>> encode_all(std::span<const std::string_view> lines,
                                                    Side side = Side::source) const;
  /// The bytes that the ids, of targets, stand for; padding, begin and end stand for none. An id
  /// outside the vocabulary is an Error. Ids cut anywhere may give half a character.
  virtual std::string decode(std::span<const std::int32_t> ids) const = 0;
  virtual std::string decode_source(std::span<const std::int32_t> ids) const { return decode(ids); }

  /// For BPE-dropout (data/tokenizers/bpe_dropout.h): whether there are merges to refuse, on one side or
  /// both, and the ids of a text with each merge refused with probability dropout. Takes its plain ids, so
  /// that the text need not be kept.
  virtual bool is_bpe() const { return false; }
  virtual bool is_bpe(Side) const { return is_bpe(); }
  virtual std::vector<std::int32_t> resegment(std::span<const std::int32_t> ids, double dropout,
                                              std::uint64_t seed) const;

  /// Whether sources are whole words, which are known or go by what they look like, so that no character is unknown.
  virtual bool reads_words() const { return false; }

  /// The piece "<2de>" that asks for German, in a vocabulary with one (Johnson et al. 2017, "Google's Multilingual
  /// Neural Machine Translation System", section 3); of the kind marian ">>deu<<". No text is encoded as such a piece,
  /// but for a written_tag().
  virtual std::optional<std::int32_t> tag_of(const std::string& language) const;
  /// The same; an Error for a language that the vocabulary has no tag for.
  std::int32_t expected_tag_of(const std::string& language) const;
  /// Those that it has a tag for.
  virtual std::vector<std::string> languages() const { return {}; }
  /// Whether its model has learnt no source without a tag.
  virtual bool needs_language() const { return !languages().empty(); }
  /// At the start of a source, in a vocabulary with tags; of the kinds, only marian reads it. The language need not be
  /// one of languages().
  virtual WrittenTag written_tag(std::string_view) const { return {}; }
  /// Whether it is a tag that texts are encoded as.
  virtual bool is_written_tag(std::int32_t) const { return false; }
  /// Puts it before the ids of a text, if there are any and they do not begin with the text's own. Without a language
  /// and an own tag none, which is an Error if needs_language().
  void put_tag_before(std::vector<std::int32_t>& ids, const std::string& language) const;
  /// The ids of one source with its tag.
  std::vector<std::int32_t> encode_source(std::string_view text, const std::string& language) const;

  /// The piece that stands for another one, in a vocabulary with one for that. No text is encoded as
  /// such a piece.
  virtual std::optional<std::int32_t> mask() const { return std::nullopt; }
  /// The same; an Error in a vocabulary without one.
  std::int32_t expected_mask() const;
  /// How the ids that no text is encoded as are written: padding, unknown, begin, end, mask and tags of languages.
  std::vector<std::string> marks() const;
  /// By the letters and digits at both ends of what the vocabulary writes, or as the kind has it.
  virtual WordEdges edges(std::int32_t id) const;

  /// Names and contents of the files that a model directory keeps of it.
  virtual std::vector<std::pair<std::string, std::string>> files() const = 0;
  void save(const std::filesystem::path& folder) const;

  /// The same for tokenizers that give the same ids: kind, vocabulary and a CRC-32 of the files.
  std::string fingerprint() const;

 protected:
  virtual std::vector<std::int32_t> encode_text(std::string_view text, Side side) const = 0;
  /// encode() for the lines that one thread takes, which may remember what it has seen.
  virtual std::function<std::vector<std::int32_t>(std::string_view)> line_encoder(Side side) const;

  /// Throws unless every id is in the vocabulary.
  void check_ids(std::span<const std::int32_t> ids) const;
};

using SharedTokenizer = std::shared_ptr<const Tokenizer>;

/// Reads the files of a kind from a folder, such as a model directory. No kind: the one whose files
/// lie there; a path that is a file is a SentencePiece model.
SharedTokenizer load_tokenizer(const std::filesystem::path& path, const std::string& kind = {});

}  // namespace kette
