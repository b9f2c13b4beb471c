// Tokenizers in the folders of transformers: added tokens, tokenizer.json alone, names of special tokens. The ids are those of
// transformers 5.24.0 for the same files.
#include "data/tokenizers/gpt2_tokenizer.h"
#include "data/tokenizers/wordpiece_tokenizer.h"
#include "tests/data/tiny_text.h"
#include "tests/models/hugging_face_folder.h"

using namespace kette;
using namespace kette::testing;

namespace {

using Ids = std::vector<std::int32_t>;

/// As save_pretrained of transformers 5 writes it for GPT-2. as_lists: the form of the merges.
Json gpt2_json(const std::filesystem::path& folder, bool as_lists) {
  Json merges = Json::array();
  std::istringstream lines(read_file(folder / "merges.txt"));
  std::string line;
  while (std::getline(lines, line)) {
    if (line.starts_with("#version")) continue;
    const std::size_t space = line.find(' ');
    if (as_lists) merges.push_back({line.substr(0, space), line.substr(space + 1)});
    if (!as_lists) merges.push_back(line);
  }
  Json json = Json::parse(R"({"version": "1.0", "truncation": null, "padding": null,
    "added_tokens": [{"id": 359, "content": "<|endoftext|>", "single_word": false, "lstrip": false, "rstrip": false,
                      "normalized": false, "special": true}],
    "normalizer": null,
    "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true},
    "post_processor": {"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A", "type_id": 0}}],
                       "pair": [], "special_tokens": {}},
    "decoder": {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true},
    "model": {"type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": "",
              "end_of_word_suffix": "", "fuse_unk": false, "byte_fallback": false, "ignore_merges": false}})");
  json["model"]["vocab"] = Json::parse(read_file(folder / "vocab.json"));
  json["model"]["merges"] = merges;
  return json;
}

/// The same model with its tokenizer in one file.
void keep_in_one_file(const HuggingFaceFolder& folder, bool as_lists) {
  write_file(folder.path() / "tokenizer.json", gpt2_json(folder.path(), as_lists).dump());
  std::filesystem::remove(folder.path() / "vocab.json");
  std::filesystem::remove(folder.path() / "merges.txt");
}

Json added_token(std::int32_t id, const std::string& content) {
  return {{"id", id},        {"content", content},  {"single_word", false}, {"lstrip", false},
          {"rstrip", false}, {"normalized", false}, {"special", true}};
}

}  // namespace

TEST_CASE(
    "Hugging Face: tokens that were added are taken over with their rows and found in texts") {
  const Json added = {{"<|user|>", 360}, {"<|pad|>", 361}, {"colour", 362}};
  const std::pair<std::string, Ids> expected[] = {
      {"<|user|>the colour <|user|><|user> x",
       {360, 83, 256, 220, 362, 220, 360, 27, 91, 84, 82, 274, 29, 220, 87}},
      {"a<|user|> \n<|us<|user|>", {64, 360, 220, 198, 27, 91, 84, 82, 360}},
      {"the<|usercolour", {83, 256, 27, 91, 84, 82, 274, 362}},
      {"  <|user|>  the  ", {337, 360, 220, 262, 337}},
      {"<|pad|>colours<|pad|>é", {361, 362, 82, 361, 293}}};
  const auto check = [&](const HuggingFaceFolder& folder) {
    const SavedModel<Gpt> saved = imported<Gpt>(folder);
    CHECK(saved.tokenizer->vocabulary() == 363);
    CHECK(saved.model->config().vocabulary == 363);
    CHECK(saved.model->token_embedding().table.value().values<float>().back() == 9);
    for (const auto& [text, ids] : expected) {
      const std::string given = text;
      CAPTURE(given);
      CHECK(saved.tokenizer->encode(given) == ids);
      CHECK(saved.tokenizer->decode(ids) == given);
    }
    CHECK(saved.tokenizer->decode(Ids{360, 5, 361, 362, 20}) == "<|user|>&<|pad|>colour5");
    // No text ends its own document.
    const Ids end = saved.tokenizer->encode("<|endoftext|>");
    CHECK(std::find(end.begin(), end.end(), 359) == end.end());
    CHECK(saved.tokenizer->decode(end) == "<|endoftext|>");
    // And out again, in the form that transformers reads.
    const ScratchFolder scratch;
    export_hugging_face(folder.out(), scratch / "theirs");
    CHECK(Json::parse(read_file(scratch / "theirs" / "added_tokens.json")) == added);
    CHECK(Json::parse(read_file(scratch / "theirs" / "vocab.json")).size() == 360);
    import_hugging_face(scratch / "theirs", scratch / "ours");
    CHECK(load_model<Gpt>(scratch / "ours").tokenizer->fingerprint() ==
          saved.tokenizer->fingerprint());
  };
  const HuggingFaceFolder file("gpt2"), config("gpt2"), lists("gpt2"), strings("gpt2");
  for (const HuggingFaceFolder* folder : {&file, &config, &lists, &strings})
    folder->pad_vocabulary(3);
  write_file(file.path() / "added_tokens.json", added.dump());
  Json decoder;
  for (const auto& [content, id] : added.items()) {
    decoder[id.dump()] = added_token(id, content);
  }
  write_file(config.path() / "tokenizer_config.json",
             Json{{"added_tokens_decoder", decoder}}.dump());
  for (const bool as_lists : {true, false}) {
    const HuggingFaceFolder& folder = as_lists ? lists : strings;
    keep_in_one_file(folder, as_lists);
    folder.change_json("tokenizer.json", [&](Json& json) {
      for (const auto& [content, id] : added.items()) {
        json["added_tokens"].push_back(added_token(id, content));
      }
    });
  }
  check(file);
  check(config);
  check(lists);
  check(strings);
}

TEST_CASE("Hugging Face: an added token that cannot be taken over is refused by its name") {
  const auto error_of = [](const std::function<void(const HuggingFaceFolder&)>& change,
                           const char* model = "gpt2") {
    const HuggingFaceFolder folder(model);
    folder.pad_vocabulary(1);
    change(folder);
    return folder.import_error();
  };
  const auto with = [&](const Json& tokens) {
    return error_of([&](const HuggingFaceFolder& f) {
      write_file(f.path() / "added_tokens.json", tokens.dump());
    });
  };
  CHECK(with({{"<|user|>", 360}}).empty());
  CHECK(contains(with({{"<|user|>", 361}}), "given <|user|> for the id 361"));
  CHECK(contains(with({{"<|user|>", 3}}), "given <|user|> for the id 3"));
  CHECK(contains(with({{"in two words", 360}}), "without white space"));
  CHECK(contains(with({{"a", 360}}), "given a for the id 360"));
  CHECK(contains(with({{"<|user|>", "360"}}), "expected an id for the added token \"<|user|>\""));
  CHECK(contains(with({{"", 360}}), "expected a text for each added token"));
  CHECK(contains(with(Json::array()), "added_tokens.json: expected a JSON object"));
  CHECK(contains(error_of([](const HuggingFaceFolder& f) {
                   Json token = added_token(360, "<mask>");
                   token["lstrip"] = true;
                   write_file(f.path() / "tokenizer_config.json",
                              Json{{"added_tokens_decoder", {{"360", token}}}}.dump());
                 }),
                 "expected false for \"lstrip\" of the added token \"<mask>\""));
  CHECK(contains(error_of([](const HuggingFaceFolder& f) {
                   write_file(f.path() / "added_tokens.json", R"({"<|user|>": 360})");
                   write_file(
                       f.path() / "tokenizer_config.json",
                       Json{{"added_tokens_decoder", {{"360", added_token(360, "<|x|>")}}}}.dump());
                 }),
                 "given <|x|> with the id 360"));
  // A row that a name has no id for could be its own.
  CHECK(contains(error_of([](const HuggingFaceFolder& f) {
                   write_file(f.path() / "special_tokens_map.json", R"({"pad_token": "[NEW]"})");
                 }),
                 "special_tokens_map.json: pad_token [NEW]: expected a token with an id"));
  const HuggingFaceFolder loaded("gpt2");
  loaded.pad_vocabulary(1);
  write_file(loaded.path() / "special_tokens_map.json",
             R"({"additional_special_tokens": ["<|user|>"]})");
  CHECK(contains(message_of([&] { load_hugging_face(loaded.path()); }),
                 "additional_special_tokens <|user|>: expected a token with an id"));
  // BERT's and Marian's find no such tokens in a text.
  CHECK(contains(error_of(
                     [](const HuggingFaceFolder& f) {
                       write_file(f.path() / "added_tokens.json", R"({"[USER]": 248})");
                     },
                     "bert"),
                 "added_tokens.json: expected no tokens beside those of vocab.txt, given [USER]"));
  CHECK(contains(
      error_of(
          [](const HuggingFaceFolder& f) {
            write_file(f.path() / "special_tokens_map.json",
                       R"({"additional_special_tokens": [{"content": "harbour"}]})");
          },
          "bert"),
      "additional_special_tokens: expected no tokens beside those of vocab.txt, given harbour"));
  CHECK(contains(error_of(
                     [](const HuggingFaceFolder& f) {
                       write_file(f.path() / "added_tokens.json", R"({"<user>": 141})");
                     },
                     "marian"),
                 "added_tokens.json: expected no tokens beside those of vocab.json, given <user>"));
}

TEST_CASE(
    "Hugging Face: GPT-2 and Llama are read as transformers 5 saves them, with tokenizer.json alone") {
  for (const char* name : {"gpt2", "llama"}) {
    for (const bool as_lists : {true, false}) {
      const HuggingFaceFolder folder(name), one_file(name);
      keep_in_one_file(one_file, as_lists);
      const SavedModel<Gpt> expected = imported<Gpt>(folder), saved = imported<Gpt>(one_file);
      CHECK(saved.tokenizer->files() == expected.tokenizer->files());
      CHECK(saved.model->parameters().values().values<float>() ==
            expected.model->parameters().values().values<float>());
      CHECK(load_tokenizer(one_file.path())->fingerprint() == expected.tokenizer->fingerprint());
    }
  }
}

TEST_CASE(
    "Hugging Face: a step of tokenizer.json that Kette's tokenizers lack is an error that names it") {
  const std::pair<const char*, const char*> changes[] = {
      {R"({"normalizer": {"type": "NFC"}})", "expected null for \"normalizer\""},
      {R"({"pre_tokenizer": {"add_prefix_space": true}})", "\"pre_tokenizer/add_prefix_space\""},
      {R"({"pre_tokenizer": {"type": "Metaspace"}})", "\"pre_tokenizer/type\""},
      {R"({"pre_tokenizer": {"use_regex": false}})", "\"pre_tokenizer/use_regex\""},
      {R"({"model": {"byte_fallback": true}})", "\"model/byte_fallback\""},
      {R"({"model": {"ignore_merges": true}})", "\"model/ignore_merges\""},
      {R"({"model": {"dropout": 0.1}})", "\"model/dropout\""},
      {R"({"model": {"end_of_word_suffix": "</w>"}})", "\"model/end_of_word_suffix\""},
      {R"({"model": {"type": "Unigram"}})", "\"model/type\""},
      {R"({"model": {"merges": ["a b c"]}})", "the merge a b c"},
      {R"({"model": {"merges": [["h", "e"], ["h", "e"]]}})", "expected every merge once"},
      {R"({"model": {"merges": [1]}})", "expected two tokens for each merge, given 1"},
      {R"({"model": {"vocab": {"new": 361}}})", "expected ids from 0 to 360"},
      {R"({"model": {"vocab": {"new": -1}}})", "expected an id for the token new"},
      {R"({"model": 7})", "with a \"model\""},
      {R"({"post_processor": {"single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A"}}]}})",
       "expected a \"post_processor\" that makes TEXT of a text"}};
  for (const auto& [change, message] : changes) {
    const HuggingFaceFolder folder("gpt2");
    keep_in_one_file(folder, true);
    const Json patch = Json::parse(change);
    folder.change_json("tokenizer.json", [&](Json& json) { json.merge_patch(patch); });
    const std::string error = folder.import_error();
    CAPTURE(error);
    CHECK(contains(error, "tokenizer.json"));
    CHECK(contains(error, message));
  }
  const HuggingFaceFolder folder("gpt2");
  write_file(folder.path() / "tokenizer_config.json", R"({"add_prefix_space": true})");
  CHECK(contains(folder.import_error(), "expected false for \"add_prefix_space\""));
  write_file(folder.path() / "tokenizer.json", "junk");
  CHECK(contains(folder.import_error(), "tokenizer.json: expected a JSON object"));
}

TEST_CASE("Hugging Face: BERT is read as transformers 5 saves it, with tokenizer.json alone") {
  const HuggingFaceFolder folder("bert"), one_file("bert");
  Json json = Json::parse(
      R"({"added_tokens": [], "normalizer": {"type": "BertNormalizer", "clean_text": true,
      "handle_chinese_chars": true, "strip_accents": null, "lowercase": true},
    "pre_tokenizer": {"type": "BertPreTokenizer"},
    "post_processor": {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}},
      {"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "[SEP]", "type_id": 0}}]},
    "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": true},
    "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
              "max_input_chars_per_word": 100, "vocab": {}}})");
  std::istringstream lines(read_file(folder.path() / "vocab.txt"));
  std::string piece;
  for (std::int32_t id = 0; std::getline(lines, piece); ++id) {
    json["model"]["vocab"][piece] = id;
    const bool is_mark =
        piece.starts_with("[") && piece.size() > 2 && !piece.starts_with("[unused");
    if (is_mark) json["added_tokens"].push_back(added_token(id, piece));
  }
  write_file(one_file.path() / "tokenizer.json", json.dump());
  std::filesystem::remove(one_file.path() / "vocab.txt");
  const SavedModel<Bert> expected = imported<Bert>(folder), saved = imported<Bert>(one_file);
  CHECK(saved.tokenizer->files() == expected.tokenizer->files());
  CHECK(saved.tokenizer->encode("the old harbour, Übermut!") == Ids{246, 71, 182, 174, 64, 171, 188,
                                                                    172, 185, 191, 188, 11, 77, 172,
                                                                    235, 183, 191, 190, 6});
  CHECK(load_tokenizer(one_file.path())->kind() == "wordpiece");
  std::filesystem::remove_all(one_file.out());

  one_file.change_json("tokenizer.json", [](Json& j) { j["normalizer"]["lowercase"] = false; });
  CHECK(contains(one_file.import_error(),
                 "tokenizer_config.json: expected the settings of tokenizer.json"));
  one_file.change_json("tokenizer.json",
                       [](Json& j) { j["pre_tokenizer"]["type"] = "Whitespace"; });
  CHECK(contains(one_file.import_error(), "\"pre_tokenizer/type\""));
}

// [2, 5, 7, 9, 4, 11, 3] and of a text with the rest is what transformers 5.24.0 reads with such a file.
TEST_CASE(
    "Hugging Face: of equal lines of a vocab.txt the last is read, and an empty line counts") {
  const ScratchFolder scratch;
  const std::string lines = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nman\nman\ndog\nruns\n\n.\n";
  write_file(scratch / "vocab.txt", lines);
  const auto tokenizer = WordPieceTokenizer::load(scratch.path());
  CHECK(tokenizer->vocabulary() == 12);
  CHECK(tokenizer->encode("a man runs .") == Ids{5, 7, 9, 11});
  CHECK(tokenizer->decode(Ids{6, 7, 8}) == "man man dog");
  CHECK(tokenizer->files().front().second == lines);
}

TEST_CASE("Hugging Face: what a folder has beside what is taken over is told by name") {
  const HuggingFaceFolder folder("marian");
  write_file(
      folder.path() / "generation_config.json",
      R"({"num_beams": 6, "no_repeat_ngram_size": 2, "max_length": 40, "bad_words_ids": [[140]],
                 "repetition_penalty": 1.0, "forced_bos_token_id": 7, "new_setting": "odd", "use_cache": true,
                 "transformers_version": "5.24.0", "eos_token_id": [0, 5], "temperature": 1.0})");
  write_file(folder.path() / "special_tokens_map.json",
             R"({"eos_token": "</s>", "pad_token": {"content": "<pad>"}})");
  write_file(folder.path() / "chat_template.jinja", "x");
  write_file(folder.path() / "README.md", "x");
  const auto notes = import_hugging_face(folder.path(), folder.out()).notes;
  CHECK(
      notes ==
      std::vector<std::string>{
          "generation_config.json: eos_token_id [0,5]: Kette ends a text at the id 0 alone",
          "generation_config.json: not kept: forced_bos_token_id 7, new_setting \"odd\", "
          "no_repeat_ngram_size 2, num_beams 6 (generate() of transformers heeds them by itself; what "
          "Kette has options for, such as --beam, is to be given anew)",
          "not read: chat_template.jinja", "to deu: --to deu, or without"});
  const HuggingFaceFolder plain("gpt2");
  CHECK(import_hugging_face(plain.path(), plain.out()).notes.empty());
  write_file(plain.path() / "special_tokens_map.json", R"({"pad_token": "[NEW]"})");
  std::filesystem::remove_all(plain.out());
  CHECK(import_hugging_face(plain.path(), plain.out()).notes ==
        std::vector<std::string>{
            "special_tokens_map.json: pad_token [NEW]: left out, for it has no id"});
}

TEST_CASE("Hugging Face: settings of a tokenizer that Kette lacks are errors that name them") {
  struct Case {
    const char *model, *file, *settings, *message;  // message: "" if it is imported
  };
  const char *in_tokenizer = "tokenizer_config.json", *in_config = "config.json";
  const Case cases[] = {
      {"bert", in_tokenizer, R"({"tokenizer_class": "BertJapaneseTokenizer"})",
       "expected BertTokenizer for \"tokenizer_class\""},
      {"bert", in_tokenizer, R"({"do_basic_tokenize": false})", "\"do_basic_tokenize\""},
      {"bert", in_tokenizer, R"({"never_split": ["foo"]})", "\"never_split\""},
      {"bert", in_tokenizer,
       R"({"tokenizer_class": "DistilBertTokenizer", "do_basic_tokenize": true, "never_split": []})",
       ""},
      {"bert", in_config, R"({"tokenizer_class": "BertJapaneseTokenizer"})", ""},
      {"llama", in_tokenizer, R"({"tokenizer_class": "Qwen2Tokenizer"})",
       "expected GPT2Tokenizer for \"tokenizer_class\", which is what Kette's tokenizer does, given "
       "\"Qwen2Tokenizer\""},
      {"llama", in_config, R"({"tokenizer_class": "LlamaTokenizer"})", "\"LlamaTokenizer\""},
      {"gpt2", in_tokenizer, R"({"tokenizer_class": "GPT2TokenizerFast"})", ""},
      {"gpt2", in_config, R"({"tokenizer_class": null})", ""}};
  for (const Case& one : cases) {
    const HuggingFaceFolder folder(one.model);
    if (!std::filesystem::exists(folder.path() / one.file))
      write_file(folder.path() / one.file, "{}");
    const Json patch = Json::parse(one.settings);
    folder.change_json(one.file, [&](Json& json) { json.update(patch); });
    const std::string error = folder.import_error();
    CAPTURE(one.settings);
    CAPTURE(error);
    CHECK(error.empty() == (*one.message == '\0'));
    CHECK(contains(error, one.message));
  }
  // One file says all.
  const HuggingFaceFolder folder("gpt2");
  keep_in_one_file(folder, true);
  write_file(folder.path() / in_tokenizer, R"({"tokenizer_class": "PreTrainedTokenizerFast"})");
  CHECK(folder.import_error().empty());
}
