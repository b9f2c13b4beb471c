#include "train/gpu_processes.h"

#include <chrono>
#include <future>

#include "tensor/device_messages.h"

namespace kette {
namespace {

/// DeviceMessages as a transport, beside that of the host.
class DeviceTransport final : public Transport {
 public:
  DeviceTransport(std::unique_ptr<DeviceMessages> messages, Transport& host)
      : messages_(std::move(messages)), host_(host) {}

  int process() const override { return host_.process(); }
  int processes() const override { return host_.processes(); }
  std::string name() const override { return DeviceMessages::library(); }
  std::unique_ptr<Group> start(Channel, std::span<const Message> sent,
                               std::span<const Message> received) override {
    return std::make_unique<OnTheirWay>(*messages_, sent, received);
  }
  void abandon(int code) override {
    messages_->abandon();
    host_.abandon(code);
  }

 private:
  class OnTheirWay final : public Group {
   public:
    OnTheirWay(DeviceMessages& messages, std::span<const Message> sent,
               std::span<const Message> received) {
      std::vector<DeviceMessages::Message> all[2];
      for (const Message& message : sent) add(message, all[0]);
      for (const Message& message : received) add(message, all[1]);
      if (!processes_.empty()) group_ = messages.start(all[0], all[1]);
    }
    bool arrived() override { return !group_ || group_->arrived(); }
    bool is_ready() const override { return !group_ || group_->is_ready(); }
    /// All of the group: NCCL does not say which.
    std::vector<int> missing() const override { return processes_; }

   private:
    void add(const Message& message, std::vector<DeviceMessages::Message>& to) {
      const auto& [process, memory, bytes] = message;
      to.push_back({process, memory, bytes});
      if (std::find(processes_.begin(), processes_.end(), process) == processes_.end()) {
        processes_.push_back(process);
      }
    }

    std::vector<int> processes_;
    std::unique_ptr<DeviceMessages::Group> group_;  // none without messages
  };

  std::unique_ptr<DeviceMessages> messages_;
  Transport& host_;
};

/// A process that never comes is to end the others, as anywhere else. So a thread waits for NCCL, which knows no limit.
class Joining final : public Transport::Group {
 public:
  Joining(const DeviceMessages::Id& id, Device device, const Communicator& communicator)
      : others_(communicator.others()),
        made_(std::async(std::launch::async, DeviceMessages::join, id, device.index,
                         communicator.process(), communicator.processes())) {}
  bool arrived() override {
    return made_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }
  std::vector<int> missing() const override { return others_; }
  std::unique_ptr<DeviceMessages> take() { return made_.get(); }

 private:
  std::vector<int> others_;
  std::future<std::unique_ptr<DeviceMessages>> made_;
};

}  // namespace

Device own_device(Communicator& communicator, Device told, bool is_numbered) {
  if (communicator.is_alone()) return told;
  const auto told_all = communicator.all(told);
  const Communicator::Place place = communicator.place_on_host();
  communicator.agree([&] {
    const Device& of_first = told_all.front();
    KETTE_CHECK(told.kind == of_first.kind, "--device: expected ", of_first.str(), ", as of ",
                communicator.name_of(0), ", given ", told.str());
    if (told.is_host()) return;
    const std::string& host = communicator.host_of(communicator.process());
    KETTE_CHECK(!is_numbered || place.count == 1, "--device: expected cuda, for the ", place.count,
                " processes on host ", host, " to take a GPU each, given ", told.str());
    const auto gpus = std::ssize(cuda_devices());
    KETTE_CHECK(place.count <= gpus, "--device cuda: expected a GPU for each of the ", place.count,
                " processes on host ", host, ", given ", gpus,
                " (fewer processes, and all GPUs of the host to be seen by each of them)");
  });
  if (!told.is_host() && !is_numbered) told.index = place.number;
  return told;
}

void connect_gpus(Communicator& communicator, Device device) {
  if (communicator.is_alone() || device.is_host()) return;
  std::string library, gpu;
  communicator.agree([&] {
    library = DeviceMessages::library();
    const std::vector<std::string> gpus = cuda_devices();
    KETTE_CHECK(device.index < std::ssize(gpus), "device: expected one of ", gpus.size(),
                " GPUs, given ", device.str());
    gpu = gpus[device.index];
  });
  const std::string of_first = communicator.all(library).front();
  // Another kind of GPU computes other bits.
  const std::string gpu_of_first = communicator.all(gpu).front();
  DeviceMessages::Id id{};
  communicator.agree([&] {
    KETTE_CHECK(library == of_first, "NCCL: expected ", of_first, ", as in ",
                communicator.name_of(0), ", given ", library, " (KETTE_NCCL names a library)");
    KETTE_CHECK(gpu == gpu_of_first, "--device cuda: expected ", gpu_of_first, ", as in ",
                communicator.name_of(0), ", given ", gpu, " (GPUs of one kind make the same bits)");
    if (communicator.is_first()) id = DeviceMessages::make_id();
  });
  Joining joining(communicator.of_first(id), device, communicator);
  communicator.wait(joining);
  communicator.use_for_gpus(
      std::make_unique<DeviceTransport>(joining.take(), communicator.host_transport()));
}

}  // namespace kette
