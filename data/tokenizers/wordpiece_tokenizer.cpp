#include "data/tokenizers/wordpiece_tokenizer.h"

#include "data/files/encoding.h"
#include "data/files/json_text.h"
#include "data/files/text_file.h"
#include "data/files/unicode.h"
#include "data/files/utf8.h"
#include "data/tokenizers/added_tokens.h"
#include "data/tokenizers/tokenizer_class.h"
#include "data/tokenizers/tokenizer_json.h"
#include "tensor/error.h"

namespace kette {
namespace {

constexpr std::string_view kGoesOn = "##";
constexpr std::size_t kLongestWord = 100;  // characters

/// Blocks of Chinese characters, as BertTokenizer of transformers has them.
constexpr std::pair<char32_t, char32_t> kChinese[] = {
    {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xF900, 0xFAFF},  {0x20000, 0x2A6DF},
    {0x2A700, 0x2B81F}, {0x2B920, 0x2CEAF}, {0x2F800, 0x2FA1F}};

bool is_chinese(char32_t character) {
  for (const auto& [first, last] : kChinese) {
    if (first <= character && character <= last) return true;
  }
  return false;
}

/// Includes all of ASCII except letters, digits and blanks, such as $ and ^.
bool stands_alone(char32_t character) {
  if (character >= 0x80) return is_punctuation(character);
  return character > U' ' && character < 0x7F && !is_letter(character) && !is_number(character);
}

bool is_dropped(char32_t character) {
  const bool is_blank = character == U'\t' || character == U'\n' || character == U'\r';
  return character == 0xFFFD || (!is_blank && is_control(character));
}

std::u32string folded(std::u32string text, const WordPieceSettings& settings) {
  if (settings.strip_accents.value_or(settings.lower_case)) {
    text = decomposed(text);
    std::erase_if(text, is_nonspacing_mark);
  }
  if (!settings.lower_case) return text;
  std::u32string lowered;  // each character separately, so that sigma has one lower case
  for (const char32_t character : text) lowered += lower({&character, 1});
  return lowered;
}

/// settings: the defaults.
WordPieceSettings read_settings(const std::filesystem::path& file, WordPieceSettings settings) {
  if (!std::filesystem::exists(file)) return settings;
  const auto json = parse_json<nlohmann::json>(read_text(file), file.string());
  KETTE_CHECK(json.is_object(), file.string(), ": expected a JSON object, given something else");
  const auto read = [&](const char* key, auto& value) {
    if (!json.contains(key) || json[key].is_null()) return;
    KETTE_CHECK(json[key].is_boolean(), file.string(), ": expected true or false for \"", key,
                "\", given ", json[key].dump());
    value = json[key].get<bool>();
  };
  read("do_lower_case", settings.lower_case);
  read("strip_accents", settings.strip_accents);
  read("tokenize_chinese_chars", settings.parts_chinese);
  return settings;
}

/// Throws unless a folder without tokenizer.json asks for BERT's steps, and for all of them.
void expect_steps_of_bert(const std::filesystem::path& folder, const std::filesystem::path& file) {
  // These cut a text as BERT's does.
  expect_tokenizer_class(folder,
                         {"BertTokenizer", "BertTokenizerFast", "DistilBertTokenizer",
                          "DistilBertTokenizerFast", "ElectraTokenizer", "ElectraTokenizerFast",
                          "MobileBertTokenizer", "MobileBertTokenizerFast"});
  if (!std::filesystem::exists(file)) return;
  const auto json = parse_json<nlohmann::json>(read_text(file), file.string());
  const auto value_of = [&](const char* key) { return json.value(key, nlohmann::json()); };
  const auto basic = value_of("do_basic_tokenize"), kept = value_of("never_split");
  KETTE_CHECK(basic.is_null() || basic == true, file.string(),
              ": expected true for \"do_basic_tokenize\", which is all that Kette's tokenizer has, "
              "given ",
              basic.dump());
  KETTE_CHECK(kept.is_null() || kept == nlohmann::json::array(), file.string(),
              ": expected no words for \"never_split\", which Kette's tokenizer has not, given ",
              kept.dump());
}

std::vector<std::string> read_pieces(const std::filesystem::path& file) {
  const TextLines lines = read_lines(file);
  std::vector<std::string> pieces(lines.views().begin(), lines.views().end());
  for (std::size_t id = 0; id < pieces.size(); ++id) {
    const bool can_be_written =
        pieces[id].find('\r') == std::string::npos && !pieces[id].starts_with(kByteOrderMark);
    KETTE_CHECK(can_be_written, file.string(), ":", id + 1,
                ": expected a piece without carriage returns and byte order marks, given one with");
  }
  return pieces;
}

std::vector<std::string> pieces_in(const TokenizerJson& json) {
  const auto entries = json.vocabulary();
  std::vector<std::string> pieces(entries.size());
  for (const auto& [piece, id] : entries) {
    KETTE_CHECK(id < std::ssize(entries) && pieces[static_cast<std::size_t>(id)].empty(),
                json.file(), ": expected ids from 0 to ", entries.size() - 1, ", one for each of ",
                entries.size(), " pieces, given ", id, " for ", piece);
    const bool can_be_written =
        piece.find_first_of("\r\n") == std::string::npos && !piece.starts_with(kByteOrderMark);
    KETTE_CHECK(
        can_be_written, json.file(),
        ": expected pieces without line ends and byte order marks, given one with them, of the id ",
        id);
    pieces[static_cast<std::size_t>(id)] = piece;
  }
  return pieces;
}

/// Throws unless every step is as in BERT's. Also checks the settings that tokenizer_config.json
/// repeats.
WordPieceSettings settings_in(const TokenizerJson& json, const std::filesystem::path& config) {
  json.expect("model/type", {"WordPiece", nullptr});
  json.expect("model/unk_token", {"[UNK]"});
  json.expect("model/continuing_subword_prefix", {kGoesOn, nullptr});
  json.expect("model/max_input_chars_per_word", {kLongestWord, nullptr});
  json.expect("normalizer/type", {"BertNormalizer"});
  json.expect("normalizer/clean_text", {true, nullptr});
  json.expect("normalizer/lowercase", {true, false});
  json.expect("normalizer/handle_chinese_chars", {true, false});
  json.expect("normalizer/strip_accents", {nullptr, true, false});
  json.expect("pre_tokenizer/type", {"BertPreTokenizer"});
  json.expect_between({"[CLS]"}, {"[SEP]"});
  WordPieceSettings settings;
  settings.lower_case = json.at("normalizer/lowercase").get<bool>();
  settings.parts_chinese = json.at("normalizer/handle_chinese_chars").get<bool>();
  if (const auto strips = json.at("normalizer/strip_accents"); strips.is_boolean()) {
    settings.strip_accents = strips.get<bool>();
  }
  const WordPieceSettings again = read_settings(config, settings);
  KETTE_CHECK(again == settings, config.string(), ": expected the settings of ", kTokenizerJson,
              " beside it, given others (do_lower_case, strip_accents or tokenize_chinese_chars)");
  return settings;
}

}  // namespace

WordPieceTokenizer::WordPieceTokenizer(const std::vector<std::string>& pieces,
                                       const WordPieceSettings& settings, const std::string& name)
    : pieces_(pieces), settings_(settings) {
  for (std::int32_t id = 0; id < pieces_.size(); ++id) {
    const std::int32_t first = pieces_.find(pieces_.text(id));
    if (first != id) last_of_[first] = id;
  }
  const auto expected = [&](const char* mark) {
    const std::int32_t id = find(mark);
    KETTE_CHECK(id != TokenTable::kNone, name, ": expected the piece ", mark, ", given ",
                pieces.size(), " others (is it a vocabulary of BERT's?)");
    return id;
  };
  special_ = {find("[PAD]"), expected("[UNK]"), expected("[CLS]"), expected("[SEP]")};
  mask_ = find(kMaskPiece);
}

std::int32_t WordPieceTokenizer::find(std::string_view piece) const {
  const std::int32_t first = pieces_.find(piece);
  const auto last = last_of_.find(first);
  return last == last_of_.end() ? first : last->second;
}

std::shared_ptr<const WordPieceTokenizer> WordPieceTokenizer::load(
    const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kVocabulary, one_file = folder / kTokenizerJson,
                              config = folder / kSettings;
  std::shared_ptr<const WordPieceTokenizer> tokenizer;
  if (std::filesystem::exists(one_file)) {
    const TokenizerJson json(one_file);
    const WordPieceSettings settings = settings_in(json, config);
    tokenizer = std::make_shared<WordPieceTokenizer>(pieces_in(json), settings, json.file());
  } else {
    expect_steps_of_bert(folder, config);
    tokenizer = std::make_shared<WordPieceTokenizer>(read_pieces(file), read_settings(config, {}),
                                                     file.string());
  }
  std::vector<std::pair<std::string, std::int32_t>> marks;
  for (const char* mark : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", kMaskPiece}) {
    marks.emplace_back(mark, tokenizer->find(mark));
  }
  expect_no_added_tokens(folder, kVocabulary, marks);
  return tokenizer;
}

std::optional<std::int32_t> WordPieceTokenizer::mask() const {
  return mask_ == SpecialTokens::kNone ? std::nullopt : std::optional(mask_);
}

std::string WordPieceTokenizer::piece(std::int32_t id) const {
  check_ids({&id, 1});
  return std::string(pieces_.text(id));
}

WordEdges WordPieceTokenizer::edges(std::int32_t id) const {
  return {pieces_.text(id).starts_with(kGoesOn), true};
}

bool WordPieceTokenizer::is_mark(std::int32_t id) const {
  return id == special_.pad || id == special_.begin || id == special_.end || id == mask_;
}

std::vector<std::int32_t> WordPieceTokenizer::encode_text(std::string_view text, Side) const {
  const std::size_t invalid = first_invalid_utf8(text);
  KETTE_CHECK(invalid == std::string_view::npos, "wordpiece tokenizer: ",
              expected_utf8(text, text[invalid], " at byte offset " + std::to_string(invalid)));
  std::u32string clean;
  for (const char32_t character : decode_utf8(text)) {
    if (is_dropped(character)) continue;
    const bool alone = settings_.parts_chinese && is_chinese(character);
    if (alone) clean += U' ';
    clean += is_white_space(character) ? U' ' : character;
    if (alone) clean += U' ';
  }
  clean = folded(std::move(clean), settings_);
  std::vector<std::int32_t> ids;
  const std::u32string_view whole = clean;
  for (std::size_t at = 0; at < whole.size();) {
    std::size_t end = at + 1;
    if (!is_white_space(whole[at])) {
      if (!stands_alone(whole[at])) {
        while (end < whole.size() && !is_white_space(whole[end]) && !stands_alone(whole[end]))
          ++end;
      }
      append_word(whole.substr(at, end - at), ids);
    }
    at = end;
  }
  return ids;
}

void WordPieceTokenizer::append_word(std::u32string_view word,
                                     std::vector<std::int32_t>& ids) const {
  const std::size_t first = ids.size();
  const auto give_up = [&] {
    ids.resize(first);
    ids.push_back(special_.unknown);
  };
  if (word.size() > kLongestWord) return give_up();
  const std::string bytes = encode_utf8(word);
  std::string piece;
  for (std::size_t begin = 0; begin < bytes.size();) {
    std::int32_t id = TokenTable::kNone;
    piece.assign(begin > 0 ? kGoesOn : "");
    const std::size_t written = piece.size();
    piece += bytes.substr(begin);
    while (piece.size() > written && (id = find(piece)) == TokenTable::kNone) {
      do piece.pop_back();  // a character
      while (piece.size() > written && continues_utf8(bytes[begin + piece.size() - written]));
    }
    if (id == TokenTable::kNone) return give_up();
    ids.push_back(id);
    begin += piece.size() - written;
  }
}

std::string WordPieceTokenizer::decode(std::span<const std::int32_t> ids) const {
  check_ids(ids);
  std::string text;
  for (const std::int32_t id : ids) {
    if (is_mark(id)) continue;
    const std::string_view piece = pieces_.text(id);
    const bool goes_on = piece.starts_with(kGoesOn) && !text.empty();
    if (!text.empty() && !goes_on) text += ' ';
    text += goes_on ? piece.substr(kGoesOn.size()) : piece;
  }
  return text;
}

std::vector<std::pair<std::string, std::string>> WordPieceTokenizer::files() const {
  std::string vocabulary;
  for (std::int32_t id = 0; id < pieces_.size(); ++id) {
    vocabulary.append(pieces_.text(id)).push_back('\n');
  }
  const Json settings = {
      {"tokenizer_class", "BertTokenizer"},
      {"do_lower_case", settings_.lower_case},
      {"strip_accents", settings_.strip_accents ? Json(*settings_.strip_accents) : Json()},
      {"tokenize_chinese_chars", settings_.parts_chinese}};
  return {{kVocabulary, std::move(vocabulary)}, {kSettings, settings.dump(2) + "\n"}};
}

}  // namespace kette
