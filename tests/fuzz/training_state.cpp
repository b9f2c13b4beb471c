// training.safetensors, with the checksum made right: a state that is accepted is written and read
// as the same.
#include "train/training_state.h"

#include "data/files/safetensors.h"
#include "tests/fuzz/targets.h"
#include "tests/fuzz/tiny_models.h"
#include "train/adam.h"

namespace kette::fuzz {
namespace {

struct Trained {
  Gpt model{tiny_gpt()};
  Adam adam;

  Trained() : adam((model.materialize(1), model.parameters()), {}) {}
};

std::vector<std::string> seeds() {
  Trained trained;
  TrainingState state;
  state.step = 12;
  state.sampler = {1, 3, 2};
  state.last_validated = 10;
  state.valid_loss = 3;
  state.best_valid_loss = 2.5;
  state.seconds = 1.5;
  state.fingerprint.add("lr", 0.001);
  state.fingerprint.data = {{"text", "1234 bytes, crc32 89abcdef", "input.txt"}};
  const auto file = scratch() / "seed.safetensors";
  save_training_state(file, state, trained.model.parameters(), trained.adam);
  return {joined({header_of(file), sane_values()})};
}

std::string bytes_of(const Tensor& tensor) {
  return {static_cast<const char*>(tensor.raw()), tensor.bytes()};
}

void read(std::string_view input) {
  static Trained trained;
  const auto files = parts(input, 2);
  const auto file = put("training.safetensors", safetensors(files[0], files[1]));
  const ParamStore& parameters = trained.model.parameters();
  expect(peek_training_state(file).has_value(), "counters of a file that is there");
  const TrainingState state = load_training_state(file, trained.model.parameters(), trained.adam);
  expect(state.step >= 0, "a state of steps that were made");
  must("a state that can be written and read again", [&] {
    const auto copy = scratch() / "copy";
    save_training_state(copy, state, parameters, trained.adam);
    const std::string before = bytes_of(parameters.values());
    const TrainingState again = load_training_state(copy, trained.model.parameters(), trained.adam);
    expect(again.step == state.step && again.sampler == state.sampler &&
               again.best_valid_loss == state.best_valid_loss &&
               again.fingerprint.to_json() == state.fingerprint.to_json() &&
               bytes_of(parameters.values()) == before,
           "the state that was written");
  });
}

}  // namespace

const Target training_state = {"training-state", seeds, read};

}  // namespace kette::fuzz
