#include "data/tokenizers/tokenizer.h"

#include <algorithm>
#include <fstream>
#include <mutex>
#include <optional>
#include <sstream>
#include <unordered_map>
#include <utility>

#include "data/tokenizers/bpe_dropout.h"
#include "data/tokenizers/marian_pieces.h"
#include "data/tokenizers/sentencepiece_model.h"
#include "data/tokenizers/text_tokenizer.h"
#include "tensor/error.h"

namespace kette {

namespace {

using Ids = std::vector<std::int32_t>;

constexpr SpecialTokens kSpecial;                          // of a joint model
constexpr std::string_view kNoCharacter = "\xEF\xBF\xBF";  // U+FFFF, in no vocabulary

/// Text repeats its words, so most of them need not be encoded again. Only for models whose pieces
/// never reach over a space.
class WordCache {
 public:
  explicit WordCache(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

  Ids encode(std::string_view line) {
    Ids ids;
    while (!line.empty()) {
      const std::size_t end = std::min(line.find(' '), line.size());
      if (end > 0) append(line.substr(0, end), ids);
      line.remove_prefix(std::min(end + 1, line.size()));
    }
    return ids;
  }

 private:
  void append(std::string_view word, Ids& ids) {
    const auto [known, is_new] = known_.try_emplace(std::string(word));
    if (is_new) known->second = tokenizer_.encode(word);
    ids.insert(ids.end(), known->second.begin(), known->second.end());
  }

  const Tokenizer& tokenizer_;
  std::unordered_map<std::string, Ids> known_;
};

}  // namespace

struct Tokenizer::Model {
  sentencepiece::SentencePieceProcessor processor;
  std::optional<MarianPieces> marian;  // instead of it
  bool is_bpe = false;
  bool words_are_independent = false;
  mutable std::once_flag merger_built;
  mutable std::optional<BpeMerger> merger;

  void examine() {
    // Only unigram models have an entropy; the header that holds the model's type is not installed.
    float entropy = 0;
    is_bpe = !processor.CalculateEntropy("a", 1.0f, &entropy).ok();
    Ids word = processor.EncodeAsIds("a");
    word.insert(word.end(), word.begin(), word.end());
    words_are_independent = is_bpe && processor.EncodeAsIds("a a") == word;
    for (int id = 0; id < processor.GetPieceSize(); ++id) {
      if (processor.IdToPiece(id).find(kSpaceMark, 1) != std::string::npos) {
        words_are_independent = false;
      }
    }
  }

  /// Built at the first use: most runs have no dropout.
  const BpeMerger& bpe_merger() const {
    std::call_once(merger_built, [this] { build_merger(); });
    return *merger;
  }

  void build_merger() const {
    Ids byte_ids;
    for (int id = 0; id < processor.GetPieceSize(); ++id) {
      if (processor.IsByte(id)) byte_ids.push_back(id);  // they stand in the order of the bytes
    }
    merger.emplace(kSpecial.unknown, std::move(byte_ids));
    for (int id = 0; id < processor.GetPieceSize(); ++id) {
      const bool normal =
          !processor.IsControl(id) && !processor.IsUnknown(id) && !processor.IsByte(id);
      if (normal) merger->add(processor.IdToPiece(id), {id, processor.GetScore(id)});
    }
  }

  /// The characters that pieces stand for.
  void append_text(std::int32_t id, std::string& text) const {
    const std::string& piece = processor.IdToPiece(id);
    if (id == kSpecial.unknown) {
      text += kNoCharacter;
    } else if (processor.IsByte(id)) {
      text += static_cast<char>(std::stoi(piece.substr(3, 2), nullptr, 16));  // "<0xE4>"
    } else {
      text += piece;
    }
  }

  static void check(const sentencepiece::util::Status& status) {
    KETTE_CHECK(status.ok(),
                "Tokenizer: expected text that SentencePiece can take, given some that it",
                " refuses (", status.message(), ")");
  }
};

Tokenizer Tokenizer::from_bytes(std::string_view bytes, const std::string& name) {
  auto model = std::make_shared<Model>();
  auto& processor = model->processor;
  load_sentencepiece(bytes, name, processor);
  KETTE_CHECK(processor.pad_id() == kSpecial.pad && processor.unk_id() == kSpecial.unknown &&
                  processor.bos_id() == kSpecial.begin && processor.eos_id() == kSpecial.end,
              name, ": expected the special ids pad 0, unknown 1, begin 2, end 3, given pad ",
              processor.pad_id(), ", unknown ", processor.unk_id(), ", begin ", processor.bos_id(),
              ", end ", processor.eos_id(), " (train the tokenizer with kette)");
  model->examine();
  return Tokenizer(std::move(model));
}

Tokenizer Tokenizer::load(const std::filesystem::path& path) {
  if (MarianPieces::are_in(path)) {
    auto model = std::make_shared<Model>();
    model->marian.emplace(path);
    return Tokenizer(std::move(model));
  }
  if (std::filesystem::is_directory(path)) return load(path / kFile);
  std::ostringstream content;
  std::ifstream file(path, std::ios::binary);
  KETTE_CHECK(file, path.string(),
              ": expected a SentencePiece model, given a path that cannot be read");
  content << file.rdbuf();
  return from_bytes(content.str(), path.string());
}

std::string Tokenizer::bytes() const { return model_->processor.serialized_model_proto(); }

std::vector<std::pair<std::string, std::string>> Tokenizer::files() const {
  if (model_->marian) return model_->marian->files();
  return {{kFile, bytes()}};
}

std::string Tokenizer::fingerprint() const {
  return tokenizer_fingerprint(is_joint() ? "sentencepiece" : "marian", vocab_size(), files());
}

bool Tokenizer::is_joint() const { return !model_->marian; }

SpecialTokens Tokenizer::special() const {
  return model_->marian ? model_->marian->special() : kSpecial;
}

std::vector<std::int32_t> Tokenizer::encode(std::string_view text, Side side) const {
  if (model_->marian) return model_->marian->encode(text, side == Side::target);
  std::vector<int> ids;
  Model::check(model_->processor.Encode(text, &ids));
  return ids;
}

std::vector<std::vector<std::int32_t>> Tokenizer::encode_all(
    std::span<const std::string_view> lines, Side side) const {
  std::vector<std::vector<std::int32_t>> ids(lines.size());
#pragma omp parallel
  {
    WordCache cache(*this);
#pragma omp for schedule(dynamic, 64)
    for (std::size_t i = 0; i < lines.size(); ++i) {
      // SentencePiece trims a space mark in the text as it does a space.
      const bool by_words =
          model_->words_are_independent && lines[i].find(kSpaceMark) == std::string_view::npos;
      ids[i] = by_words ? cache.encode(lines[i]) : encode(lines[i], side);
    }
  }
  return ids;
}

std::vector<std::int32_t> Tokenizer::encode_with_dropout(std::string_view text, double dropout,
                                                         std::uint64_t seed) const {
  return resegment(encode(text), dropout, seed);
}

std::vector<std::int32_t> Tokenizer::resegment(std::span<const std::int32_t> ids, double dropout,
                                               std::uint64_t seed) const {
  KETTE_CHECK(dropout >= 0 && dropout < 1,
              "BPE-dropout: expected a probability from 0 to below 1, given ", dropout);
  KETTE_CHECK(is_bpe(),
              "BPE-dropout: expected a BPE model, given a unigram model or a pair of models (train "
              "with BPE)");
  std::string text;
  for (const std::int32_t id : ids) model_->append_text(id, text);
  return model_->bpe_merger().encode(text, dropout, seed);
}

std::string Tokenizer::decode(std::span<const std::int32_t> ids) const {
  for (const std::int32_t id : ids) check(id);
  if (model_->marian) return model_->marian->decode(ids);
  std::string text;
  Model::check(model_->processor.Decode(std::vector<int>(ids.begin(), ids.end()), &text));
  return text;
}

std::int64_t Tokenizer::vocab_size() const {
  return model_->marian ? model_->marian->vocabulary().size() : model_->processor.GetPieceSize();
}

void Tokenizer::check(std::int32_t id) const {
  KETTE_CHECK(id >= 0 && id < vocab_size(), "Tokenizer: expected an id from 0 to ",
              vocab_size() - 1, ", given ", id);
}

std::string Tokenizer::piece(std::int32_t id) const {
  check(id);
  return model_->marian ? std::string(model_->marian->vocabulary().text(id))
                        : model_->processor.IdToPiece(id);
}

std::int32_t Tokenizer::id(std::string_view piece) const {
  return model_->marian ? model_->marian->id(piece) : model_->processor.PieceToId(piece);
}

bool Tokenizer::is_bpe() const { return model_->is_bpe; }

}  // namespace kette
