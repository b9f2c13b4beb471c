// Models in Python: what `kette.Model` holds, and its snapshots for decoding.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "data/corpora/lexicon.h"
#include "data/corpora/text_facts.h"
#include "decode/translator.h"
#include "models/model_directory.h"
#include "python/src/bindings.h"
#include "python/src/tokenizers.h"
#include "tensor/with_threads.h"

namespace kette::python {

/// The parameters of a model, or of layers. `store` lives as long as this.
struct Parameters {
  std::shared_ptr<ParamStore> store;

  /// The parameter at a path; a KeyError if there is none. The store then keeps gradients.
  Variable at(const std::string& path) const;
  std::vector<std::string> names() const;
};

class LoadedModel;

/// A model made ready for decoding, with what it had then.
struct Ready {
  Ready(const LoadedModel& model, const DecodingTypes& types);

  const Translator& expected_translator() const;
  const Tokenizer& expected_tokenizer() const;
  /// That of the folder.
  std::shared_ptr<const Lexicon> lexicon() const;

  std::optional<Translator> translator;  ///< of a translation model with a tokenizer
  Ensemble ensemble;
  SharedTokenizer tokenizer;
  std::string name;  ///< for error texts
  std::optional<TextFacts> facts;
  std::filesystem::path folder;     ///< of the lexicon; may be empty
  std::vector<std::string> points;  ///< of the model
  DecodingTypes types;

 private:
  Ready(const LoadedModel& model, const AutoregressiveModel& decoder, const DecodingTypes& types);

  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Lexicon> lexicon_;
};

class LoadedModel {
 public:
  LoadedModel(SavedModel<Model> saved, std::filesystem::path folder);

  const Model& model() const { return *model_; }
  Model& model() { return *model_; }
  /// An Error that says `what` was expected, unless it writes text.
  const AutoregressiveModel& expected_decoder(const char* call) const;
  const Tokenizer& expected_tokenizer() const;
  Parameters parameters() const { return {{model_, &model_->parameters()}}; }
  /// From now on the parameters learn.
  void keep_gradients() { model_->parameters().keep_gradients(); }
  const std::string& name() const { return name_; }
  /// The names of all points of a pass, without the loss.
  const std::vector<std::string>& points() const { return points_; }

  /// The snapshot of the parameters as they are: that of an earlier call, if all have the same bits.
  std::shared_ptr<const Ready> ready(std::optional<DType> weights, DType cache) const;

  /// For a file of the values as they are: if they have changed, without what training said of them.
  Metadata metadata_of_now() const;

  SharedTokenizer tokenizer;
  Metadata metadata;
  DType weights;                   ///< the default for decoding
  std::filesystem::path folder;    ///< that it is from; may be empty
  std::optional<TextFacts> facts;  ///< of the text that it has learnt from

 private:
  std::shared_ptr<Model> model_;
  std::string name_;
  std::vector<std::string> points_;
  std::uint64_t loaded_hash_;  // of the values that the metadata are of
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Ready> ready_;
  mutable std::uint64_t ready_hash_ = 0;
};

/// The threads of kt.set_threads(); 0: all.
std::int64_t threads_set();
/// Those of a call, or of kt.set_threads(). An Error for more than a machine can start.
std::int64_t threads_of(std::optional<std::int64_t> given);

/// The snapshot to decode with. weights, cache: "" for those that it has.
std::shared_ptr<const Ready> ready_of(const std::shared_ptr<LoadedModel>& model,
                                      const std::optional<std::string>& weights,
                                      const std::string& cache);
std::shared_ptr<const Ready> ready_of(const std::shared_ptr<Ready>& ready,
                                      const std::optional<std::string>& weights,
                                      const std::string& cache);

void bind_parameters(nb::module_& m);
void bind_passes(nb::class_<LoadedModel>& c, nb::module_& m);
void bind_translation(nb::class_<LoadedModel>& model, nb::class_<Ready>& ready, nb::module_& m);
void bind_generation(nb::class_<LoadedModel>& model, nb::class_<Ready>& ready, nb::module_& m);

}  // namespace kette::python
