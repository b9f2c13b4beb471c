// Processes that compute on GPUs, and tensors that go between them by NCCL: on the emulators of both.
#include <doctest/doctest.h>

#include <numeric>

#include "data/files/safetensors.h"
#include "tensor/device_messages.h"
#include "tests/cli/run_kette.h"
#include "tests/devices.h"
#include "tests/emulated.h"
#include "tests/environment.h"
#include "tests/train/thread_transport.h"
#include "train/gpu_processes.h"

namespace kette {
namespace {

using namespace testing;
using ProgramOutcome = testing::Outcome;  // other tests here have another

Environment fault(const char* name) { return {"KETTE_EMULATOR_FAULT", name}; }

/// Likewise in_threads(), each with a GPU of its own.
void on_gpus(int processes, const std::function<void(Communicator&, Device)>& work,
             Communicator::Seconds wait_limit = {}) {
  const Environment devices("KETTE_EMULATOR_DEVICES", std::to_string(processes));
  in_threads(
      processes,
      [&](Communicator& communicator) {
        const Device device{DeviceKind::cuda, communicator.process()};
        connect_gpus(communicator, device);
        work(communicator, device);
      },
      1, wait_limit);
}

/// Whether all processes get what the others have just copied, in messages of which not all fits on its way at a time.
bool gathers() {
  constexpr std::int64_t kElements = 2'000'000;
  std::atomic<bool> is_right = true;
  on_gpus(3, [&](Communicator& communicator, Device device) {
    const Shards shards(kElements, communicator.process(), 3, kElements / 2);
    const Tensor host = Tensor::empty({kElements}, DType::f32);
    const Tensor flat = Tensor::zeros({kElements}, DType::f32, device);
    for (int round = 1; round <= 2; ++round) {
      std::iota(host.data<float>(), host.data<float>() + kElements, static_cast<float>(round));
      const Tensor all = host.to(device);
      shards.for_pieces([&](const Interval& piece, const Interval&) {
        flat.slice(piece.begin, piece.end).copy_from(all.slice(piece.begin, piece.end));
      });
      communicator.gather(flat, shards);
      if (flat.values<float>() != host.values<float>()) is_right = false;
    }
  });
  return is_right;
}

TEST_CASE("NCCL: what is sent is what was computed before, in every order of streams") {
  emulator::Emulator* emulator = emulator::find();
  if (emulator == nullptr) return skip_emulator();
  for_orders(*emulator, 5, [&](std::uint64_t) {
    CHECK(gathers());
    const Environment planted = fault("unordered");
    CHECK(!gathers());
  });
}

TEST_CASE("NCCL: one process may write to itself, on a GPU, too") {
  if (cuda_devices().empty()) return skip_cuda();
  try {
    DeviceMessages::library();
  } catch (const Error& error) {
    MESSAGE("skipped: " << error.what());
    return;
  }
  const auto messages = DeviceMessages::join(DeviceMessages::make_id(), 0, 0, 1);
  const Device device{DeviceKind::cuda, 0};
  const Tensor host = Tensor::empty({1'000'000}, DType::f32);
  std::iota(host.data<float>(), host.data<float>() + host.elements(), 1.0f);
  const Tensor to = Tensor::zeros(host.shape(), DType::f32, device);
  const Tensor from = Tensor::zeros(host.shape(), DType::f32, device);
  from.copy_from(host.to(device));
  const auto message = [](const Tensor& tensor) {
    return DeviceMessages::Message{0, tensor.raw(), static_cast<std::size_t>(tensor.bytes())};
  };
  const DeviceMessages::Message sent[] = {message(from)}, received[] = {message(to)};
  const auto group = messages->start(sent, received);
  while (!group->arrived()) std::this_thread::yield();
  CHECK(to.values<float>() == host.values<float>());
}

TEST_CASE("NCCL: an error between GPUs is told; one that never answers ends all") {
  if (emulator::find() == nullptr) return skip_emulator();
  const auto gather = [](Communicator& communicator, Device device) {
    communicator.gather(Tensor::zeros({100}, DType::f32, device),
                        [](int process) { return share_of(process, 2, 100); });
  };
  {
    const Environment planted = fault("remote");
    CHECK_THROWS_WITH_AS(on_gpus(2, gather),
                         doctest::Contains("NCCL: expected messages between GPUs to work, given "
                                           "\"remote process exited"),
                         Error);
  }
  const Environment planted = fault("lost");
  int code = 0;
  try {
    on_gpus(2, gather, Communicator::Seconds(0.2));
  } catch (const Abandoned& abandoned) {
    code = abandoned.code;
  }
  CHECK(code == Communicator::kLostCode);
}

TEST_CASE("NCCL: without it tensors stay where they are, and an Error says so") {
  if (emulator::find() == nullptr) return skip_emulator();
  in_threads(2, [](Communicator& communicator) {
    const Tensor flat = Tensor::zeros({2}, DType::f32, {DeviceKind::cuda, communicator.process()});
    CHECK_THROWS_WITH_AS(
        communicator.gather(flat, [](int process) { return share_of(process, 2, 2); }),
        doctest::Contains("given some on cuda:"), Error);
  });
}

TEST_CASE("NCCL: each process of a host takes a GPU of its own") {
  if (emulator::find() == nullptr) return skip_emulator();
  const auto error_of = [](int processes, Device told, bool is_numbered) {
    std::string text;
    try {
      in_threads(processes, [&](Communicator& communicator) {
        const Device own = own_device(communicator, told, is_numbered);
        const int index = told.kind == DeviceKind::cpu ? 0 : communicator.process();
        CHECK(own == Device{told.kind, index});
      });
    } catch (const SharedError& error) {
      text = error.what();
    }
    return text;
  };
  const Environment devices("KETTE_EMULATOR_DEVICES", "2");
  const Device cuda{DeviceKind::cuda, 0};
  CHECK(error_of(2, cuda, false).empty());
  CHECK(error_of(1, cuda, true).empty());
  CHECK(error_of(5, {}, false).empty());
  CHECK(contains(error_of(3, cuda, false), "expected a GPU for each of the 3 processes on host "));
  CHECK(contains(error_of(3, cuda, false), ", given 2 ("));
  CHECK(contains(error_of(2, cuda, true), "expected cuda, for the 2 processes"));
}

/// `kette` as so many processes of mpirun, and what it says.
class Launcher {
 public:
  Launcher() { write_small_corpus(folder_.path()); }

  /// MPI itself leaks, which a sanitizer would make an error of.
  static bool is_there() {
    return !kSanitizer && std::system("command -v mpirun.openmpi > /dev/null 2>&1") == 0;
  }
  static void skip() {
    MESSAGE("skipped: it takes mpirun.openmpi, and a build without sanitizers");
  }

  const ScratchFolder& folder() const { return folder_; }
  /// Of a run with dropout, clipping and three batches a step.
  ProgramOutcome train(int processes, const std::string& name,
                       const std::vector<std::string>& more = {}) {
    const std::vector<std::string> words =
        with(train_arguments(folder_.path(), name,
                             {"--steps", "3", "--warmup", "2", "--device", "cuda", "--accumulate",
                              "3", "--clip-norm", "0.5", "--validate-every", "3"}),
             more);
    std::string line = "mpirun.openmpi --allow-run-as-root --oversubscribe -n " +
                       std::to_string(processes) + " '" + kette_binary() + "'";
    for (const std::string& word : words) line += " '" + word + "'";
    const std::string log = (folder_ / (name + ".log")).string();
    const int status = std::system((line + " > '" + log + "' 2>&1 < /dev/null").c_str());
    return {WEXITSTATUS(status), {}, read_file(log)};
  }
  /// The bytes of the tensors that a run ends with, the optimiser's among them.
  std::string end_of(const std::string& name) {
    const SafetensorsFile file = SafetensorsFile::open(folder_ / name / "training.safetensors");
    std::string bytes;
    for (const std::string& tensor : file.names()) {
      const Tensor values = file.tensor(tensor);
      bytes += tensor;
      bytes.append(static_cast<const char*>(values.raw()), values.bytes());
    }
    return bytes;
  }

 private:
  ScratchFolder folder_;
};

TEST_CASE("NCCL: two and three processes train the bits of one") {
  if (emulator::find() == nullptr) return skip_emulator();
  if (!Launcher::is_there()) return Launcher::skip();
  Launcher launcher;
  const Environment devices("KETTE_EMULATOR_DEVICES", "3"), chunk("KETTE_EXCHANGE_CHUNK", "1");
  const ProgramOutcome alone = launcher.train(1, "alone");
  CAPTURE(alone.err);
  REQUIRE(alone.code == 0);
  const std::string expected = launcher.end_of("alone");
  for (const int processes : {2, 3}) {
    const ProgramOutcome many = launcher.train(processes, "many" + std::to_string(processes));
    CAPTURE(many.err);
    REQUIRE(many.code == 0);
    CHECK(launcher.end_of("many" + std::to_string(processes)) == expected);
  }
  // And messages that do not wait for the gradients give others, if any.
  const Environment planted = fault("unordered");
  CHECK((launcher.train(2, "unordered").code != 0 || launcher.end_of("unordered") != expected));
}

TEST_CASE("NCCL: processes that fail end all in time, and say why") {
  if (emulator::find() == nullptr) return skip_emulator();
  if (!Launcher::is_there()) return Launcher::skip();
  Launcher launcher;
  const Environment devices("KETTE_EMULATOR_DEVICES", "2");
  for (const char* lost : {"lost", "absent"}) {
    CAPTURE(lost);
    const Environment planted = fault(lost);
    const ProgramOutcome outcome = launcher.train(2, lost, {"--wait-limit", "0.2"});
    CAPTURE(outcome.err);
    CHECK(outcome.code == Communicator::kLostCode);
    CHECK(outcome.says("to answer process"));
  }
  {
    const Environment planted = fault("remote");
    const ProgramOutcome outcome = launcher.train(2, "remote");
    CAPTURE(outcome.err);
    CHECK(outcome.code == 1);
    CHECK(outcome.says("NCCL: expected messages between GPUs to work"));
  }
  {
    const Environment library("KETTE_NCCL", "/no/libnccl.so.2");
    const ProgramOutcome outcome = launcher.train(2, "none");
    CAPTURE(outcome.err);
    CHECK(outcome.code == 1);
    CHECK(outcome.says("NCCL: expected /no/libnccl.so.2 for several processes"));
    CHECK(outcome.says("nvidia-nccl-cu12"));
  }
  const ProgramOutcome numbered = launcher.train(2, "numbered", {"--device", "cuda:1"});
  CHECK(numbered.code == 1);
  CHECK(numbered.says("--device: expected cuda, for the 2 processes on host"));
  const ProgramOutcome three = launcher.train(3, "three");
  CHECK(three.code == 1);
  CHECK(three.says("expected a GPU for each of the 3 processes on host"));
}

}  // namespace
}  // namespace kette
