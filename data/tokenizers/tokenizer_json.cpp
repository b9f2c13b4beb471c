#include "data/tokenizers/tokenizer_json.h"

#include <algorithm>

#include "data/files/json_text.h"
#include "data/files/text_file.h"
#include "tensor/error.h"

namespace kette {
namespace {

using Value = TokenizerJson::Value;

/// Keeps messages readable for any content of the file.
std::string shown(const Value& value) {
  constexpr std::size_t kLongest = 200;
  const std::string text = value.dump();
  return text.size() <= kLongest ? text : text.substr(0, kLongest) + " ...";
}

/// The steps of a template: [["<s>"], [], ["</s>"]] means <s> TEXT </s>. Empty: another kind.
std::vector<std::vector<std::string>> around_text(const Value& processor) {
  const auto kind = processor.is_object() ? processor.value("type", Value()) : Value();
  if (processor.is_null() || kind == "ByteLevel") return {{}, {}};
  if (kind == "BertProcessing" && processor.contains("cls") && processor.contains("sep")) {
    const Value &cls = processor["cls"], &sep = processor["sep"];
    const auto is_pair = [](const Value& v) {
      return v.is_array() && v.size() == 2 && v[0].is_string();
    };
    if (is_pair(cls) && is_pair(sep))
      return {{cls[0].get<std::string>()}, {sep[0].get<std::string>()}};
  }
  if (kind != "TemplateProcessing" || !processor.contains("single")) return {};
  std::vector<std::vector<std::string>> parts(1);
  for (const Value& step : processor["single"]) {
    if (!step.is_object() || step.size() != 1) return {};
    const std::string& name = step.begin().key();
    const Value& what = *step.begin();
    if (name == "Sequence") {
      parts.emplace_back();
    } else if (name == "SpecialToken" && what.is_object() && what.contains("id") &&
               what["id"].is_string()) {
      parts.back().push_back(what["id"].get<std::string>());
    } else {
      return {};
    }
  }
  return parts.size() == 2 ? parts : std::vector<std::vector<std::string>>();
}

}  // namespace

TokenizerJson::TokenizerJson(const std::filesystem::path& file)
    : file_(file.string()),
      json_(std::make_shared<Value>(parse_json<Value>(read_text(file), file.string()))) {
  const bool has_model =
      json_->is_object() && json_->contains("model") && (*json_)["model"].is_object();
  KETTE_CHECK(has_model, file_, ": expected a JSON object with a \"model\", given something else");
}

std::string TokenizerJson::model() const {
  const Value type = at("model/type");
  if (type.is_string()) return type.get<std::string>();
  // Early files do not have it.
  return at("model/merges").is_array()                      ? "BPE"
         : at("model/max_input_chars_per_word").is_number() ? "WordPiece"
                                                            : "?";
}

std::vector<std::pair<std::string, std::int64_t>> TokenizerJson::vocabulary() const {
  const Value& model = (*json_)["model"];
  KETTE_CHECK(model.contains("vocab") && model["vocab"].is_object(), file_,
              ": expected a \"vocab\" of tokens and their ids, given none");
  std::vector<std::pair<std::string, std::int64_t>> vocabulary;
  for (const auto& [token, id] : model["vocab"].items()) {
    const bool is_id = id.is_number_unsigned() && id.get<std::uint64_t>() < INT32_MAX;
    KETTE_CHECK(is_id, file_, ": expected an id for the token ", token, ", given ", shown(id));
    vocabulary.emplace_back(token, id.get<std::int64_t>());
  }
  return vocabulary;
}

std::vector<std::pair<std::string, std::string>> TokenizerJson::merges() const {
  const Value& model = (*json_)["model"];
  KETTE_CHECK(model.contains("merges") && model["merges"].is_array(), file_,
              ": expected a list of \"merges\", given none");
  std::vector<std::pair<std::string, std::string>> merges;
  for (const Value& merge : model["merges"]) {
    if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
      merges.emplace_back(merge[0].get<std::string>(), merge[1].get<std::string>());
      continue;
    }
    const std::string text = merge.is_string() ? merge.get<std::string>() : "";
    const std::size_t space = text.find(' ');
    KETTE_CHECK(space != std::string::npos, file_, ": expected two tokens for each merge, given ",
                shown(merge));
    merges.emplace_back(text.substr(0, space), text.substr(space + 1));
  }
  return merges;
}

Value TokenizerJson::at(const std::string& path) const {
  const Value::json_pointer pointer("/" + path);
  return json_->is_object() && json_->contains(pointer) ? json_->at(pointer) : Value();
}

void TokenizerJson::expect(const std::string& path, std::initializer_list<Value> allowed) const {
  const Value given = at(path);
  if (std::find(allowed.begin(), allowed.end(), given) != allowed.end()) return;
  fail(file_, ": expected ", shown(*allowed.begin()), " for \"", path,
       "\", which is all that Kette's tokenizer has, given ", shown(given));
}

void TokenizerJson::expect_between(const std::vector<std::string>& before,
                                   const std::vector<std::string>& after) const {
  Value processor = at("post_processor");
  if (processor.is_object() && processor.value("type", Value()) == "Sequence" &&
      processor.contains("processors") && processor["processors"].is_array()) {
    // One step that adds tokens around, and others that do not.
    Value last;
    for (const Value& one : processor["processors"]) {
      if (one.is_object() && one.value("type", Value()) == "ByteLevel") continue;
      if (!last.is_null()) last = "several";
      if (last.is_null()) last = one;
    }
    processor = last;
  }
  const std::vector<std::vector<std::string>> expected = {before, after};
  const auto written = [](const std::vector<std::string>& tokens) {
    std::string text;
    for (const std::string& token : tokens) text += token + " ";
    return text;
  };
  KETTE_CHECK(around_text(processor) == expected, file_,
              ": expected a \"post_processor\" that makes ", written(before), "TEXT ",
              written(after), "of a text, which is all that Kette's tokenizer has, given ",
              shown(at("post_processor")));
}

std::string kind_of_tokenizer_json(const std::filesystem::path& file) {
  const std::string model = TokenizerJson(file).model();
  KETTE_CHECK(
      model == "BPE" || model == "WordPiece", file.string(),
      ": expected a BPE of bytes or a WordPiece, which are what Kette reads of such files, given a model of the type ",
      model);
  return model == "BPE" ? "gpt2" : "wordpiece";
}

}  // namespace kette
