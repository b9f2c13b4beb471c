#include "train/training_state.h"

#include "data/files/json_text.h"
#include "data/files/safetensors.h"

namespace kette {
namespace {

Json number_or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

std::optional<double> optional_number(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return json.get<double>();
}

/// A whole number that is not negative, and no fraction that a cast would make one of.
std::int64_t count_in(const Json& json, const char* key) {
  const Json& value = json.at(key);
  if (!value.is_number_unsigned()) {
    throw nlohmann::json::other_error::create(501, std::string(key) + " is no count", &value);
  }
  return value.get<std::int64_t>();
}

TrainingState state_in(const SafetensorsFile& stored, const std::filesystem::path& file) {
  const auto text = stored.metadata().find("training_state");
  KETTE_CHECK(text != stored.metadata().end(), file.string(),
              ": expected a training state, given another safetensors file");
  TrainingState state;
  try {
    const Json json = parse_json(text->second, file.string());
    state.step = count_in(json, "step");
    state.sampler = {count_in(json, "epoch"), count_in(json, "position")};
    state.last_validated = count_in(json, "last_validated");
    state.valid_loss = optional_number(json.at("valid_loss"));
    state.best_valid_loss = optional_number(json.at("best_valid_loss"));
    // Versions before knew losses alone.
    state.best_cost = optional_number(json.value("best_cost", json.at("best_valid_loss")));
    state.best_due_cost = optional_number(json.value("best_due_cost", json.at("best_valid_loss")));
    state.off_schedule = json.value("off_schedule", false);
    state.validations_since_best = count_in(json, "validations_since_best");
    state.seconds = json.at("seconds");
    state.learning_rate = json.value("learning_rate", 0.0);
    state.run = json.value("run", "");
    state.fingerprint = RunFingerprint::from_json(json.at("recipe").get<std::string>());
  } catch (const nlohmann::json::exception& error) {
    fail(file.string(),
         ": expected a training state of this version of Kette, given one that lacks something (",
         error.what(), ")");
  }
  return state;
}

std::vector<std::pair<std::string, Tensor>> parts_of(const ParamStore& parameters, const Adam& adam,
                                                     const Tensor& moving_average) {
  std::vector<std::pair<std::string, Tensor>> parts = {{"parameters", parameters.values()},
                                                       {"first_moment", adam.first_moment()},
                                                       {"second_moment", adam.second_moment()}};
  if (moving_average.defined()) parts.emplace_back("moving_average", moving_average);
  return parts;
}

}  // namespace

void save_training_state(const std::filesystem::path& file, const TrainingState& state,
                         const ParamStore& parameters, const Adam& adam,
                         const Tensor& moving_average) {
  const Json json = {{"step", state.step},
                     {"epoch", state.sampler.epoch},
                     {"position", state.sampler.position},
                     {"last_validated", state.last_validated},
                     {"valid_loss", number_or_null(state.valid_loss)},
                     {"best_valid_loss", number_or_null(state.best_valid_loss)},
                     {"best_cost", number_or_null(state.best_cost)},
                     {"best_due_cost", number_or_null(state.best_due_cost)},
                     {"off_schedule", state.off_schedule},
                     {"validations_since_best", state.validations_since_best},
                     {"seconds", state.seconds},
                     {"learning_rate", state.learning_rate},
                     {"run", state.run},
                     {"recipe", state.fingerprint.to_json()}};
  write_safetensors(file, parts_of(parameters, adam, moving_average),
                    {{"training_state", json.dump()}}, Checksum::crc32);
}

TrainingState load_training_state(const std::filesystem::path& file, ParamStore& parameters,
                                  Adam& adam, const Tensor& moving_average) {
  const SafetensorsFile stored = SafetensorsFile::open(file, Checksum::crc32);
  TrainingState state = state_in(stored, file);
  const auto parts = parts_of(parameters, adam, moving_average);
  for (const auto& [name, tensor] : parts) stored.expect(name, tensor.shape());
  for (const auto& [name, tensor] : parts)
    tensor.copy_from(stored.tensor(name).to(tensor.device()));
  parameters.round();
  adam.restore(state.step);
  return state;
}

std::optional<TrainingState> peek_training_state(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return std::nullopt;
  return state_in(SafetensorsFile::open(file), file);
}

}  // namespace kette
