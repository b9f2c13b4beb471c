// Copies of the models in tests/fixtures/hugging_face, to change something in and to import.
#pragma once

#include <doctest/doctest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <span>

#include "data/files/safetensors.h"
#include "models/exchange/hugging_face.h"
#include "models/model_directory.h"
#include "tests/gap.h"
#include "tests/support.h"

namespace kette::testing {

using Json = nlohmann::json;

inline const std::filesystem::path kHuggingFace =
    source_folder() / "tests" / "fixtures" / "hugging_face";

inline Json golden(const std::string& name) { return Json::parse(read_file(kHuggingFace / name)); }

/// Of a JSON file, and what the error that follows says.
struct Change {
  std::string key;
  Json value;
  const char* message;
};

/// Goes into a folder of its own, so that a test may change it.
class HuggingFaceFolder {
 public:
  explicit HuggingFaceFolder(const std::string& name) {
    std::filesystem::copy(kHuggingFace / name, path());
  }

  std::filesystem::path path() const { return scratch_ / "theirs"; }
  std::filesystem::path out() const { return scratch_ / "ours"; }

  void change_settings(const std::function<void(Json&)>& change) const {
    change_json("config.json", change);
  }
  void change_json(const std::string& file, const std::function<void(Json&)>& change) const {
    Json json = Json::parse(read_file(path() / file));
    change(json);
    write_file(path() / file, json.dump());
  }

  using Tensors = std::map<std::string, Tensor>;
  void change_tensors(const std::function<void(Tensors&)>& change) const {
    const std::filesystem::path file = path() / "model.safetensors";
    Tensors tensors = read_tensors();
    change(tensors);
    write_safetensors(file, {tensors.begin(), tensors.end()});
  }
  Tensors read_tensors() const {
    const SafetensorsFile file = SafetensorsFile::open(path() / "model.safetensors");
    Tensors tensors;
    for (const std::string& name : file.names()) tensors[name] = file.tensor(name);
    return tensors;
  }

  /// A vocabulary that is larger than the tokenizer's, by tokens that would be the likeliest.
  void pad_vocabulary(std::int64_t more) const {
    std::int64_t tokens = 0;
    change_settings([&](Json& settings) {
      tokens = settings.at("vocab_size");
      for (const char* key : {"vocab_size", "decoder_vocab_size"}) {
        if (settings.contains(key)) settings[key] = tokens + more;
      }
    });
    change_tensors([&](Tensors& tensors) {
      for (auto& entry : tensors) {
        const Shape& shape = entry.second.shape();
        const bool is_row = shape == Shape{1, tokens};
        if (!is_row && (shape.rank() == 0 || shape[0] != tokens)) continue;
        const std::int64_t width = shape.elements() / tokens, all = tokens + more;
        std::vector<float> values = entry.second.values<float>();
        values.resize(static_cast<std::size_t>(all * width), 9);
        entry.second = Tensor::from(values, is_row              ? Shape{1, all}
                                            : shape.rank() == 1 ? Shape{all}
                                                                : Shape{all, width});
      }
    });
  }

  /// What importing it says, or "" when it succeeds; on failure nothing may be left behind.
  std::string import_error() const {
    try {
      import_hugging_face(path(), out());
    } catch (const Error& error) {
      CHECK(!std::filesystem::exists(out()));
      return error.what();
    }
    std::filesystem::remove_all(out());
    return "";
  }

  /// Makes each change to the settings alone; importing must fail and say so.
  void check_refused(std::span<const Change> changes) const {
    const Json original = Json::parse(read_file(path() / "config.json"));
    for (const Change& change : changes) {
      change_settings([&](Json& settings) {
        settings = original;
        settings[change.key] = change.value;
      });
      CAPTURE(change.key);
      CAPTURE(change.value.dump());
      const std::string error = import_error();
      CAPTURE(error);
      CHECK(contains(error, change.message));
    }
  }

 private:
  ScratchFolder scratch_;
};

inline double largest_gap(const std::vector<float>& ours, const Json& theirs) {
  return kette::largest_gap(ours, theirs.get<std::vector<double>>());
}

template <class M>
SavedModel<M> imported(const HuggingFaceFolder& folder) {
  import_hugging_face(folder.path(), folder.out());
  return load_model<M>(folder.out());
}

/// Imported, exported and imported again: the same bits, tokenizer and settings; the exported tensors are those of the
/// folder but for `left_out` of them. says: how the export's summary begins.
template <class M>
void check_round_trip(const HuggingFaceFolder& folder, const std::string& says,
                      std::size_t left_out = 0) {
  const SavedModel<M> before = imported<M>(folder);
  const ScratchFolder scratch;
  CHECK(export_hugging_face(folder.out(), scratch / "theirs").summary.starts_with(says));
  CHECK_THROWS_WITH_AS(export_hugging_face(folder.out(), scratch / "theirs"),
                       doctest::Contains("expected a folder that is not there yet"), Error);
  import_hugging_face(scratch / "theirs", scratch / "ours");
  const SavedModel<M> after = load_model<M>(scratch / "ours");
  CHECK(after.model->parameters().values().template values<float>() ==
        before.model->parameters().values().template values<float>());
  CHECK(after.tokenizer->files() == before.tokenizer->files());
  CHECK(to_json(after.model->config()) == to_json(before.model->config()));
  const SafetensorsFile theirs = SafetensorsFile::open(scratch / "theirs" / "model.safetensors");
  CHECK(theirs.metadata().at("format") == "pt");  // transformers insists
  const auto original = folder.read_tensors();
  CHECK(theirs.names().size() + left_out == original.size());
  for (const std::string& name : theirs.names()) {
    CAPTURE(name);
    CHECK(theirs.tensor(name).values<float>() == original.at(name).values<float>());
  }
}

/// What exporting a model of these settings and this tokenizer says, or "" when it succeeds; on failure nothing may be
/// left behind.
inline std::string export_error(const ModelConfig& config, const Tokenizer& tokenizer) {
  const ScratchFolder scratch;
  const std::filesystem::path ours = scratch / "ours", theirs = scratch / "theirs";
  const auto model = config.make_model();
  model->materialize(1);
  save_description(ours, config, tokenizer);
  save_parameters(ours / kModelFile, model->parameters(), {});
  const std::string message = message_of([&] { export_hugging_face(ours, theirs); });
  CHECK(std::filesystem::exists(theirs) == message.empty());
  return message;
}

/// A Llama becomes a Mistral of the same weights, whose tokens see five at most.
inline void make_mistral(const HuggingFaceFolder& folder) {
  folder.change_settings([](Json& settings) {
    settings["model_type"] = "mistral";
    settings["sliding_window"] = 5;
  });
}

/// A model comes of a folder with a padded vocabulary as of one without.
template <class M>
void check_padding_left_out(const std::string& name) {
  const HuggingFaceFolder whole(name), padded(name);
  padded.pad_vocabulary(24);
  const SavedModel<M> saved = imported<M>(padded);
  CHECK(saved.model->config().vocabulary == saved.tokenizer->vocabulary());
  CHECK(saved.model->parameters().values().template values<float>() ==
        imported<M>(whole).model->parameters().values().template values<float>());
}

}  // namespace kette::testing
