#include "train/training_state.h"

#include <exception>

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
    // Versions before knew no stages.
    state.sampler = {count_in(json, "epoch"), count_in(json, "position"),
                     json.contains("stage") ? count_in(json, "stage") : 0};
    state.last_validated = count_in(json, "last_validated");
    state.valid_loss = optional_number(json.at("valid_loss"));
    state.best_valid_loss = optional_number(json.at("best_valid_loss"));
    // Versions before knew losses alone.
    state.best_cost = optional_number(json.value("best_cost", json.at("best_valid_loss")));
    state.best_due_cost = optional_number(json.value("best_due_cost", json.at("best_valid_loss")));
    state.validation_due = json.value("validation_due", false);
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

/// What is kept flat of all parameters. owned: only what this process owns of it, pieces end to end.
struct FlatPart {
  const char* name;
  Tensor values;
  bool owned;
};

std::vector<FlatPart> parts_of(const ParamStore& parameters, const Optimizer& optimizer,
                               const Tensor& moving_average) {
  std::vector<FlatPart> parts = {{"parameters", parameters.values(), false}};
  for (const auto& [name, values] : optimizer.state()) parts.push_back({name, values, true});
  if (moving_average.defined()) parts.push_back({"moving_average", moving_average, true});
  return parts;
}

/// Those as what a file is written from, which all processes read, one after the other.
std::vector<TensorSource> sources_of(const std::vector<FlatPart>& parts, const Shards& shards,
                                     Communicator& communicator) {
  std::vector<TensorSource> sources;
  for (const FlatPart& part : parts) {
    if (part.owned) {
      sources.push_back({part.name,
                         part.values.dtype(),
                         {shards.elements()},
                         [&part, &shards, &communicator](const auto& take) {
                           communicator.collect(part.values, shards, take);
                         }});
    } else {
      sources.push_back(TensorSource::of(part.name, part.values));
    }
  }
  return sources;
}

}  // namespace

void save_training_state(const std::filesystem::path& file, const TrainingState& state,
                         const ParamStore& parameters, const Optimizer& optimizer,
                         const Tensor& moving_average, Communicator& communicator) {
  const Communicator::Phase phase(communicator, "saving");
  const std::vector<FlatPart> parts = parts_of(parameters, optimizer, moving_average);
  std::vector<TensorSource> sources = sources_of(parts, optimizer.shards(), communicator);
  if (!communicator.is_first()) {
    for (const TensorSource& source : sources) source.read([](const Tensor&) {});
    return communicator.agree([] {});
  }
  const Json json = {{"step", state.step},
                     {"epoch", state.sampler.epoch},
                     {"position", state.sampler.position},
                     {"stage", state.sampler.stage},
                     {"last_validated", state.last_validated},
                     {"valid_loss", number_or_null(state.valid_loss)},
                     {"best_valid_loss", number_or_null(state.best_valid_loss)},
                     {"best_cost", number_or_null(state.best_cost)},
                     {"best_due_cost", number_or_null(state.best_due_cost)},
                     {"validation_due", state.validation_due},
                     {"off_schedule", state.off_schedule},
                     {"validations_since_best", state.validations_since_best},
                     {"seconds", state.seconds},
                     {"learning_rate", state.learning_rate},
                     {"run", state.run},
                     {"recipe", state.fingerprint.to_json()}};
  // Where it cannot be written, the others send nonetheless.
  std::size_t read = 0;
  for (TensorSource& source : sources) {
    source.read = [&read, inner = source.read](const auto& take) {
      ++read;
      inner(take);
    };
  }
  std::exception_ptr error;
  try {
    write_safetensors_from(file, sources, {{"training_state", json.dump()}}, Checksum::crc32);
  } catch (const Error&) {
    error = std::current_exception();
  }
  for (std::size_t i = read; i < sources.size(); ++i) sources[i].read([](const Tensor&) {});
  communicator.agree([&] {
    if (error) std::rethrow_exception(error);
  });
}

TrainingState load_training_state(const std::filesystem::path& file, ParamStore& parameters,
                                  Optimizer& optimizer, const Tensor& moving_average,
                                  Communicator& communicator) {
  TrainingState state;
  communicator.agree([&] {
    const SafetensorsFile stored =
        SafetensorsFile::open(file, communicator.is_first() ? Checksum::crc32 : Checksum::none);
    state = state_in(stored, file);
    const auto parts = parts_of(parameters, optimizer, moving_average);
    for (const FlatPart& part : parts) stored.expect(part.name, parameters.values().shape());
    for (const FlatPart& part : parts) {
      const auto read = [&](const Interval& piece, const Interval& place) {
        const Tensor values = part.values.slice(place.begin, place.end);
        values.copy_from(stored.part(part.name, piece.begin, piece.size()).to(values.device()));
      };
      const Interval all{0, optimizer.shards().elements()};
      part.owned ? optimizer.shards().for_pieces(read) : read(all, all);
    }
  });
  parameters.round();
  optimizer.restore(state.step);
  return state;
}

std::optional<TrainingState> peek_training_state(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return std::nullopt;
  return state_in(SafetensorsFile::open(file), file);
}

}  // namespace kette
