// kette.Model: making, loading and saving models.
#include "python/src/models.h"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/shared_ptr.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <system_error>

#include "cli/shipped_models.h"
#include "data/files/atomic_file.h"
#include "data/tokenizers/tree_tokenizer.h"
#include "models/exchange/hugging_face.h"
#include "models/families.h"
#include "models/points.h"
#include "python/src/configs.h"
#include "tensor/machine.h"

namespace kette::python {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> points_in(const Model& model) {
  std::vector<std::string> names;
  const std::int64_t tokens = std::min<std::int64_t>(2, model.positions());
  for (Point& point : points_of(model, tokens, tokens)) names.push_back(std::move(point.name));
  return names;
}

/// A hash of all bits, as quick as reading them.
std::uint64_t hash_of_bits(const Tensor& anywhere) {
  const Tensor values = anywhere.to(Device{});
  constexpr std::uint64_t kPrime = 0x9e3779b97f4a7c15ull;
  const auto* bytes = static_cast<const char*>(values.raw());
  const std::int64_t words = static_cast<std::int64_t>(values.bytes()) / 8;
  std::uint64_t lanes[4] = {1, 2, 3, 4};
  for (std::int64_t i = 0; i < words; ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + 8 * i, sizeof word);
    std::uint64_t& lane = lanes[static_cast<std::size_t>(i) & 3];
    lane = (lane ^ word) * kPrime;
    lane ^= lane >> 29;
  }
  std::uint64_t hash = 0;
  for (const std::uint64_t lane : lanes) hash = (hash ^ lane) * kPrime + (hash >> 31);
  for (std::int64_t i = 8 * words; i < static_cast<std::int64_t>(values.bytes()); ++i) {
    hash = (hash ^ static_cast<unsigned char>(bytes[i])) * kPrime;
  }
  return hash;
}

/// The model on another device.
std::unique_ptr<Model> moved(const Model& model, Device device) {
  std::unique_ptr<Model> copy = model.config().make_model();
  copy->allocate(DType::f32, device, Gradients::none);
  copy->parameters().values().copy_from(model.parameters().values().to(device));
  return copy;
}

std::shared_ptr<LoadedModel> load(const fs::path& named, const std::optional<fs::path>& other,
                                  const std::string& device) {
  const fs::path path = cli::model_folder(named.string());
  const Device on = parse_device(device);
  const fs::path checkpoint = other.value_or(fs::path());
  for (const fs::path& each : {path, checkpoint}) {
    if (each.empty() || fs::exists(each)) continue;
    throw fs::filesystem_error("load", each,
                               std::make_error_code(std::errc::no_such_file_or_directory));
  }
  if (!is_hugging_face(path)) {
    return std::make_shared<LoadedModel>(load_model<Model>(path, checkpoint, on), path);
  }
  KETTE_CHECK(checkpoint.empty(),
              "checkpoint: expected none for a model of Hugging Face, given one (load its folder)");
  SavedModel<Model> saved = load_hugging_face(path);
  if (!on.is_host()) saved.model = moved(*saved.model, on);
  return std::make_shared<LoadedModel>(std::move(saved), path);
}

/// Writes a model directory. An Error if there is something.
void save(const LoadedModel& self, const fs::path& path) {
  check_is_free(path);
  const Tokenizer& tokenizer = self.expected_tokenizer();
  AtomicFolder folder(path);
  save_description(folder.path(), self.model().config(), tokenizer);
  Metadata metadata = self.metadata_of_now();
  metadata[kTokenizerKey] = tokenizer.fingerprint();
  save_parameters(folder.path() / kModelFile, self.model().parameters(), metadata);
  if (self.facts) save(*self.facts, folder.path());
  folder.commit();
}

std::unique_ptr<ModelConfig> config_of(const Family& family, const std::string& preset,
                                       const Tokenizer* tokenizer, const nb::kwargs& fields) {
  if (!preset.empty()) {
    const auto& known = family.presets;
    KETTE_CHECK(std::find(known.begin(), known.end(), preset) != known.end(),
                "preset: expected one of ", joined(known), ", given ", preset,
                did_you_mean(preset, known));
  }
  std::unique_ptr<ModelConfig> config = family.config(preset);
  if (tokenizer != nullptr) {
    config->vocabulary = tokenizer->vocabulary();
    if (auto* translating = dynamic_cast<TransformerConfig*>(config.get())) {
      const PositionStream tags = tokenizer->second_positions();
      translating->special = tokenizer->special();
      const bool has_own = tokenizer->source_vocabulary() != tokenizer->vocabulary();
      translating->source_vocabulary = has_own ? tokenizer->source_vocabulary() : 0;
      translating->count_tags = tags.exists();
      translating->first_tag = tags.exists() ? tags.first : 0;
    }
  }
  set_fields(*config, fields, family.name);
  config->check();
  if (tokenizer != nullptr) config->check_tokenizer(*tokenizer, "tokenizer");
  return config;
}

void bind_family(nb::module_& m, const char* name, const Family& family, const char* what) {
  m.def(
      name,
      [&family](const std::string& preset, const std::optional<PythonTokenizer>& tokenizer,
                std::uint64_t seed, const std::string& dtype, const std::string& device,
                const nb::kwargs& fields) {
        const SharedTokenizer shared = tokenizer ? tokenizer->shared : nullptr;
        const auto config = config_of(family, preset, shared.get(), fields);
        const DType type = dtype_of_parameters(dtype);
        const GilRelease release;
        SavedModel<Model> made{config->make_model(), shared, {}};
        made.model->materialize(seed, type, parse_device(device), Gradients::none);
        return std::make_shared<LoadedModel>(std::move(made), fs::path());
      },
      "preset"_a = "", nb::kw_only(), "tokenizer"_a = nb::none(), "seed"_a = 1, "dtype"_a = "f32",
      "device"_a = "cpu", "fields"_a,
      (std::string("A new ") + what +
       ", with initial values drawn by the seed. Presets: " + joined(family.presets) +
       ". The tokenizer gives the vocabulary. Fields, which override the preset:\n" +
       described_fields(*family.config("")))
          .c_str());
}

std::string repr(const LoadedModel& self) {
  const ModelConfig& config = self.model().config();
  return "Model(" + config.family().what + ": " + headline(config) + ", " +
         std::to_string(self.model().parameters().elements()) + " parameters)";
}

std::atomic<std::int64_t> threads_of_all = 0;

/// As the command line does: beside other programs, threads that spin while they wait take many times as long.
void share_if_several() {
  const int threads = omp_get_max_threads();
  if (threads > 1) share_processors(threads);
}

}  // namespace

std::int64_t threads_set() { return threads_of_all; }

std::int64_t threads_of(std::optional<std::int64_t> given) {
  const std::int64_t threads = given.value_or(threads_set());
  KETTE_CHECK(threads >= 0 && threads <= 1024,
              "threads: expected from 1 to 1024, or 0 for all, given ", threads);
  return threads;
}

Ready::Ready(const LoadedModel& model, const DecodingTypes& of)
    : Ready(model, model.expected_decoder("for_decoding"), of) {}

Ready::Ready(const LoadedModel& model, const AutoregressiveModel& decoder, const DecodingTypes& of)
    : translator(decoder.has_encoder() && model.tokenizer
                     ? std::optional<Translator>(std::in_place, decoder, model.tokenizer, of)
                     : std::nullopt),
      ensemble(translator ? translator->model() : Ensemble(decoder).for_decoding(of)),
      tokenizer(model.tokenizer),
      name(model.name()),
      facts(model.facts),
      folder(model.folder),
      points(model.points()),
      types(of) {}

const Tokenizer& Ready::expected_tokenizer() const {
  KETTE_CHECK(tokenizer != nullptr, name,
              ": expected a model with a tokenizer, given one without (model.tokenizer = tokenizer "
              "sets it)");
  return *tokenizer;
}

std::shared_ptr<const Ready> ready_of(const std::shared_ptr<LoadedModel>& model,
                                      const std::optional<std::string>& weights,
                                      const std::string& cache) {
  return model->ready(weights ? std::optional(dtype_named(*weights)) : std::nullopt,
                      cache.empty() ? DType::f32 : dtype_named(cache));
}

std::shared_ptr<const Ready> ready_of(const std::shared_ptr<Ready>& ready,
                                      const std::optional<std::string>& weights,
                                      const std::string& cache) {
  KETTE_CHECK(
      !weights && cache.empty(),
      "weights: expected those of the snapshot, given others (Model.for_decoding sets them)");
  return ready;
}

std::shared_ptr<const Lexicon> Ready::lexicon() const {
  KETTE_CHECK(!folder.empty(),
              "shortlist: expected a model of a folder with a lexicon, given one of none");
  const std::lock_guard lock(mutex_);
  if (!lexicon_) {
    lexicon_ = std::make_shared<const Lexicon>(
        Lexicon::load(folder / kLexiconFile, expected_tokenizer(), training_run_of(folder)));
  }
  return lexicon_;
}

const Translator& Ready::expected_translator() const {
  const Tokenizer& its = expected_tokenizer();
  KETTE_CHECK(translator && its.writes() == Writes::text, name,
              ": expected a translation model, given a ", translator ? "parser" : "language model");
  return *translator;
}

LoadedModel::LoadedModel(SavedModel<Model> saved, fs::path of)
    : tokenizer(std::move(saved.tokenizer)),
      metadata(std::move(saved.metadata)),
      weights(saved.weights),
      folder(std::move(of)),
      facts(folder.empty() ? std::nullopt : load_text_facts(folder)),
      model_(std::move(saved.model)),
      name_(folder.empty() ? model_->config().family().name : folder.string()),
      points_(points_in(*model_)),
      loaded_hash_(metadata.empty() ? 0 : hash_of_bits(model_->parameters().values())) {}

Metadata LoadedModel::metadata_of_now() const {
  const bool is_as_loaded =
      metadata.empty() || hash_of_bits(model_->parameters().values()) == loaded_hash_;
  return is_as_loaded ? metadata : without_training(metadata);
}

const AutoregressiveModel& LoadedModel::expected_decoder(const char* call) const {
  const auto* decoder = dynamic_cast<const AutoregressiveModel*>(model_.get());
  KETTE_CHECK(decoder != nullptr, call, ": expected a model that writes text, given a ",
              model_->config().family().what);
  return *decoder;
}

const Tokenizer& LoadedModel::expected_tokenizer() const {
  KETTE_CHECK(tokenizer != nullptr, name_,
              ": expected a model with a tokenizer, given one without (model.tokenizer = tokenizer "
              "sets it)");
  return *tokenizer;
}

std::shared_ptr<const Ready> LoadedModel::ready(std::optional<DType> of_weights,
                                                DType cache) const {
  const DecodingTypes types(of_weights.value_or(weights), cache);
  const Tensor& values = model_->parameters().values();
  const std::lock_guard lock(mutex_);
  const std::uint64_t hash = values.device().is_host() ? hash_of_bits(values) : 0;
  const bool is_same = ready_ && values.device().is_host() && hash == ready_hash_ &&
                       ready_->types.weights == types.weights &&
                       ready_->types.cache == types.cache && ready_->tokenizer == tokenizer;
  if (is_same) return ready_;
  ready_ = nullptr;  // frees it first
  ready_ = std::make_shared<const Ready>(*this, types);
  ready_hash_ = hash;
  return ready_;
}

void bind_models(nb::module_& m) {
  share_if_several();
  bind_configs(m);
  bind_parameters(m);
  nb::class_<LoadedModel> model(
      m, "Model",
      "A model: its parameters, its tokenizer, and how it computes. Made by kt.load, kt.Gpt, kt.Transformer or kt.Bert. "
      "Any number of threads may read it at once.");
  model
      .def_prop_ro(
          "family", [](const LoadedModel& self) { return self.model().config().family().name; },
          "\"transformer\", \"gpt\" or \"bert\".")
      .def_prop_ro(
          "config", [](const LoadedModel& self) { return Config(self.model().config()); },
          "Sizes and settings.")
      .def_prop_rw(
          "tokenizer",
          [](const LoadedModel& self) -> std::optional<PythonTokenizer> {
            if (!self.tokenizer) return {};
            return PythonTokenizer{self.tokenizer};
          },
          [](LoadedModel& self, const PythonTokenizer& tokenizer) {
            self.model().config().check_tokenizer(*tokenizer.shared, "tokenizer");
            self.tokenizer = tokenizer.shared;
          },
          "Its tokenizer, or None.")
      .def_prop_ro(
          "positions", [](const LoadedModel& self) { return self.model().positions(); },
          "The longest sequence, in tokens.")
      .def_prop_ro("parameters", &LoadedModel::parameters,
                   "The parameters by path; they share the model's memory.")
      .def_prop_ro(
          "metadata", [](const LoadedModel& self) { return self.metadata; },
          "What model.safetensors says besides the parameters, such as the step.")
      .def_prop_ro(
          "path",
          [](const LoadedModel& self) -> std::optional<fs::path> {
            if (self.folder.empty()) return {};
            return self.folder;
          },
          "The folder that it was loaded from, or None.")
      .def(
          "save", &save, "path"_a, without_gil(),
          "Writes a model directory, which kt.load and the command line read. An Error if there is something at the path.")
      .def(
          "for_decoding",
          [](const std::shared_ptr<LoadedModel>& self, const std::optional<std::string>& weights,
             const std::string& cache) {
            return std::const_pointer_cast<Ready>(ready_of(self, weights, cache));
          },
          "weights"_a = nb::none(), "cache"_a = "", without_gil(),
          "A snapshot of the model that is ready for decoding, with translate() and generate(). Later changes of the model do not "
          "affect it. weights: \"f32\", \"bf16\" or \"int8\"; without it those of the model's file. cache: \"f32\" (the default) or \"bf16\", of keys and values.\n\n"
          "model.translate() and model.generate() take one, too. On a CPU they keep the last one, and compare all parameters, by a "
          "64-bit hash, before they use it again; so every change has an effect. On a GPU they make one at each call.")
      .def("__repr__", &repr);
  bind_passes(model, m);
  nb::class_<Ready> ready(
      m, "Decoder",
      "A snapshot of a model for decoding (Model.for_decoding). It does not change when the model does.");
  ready.def("__repr__", [](const Ready& self) {
    return "Decoder(" + self.name + ", weights " + name_of(self.types.weights) + ")";
  });
  bind_translation(model, ready, m);
  bind_generation(model, ready, m);

  m.def(
      "load", &load, "path"_a = cli::kModelToTry, "checkpoint"_a = nb::none(), "device"_a = "cpu",
      without_gil(),
      "Loads a model directory, or a folder of Hugging Face's transformers (GPT-2, Llama, Mistral, Marian, BERT), or by "
      "its name one that comes with Kette: \"en-de\". "
      "checkpoint: other parameters than its model.safetensors. Adapters are merged into their base.");
  bind_family(m, "Transformer", transformer_family(),
              "translation model (Vaswani et al. 2017): encoder and decoder");
  bind_family(m, "Gpt", gpt_family(), "language model (Radford et al. 2019): a decoder");
  bind_family(m, "Bert", bert_family(), "masked language model (Devlin et al. 2019): an encoder");
  m.def(
      "presets",
      [] {
        std::map<std::string, std::vector<std::string>> presets;
        for (const Family* family : families()) presets[family->name] = family->presets;
        return presets;
      },
      "The presets of each family.");
  m.def(
      "set_threads",
      [](std::int64_t threads) {
        threads_of_all = threads_of(threads);
        omp_set_num_threads(threads > 0 ? static_cast<int>(threads) : omp_get_num_procs());
        share_if_several();
      },
      "threads"_a,
      "The threads of ops that this thread calls from now on, and of translate(), generate() and score() on any thread. 0: all processors. Results do not depend on it.");
  m.def(
      "threads", [] { return omp_get_max_threads(); },
      "The threads of ops that this thread calls.");
}

}  // namespace kette::python
