// The processes of one run, and what they send each other. A single process needs no transport. All processes must call
// the same functions in the same order. If one does not answer within the wait limit, all end.
#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <list>
#include <optional>
#include <type_traits>

#include "tensor/tensor.h"
#include "train/shards.h"
#include "train/transport.h"

namespace kette {

/// An Error that every process throws.
class SharedError : public Error {
 public:
  SharedError(const std::string& message, bool mine) : Error(message), is_mine(mine) {}
  bool is_mine;  ///< it happened in this process, which prints it
};

class Communicator {
 public:
  using Seconds = std::chrono::duration<double>;
  /// The exit code when a process does not answer. Scripts can then --resume (sysexits.h: EX_TEMPFAIL).
  static constexpr int kLostCode = 75;
  /// The number of groups of messages in flight. More need more memory; fewer leave the network idle.
  static constexpr std::size_t kWindow = 8;

  /// For a single process.
  Communicator() = default;
  /// wait_limit: 0 waits for ever.
  Communicator(std::unique_ptr<Transport> transport, Seconds wait_limit);
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  /// A shared one for a single process.
  static Communicator& none();

  int process() const { return transport_ ? transport_->process() : 0; }
  int processes() const { return transport_ ? transport_->processes() : 1; }
  bool is_alone() const { return processes() == 1; }
  /// The first process decides, writes files and prints.
  bool is_first() const { return process() == 0; }
  /// The number of processes per host. 0 unless it is the same on all hosts and processes are numbered host by host.
  int processes_a_host() const;
  /// The number of this process among the `count` processes of its host.
  struct Place {
    int number = 0, count = 0;
  };
  Place place_on_host() const;
  std::vector<int> others() const;
  const std::string& host_of(int process) const { return hosts_[process]; }
  /// "process 3 on host b"
  std::string name_of(int process) const;
  /// "8 processes on 2 hosts (a: 0-3, b: 4-7), Open MPI 4.1.4"
  std::string str() const;

  /// The values of all processes, by process number.
  std::vector<std::string> all(const std::string& mine);
  template <class T>
  std::vector<T> all(const T& mine) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> values(processes());
    values[process()] = mine;
    gather_small(values.data(), sizeof(T));
    return values;
  }
  /// The first process's value.
  template <class T>
  T of_first(const T& mine) {
    struct Box {  // since std::vector<bool> is no array of bool
      T value;
    };
    return all(Box{mine}).front().value;
  }
  /// All processes do the work. An Error in one becomes a SharedError in all. The work must not communicate.
  void agree(const std::function<void()>& work);
  /// Likewise, but only the first process does the work. phase: its name, for the processes that wait.
  void once(const char* phase, const std::function<void()>& work) {
    const Phase announced(*this, phase);
    agree([&] {
      if (is_first()) work();
    });
  }

  /// Calls make() in the first process, then in the others, which can read what the first left on disk.
  template <class Make>
  auto first_then_others(const char* phase, const Make& make) {
    std::optional<decltype(make())> made;
    once(phase, [&] { made.emplace(make()); });
    const Phase announced(*this, phase);
    agree([&] {
      if (!made) made.emplace(make());
    });
    return std::move(*made);
  }

  /// Divides things with these costs among the processes. Each process works on one interval; all intervals cost about
  /// the same. work() returns one text per thing; the result has those of all things. phase: see once().
  using Stretch = std::function<std::vector<std::string>(const Interval& things)>;
  std::vector<std::string> share_out(const char* phase, const std::vector<std::int64_t>& costs,
                                     const Stretch& work);
  /// The costs of lines: about their lengths.
  static std::vector<std::int64_t> costs_of(const std::vector<std::string>& lines);
  /// The same for lines.
  using LineWork = std::function<std::vector<std::string>(const std::vector<std::string>&)>;
  std::vector<std::string> share_out(const char* phase, const std::vector<std::string>& lines,
                                     const LineWork& work);

  /// All-gather: process p has the elements piece(p) of a flat tensor; afterwards every process has all of them.
  void gather(const Tensor& whole, const std::function<Interval(int)>& piece);
  /// Likewise, with each process's pieces of all chunks.
  void gather(const Tensor& whole, const Shards& shards);
  /// Passes a flat tensor to take(), part by part and in order, in the first process alone. owned: the process's
  /// pieces, end to end. An Error of take() is thrown once all parts have arrived.
  void collect(const Tensor& owned, const Shards& shards,
               const std::function<void(const Tensor&)>& take);
  /// A message of some elements of a flat tensor, to or from another process.
  static Transport::Message message(int process, const Tensor& flat, const Interval& elements);
  using Messages = std::vector<Transport::Message>;
  /// Starts messages between tensors on this device.
  std::unique_ptr<Transport::Group> start(const Device& device, const Messages& sent,
                                          const Messages& received);
  void wait(Transport::Group& group);
  /// Sums f32 values on the CPU with the engine's own all-reduce, for measurements. False if it has none.
  bool sum_by_engine(const Tensor& values) {
    return transport_->sum({values.data<float>(), static_cast<std::size_t>(values.elements())});
  }
  /// How long this process has waited for others so far.
  double seconds_waited() const { return waited_.count(); }

  void set_wait_limit(Seconds limit) { wait_limit_ = limit; }
  /// Sets the transport for tensors on GPUs. All else uses the host's, which can read only host memory.
  void use_for_gpus(std::unique_ptr<Transport> transport) { between_gpus_ = std::move(transport); }
  Transport& host_transport() { return *transport_; }
  /// Ends all processes at once, for an error that only this process sees.
  void abandon(int code) { (between_gpus_ ? *between_gpus_ : *transport_).abandon(code); }
  /// Says what this process does, for messages about it: "step 812".
  void doing(std::string what) { doing_ = std::move(what); }
  /// While it lives, this process may take long, so the others wait longer.
  class Phase {
   public:
    Phase(Communicator& communicator, const char* name);
    ~Phase() { communicator_.announce(outer_); }
    Phase(const Phase&) = delete;
    Phase& operator=(const Phase&) = delete;

   private:
    Communicator& communicator_;
    const char* outer_;
  };

 private:
  using PhaseName = std::array<char, 64>;
  /// The phase of another process; "": none.
  struct Heard {
    PhaseName phase{}, next{};
    std::unique_ptr<Transport::Group> on_its_way;
  };
  struct Told {
    PhaseName phase;
    std::unique_ptr<Transport::Group> on_its_way;
  };

  void gather_small(void* values, std::size_t bytes_each);
  void announce(const char* phase);
  void listen();
  void give_up(const std::vector<int>& missing, Seconds waited);

  std::unique_ptr<Transport> transport_, between_gpus_;
  Seconds wait_limit_{}, waited_{};
  std::vector<std::string> hosts_{""};
  std::string doing_ = "the start";
  const char* phase_ = "";
  std::vector<Heard> heard_;  // by process
  std::list<Told> told_;
};

}  // namespace kette
