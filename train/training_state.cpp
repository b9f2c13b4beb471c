#include "train/training_state.h"

#include <nlohmann/json.hpp>

#include "data/safetensors.h"

namespace kette {
namespace {

using Json = nlohmann::ordered_json;

/// Names the first key in which two recipes differ.
void check_recipe(const std::string& file, const std::string& stored, const std::string& given) {
  if (stored == given) return;
  const Json before = Json::parse(stored, nullptr, false), now = Json::parse(given, nullptr, false);
  for (const auto& [key, value] : now.items()) {
    KETTE_CHECK(before.value(key, Json()) == value, file, ": expected ", key, " = ",
                before.value(key, Json()).dump(), " as in the run that is resumed, given ",
                value.dump(),
                "; resume with the same options, or start a new run in another --out");
  }
  fail(file, ": expected the options of the run that is resumed, given others");
}

}  // namespace

void save_training_state(const std::filesystem::path& file, const TrainingState& state,
                         const ParamStore& parameters, const Adam& adam) {
  const Json json = {{"step", state.step},
                     {"epoch", state.sampler.epoch},
                     {"position", state.sampler.position},
                     {"best_valid_loss", state.best_valid_loss},
                     {"validations_since_best", state.validations_since_best},
                     {"seconds", state.seconds},
                     {"recipe", state.recipe}};
  write_safetensors(file,
                    {{"parameters", parameters.values()},
                     {"first_moment", adam.first_moment()},
                     {"second_moment", adam.second_moment()}},
                    {{"training_state", json.dump()}}, Checksum::crc32);
}

TrainingState load_training_state(const std::filesystem::path& file, const std::string& recipe,
                                  ParamStore& parameters, Adam& adam) {
  KETTE_CHECK(std::filesystem::exists(file), file.string(),
              ": expected the state of an earlier run, given no such file; start without --resume");
  const SafetensorsFile stored = SafetensorsFile::open(file, Checksum::crc32);
  const auto text = stored.metadata().find("training_state");
  KETTE_CHECK(text != stored.metadata().end(), file.string(),
              ": expected a training state, given another safetensors file");
  TrainingState state;
  try {
    const Json json = Json::parse(text->second);
    state.step = json.at("step");
    state.sampler = {json.at("epoch"), json.at("position")};
    state.best_valid_loss = json.at("best_valid_loss");
    state.validations_since_best = json.at("validations_since_best");
    state.seconds = json.at("seconds");
    state.recipe = json.at("recipe");
  } catch (const nlohmann::json::exception& error) {
    fail(file.string(),
         ": expected a training state of this version of Kette, given one that lacks something (",
         error.what(), ")");
  }
  check_recipe(file.string(), state.recipe, recipe);
  const std::pair<const char*, const Tensor*> parts[] = {{"parameters", &parameters.values()},
                                                         {"first_moment", &adam.first_moment()},
                                                         {"second_moment", &adam.second_moment()}};
  for (const auto& [name, tensor] : parts) stored.expect(name, tensor->shape());
  for (const auto& [name, tensor] : parts)
    tensor->copy_from(stored.tensor(name).to(tensor->device()));
  parameters.round();
  adam.restore(state.step);
  return state;
}

}  // namespace kette
