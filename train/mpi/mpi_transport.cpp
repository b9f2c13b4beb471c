// The MPI transport, a shared library that the program opens when a launcher has started several processes
// (train/launch.h). So the program itself also runs without MPI. Built once for each MPI that is found.
#include <mpi.h>

#include <cstdlib>
#include <limits>
#include <utility>

#include "tensor/error.h"
#include "train/transport.h"

namespace kette {
namespace {

class MpiGroup final : public Transport::Group {
 public:
  MpiGroup(Channel channel, std::span<const Transport::Message> sent,
           std::span<const Transport::Message> received) {
    const int tag = static_cast<int>(channel);
    for (const Transport::Message& message : received) {
      MPI_Irecv(message.memory, count_of(message), MPI_BYTE, message.process, tag, MPI_COMM_WORLD,
                &added(message.process));
    }
    for (const Transport::Message& message : sent) {
      MPI_Isend(message.memory, count_of(message), MPI_BYTE, message.process, tag, MPI_COMM_WORLD,
                &added(message.process));
    }
  }
  ~MpiGroup() override {
    for (MPI_Request& request : requests_) {
      if (request == MPI_REQUEST_NULL) continue;
      MPI_Cancel(&request);
      MPI_Request_free(&request);
    }
  }
  MpiGroup(const MpiGroup&) = delete;
  MpiGroup& operator=(const MpiGroup&) = delete;

  bool arrived() override {
    int all = 0;
    MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &all, MPI_STATUSES_IGNORE);
    if (all != 0) requests_.clear();
    return all != 0;
  }
  std::vector<int> missing() const override {
    std::vector<int> processes;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      int is_done = 0;
      MPI_Request_get_status(requests_[i], &is_done, MPI_STATUS_IGNORE);
      const bool is_known = !processes.empty() && processes.back() == processes_[i];
      if (is_done == 0 && !is_known) processes.push_back(processes_[i]);
    }
    return processes;
  }

 private:
  static int count_of(const Transport::Message& message) {
    KETTE_CHECK(message.bytes <= std::numeric_limits<int>::max(),
                "MPI: expected a message below 2 GiB, given one of ", message.bytes, " bytes");
    return static_cast<int>(message.bytes);
  }
  MPI_Request& added(int process) {
    processes_.push_back(process);
    return requests_.emplace_back(MPI_REQUEST_NULL);
  }

  std::vector<MPI_Request> requests_;
  std::vector<int> processes_;
};

class MpiTransport final : public Transport {
 public:
  MpiTransport() {
    MPI_Init(nullptr, nullptr);
    MPI_Comm_rank(MPI_COMM_WORLD, &process_);
    MPI_Comm_size(MPI_COMM_WORLD, &processes_);
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(text, &length);
    name_.assign(text, static_cast<std::size_t>(length));
    // "Open MPI v4.1.4, package: ...", "MPICH Version:\t4.0.2\nMPICH ..."
    name_ = name_.substr(0, name_.find_first_of(",\n"));
    if (const auto tab = name_.find(" Version:\t"); tab != std::string::npos) {
      name_.replace(tab, 10, " ");
    }
  }
  ~MpiTransport() override { MPI_Finalize(); }
  MpiTransport(const MpiTransport&) = delete;
  MpiTransport& operator=(const MpiTransport&) = delete;

  int process() const override { return process_; }
  int processes() const override { return processes_; }
  std::string name() const override { return name_; }
  std::unique_ptr<Group> start(Channel channel, std::span<const Message> sent,
                               std::span<const Message> received) override {
    return std::make_unique<MpiGroup>(channel, sent, received);
  }
  bool sum(std::span<float> values) override {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): how MPI says "in place"
    MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_FLOAT, MPI_SUM,
                  MPI_COMM_WORLD);
    return true;
  }
  void abandon(int code) override {
    MPI_Abort(MPI_COMM_WORLD, code);
    std::abort();
  }

 private:
  int process_ = 0, processes_ = 1;
  std::string name_;
};

}  // namespace

extern "C" const char* kette_transport_version() { return KETTE_VERSION; }
extern "C" Transport* kette_transport() { return new MpiTransport; }

}  // namespace kette
