// The processes that work on one thing together, or the only one: who they are, and what they tell each other. All of
// them call the same functions in the same order. Where one is not heard of for the wait limit, all end.
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

/// An Error that all processes know of.
class SharedError : public Error {
 public:
  SharedError(const std::string& message, bool mine) : Error(message), is_mine(mine) {}
  bool is_mine;  ///< of this process, which says it
};

class Communicator {
 public:
  using Seconds = std::chrono::duration<double>;
  /// What ends where one is not heard of, for scripts that go on then with --resume (sysexits.h: EX_TEMPFAIL).
  static constexpr int kLostCode = 75;
  /// Groups of messages on their way at a time: more need more memory, fewer leave the line idle.
  static constexpr std::size_t kWindow = 8;

  /// The only process.
  Communicator() = default;
  /// wait_limit: zero waits for ever.
  Communicator(std::unique_ptr<Transport> transport, Seconds wait_limit);
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  /// For who works alone.
  static Communicator& none();

  int process() const { return transport_ ? transport_->process() : 0; }
  int processes() const { return transport_ ? transport_->processes() : 1; }
  bool is_alone() const { return processes() == 1; }
  /// Whether it is the one that decides, writes and speaks.
  bool is_first() const { return process() == 0; }
  /// Where all hosts have as many processes, numbered host by host: so many; otherwise 0.
  int processes_a_host() const;
  /// Of this process among those on its host: which, and of how many.
  struct Place {
    int number = 0, count = 0;
  };
  Place place_on_host() const;
  /// All but this one.
  std::vector<int> others() const;
  const std::string& host_of(int process) const { return hosts_[process]; }
  /// "process 3 on host b"
  std::string name_of(int process) const;
  /// "8 processes on 2 hosts (a: 0-3, b: 4-7), Open MPI 4.1.4"
  std::string str() const;

  /// What each process gives, by their numbers.
  std::vector<std::string> all(const std::string& mine);
  template <class T>
  std::vector<T> all(const T& mine) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> values(processes());
    values[process()] = mine;
    gather_small(values.data(), sizeof(T));
    return values;
  }
  /// What the first gives.
  template <class T>
  T of_first(const T& mine) {
    struct Box {  // for a vector of bool is none
      T value;
    };
    return all(Box{mine}).front().value;
  }
  /// All do it, without a word to each other; what is an Error in one is a SharedError in all.
  void agree(const std::function<void()>& work);
  /// Likewise, but the first does it alone. phase: what it is, for the others that wait.
  void once(const char* phase, const std::function<void()>& work) {
    const Phase announced(*this, phase);
    agree([&] {
      if (is_first()) work();
    });
  }

  /// What the first process makes, and once it has, the others likewise: of what it left on disk.
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

  /// What work() gives of things that cost so much, a text for each: of each process those of a stretch that costs about
  /// as much as another's. phase: as for once().
  using Stretch = std::function<std::vector<std::string>(const Interval& things)>;
  std::vector<std::string> share_out(const char* phase, const std::vector<std::int64_t>& costs,
                                     const Stretch& work);
  /// What lines cost: about their length.
  static std::vector<std::int64_t> costs_of(const std::vector<std::string>& lines);
  /// The same of lines.
  using LineWork = std::function<std::vector<std::string>(const std::vector<std::string>&)>;
  std::vector<std::string> share_out(const char* phase, const std::vector<std::string>& lines,
                                     const LineWork& work);

  /// Process p has the elements piece(p) of a flat tensor; afterwards all have all.
  void gather(const Tensor& whole, const std::function<Interval(int)>& piece);
  /// Likewise its pieces of all chunks.
  void gather(const Tensor& whole, const Shards& shards);
  /// Gives the first process the elements of a flat tensor in their order, part by part, of which each process has the
  /// pieces it owns, end to end. An Error of `take` is thrown once all are there. Others do not call it.
  void collect(const Tensor& owned, const Shards& shards,
               const std::function<void(const Tensor&)>& take);
  /// Elements of a flat tensor, for another process or from it.
  static Transport::Message message(int process, const Tensor& flat, const Interval& elements);
  using Messages = std::vector<Transport::Message>;
  /// Parts of tensors on this device.
  std::unique_ptr<Transport::Group> start(const Device& device, const Messages& sent,
                                          const Messages& received);
  void wait(Transport::Group& group);
  /// The sum of f32 on the CPU by the engine's own means, to compare with. Whether it has any.
  bool sum_by_engine(const Tensor& values) {
    return transport_->sum({values.data<float>(), static_cast<std::size_t>(values.elements())});
  }
  /// Seconds that this process has waited for others so far.
  double seconds_waited() const { return waited_.count(); }

  void set_wait_limit(Seconds limit) { wait_limit_ = limit; }
  /// By which tensors on GPUs go; all else by the other one, which knows the host's memory alone.
  void use_for_gpus(std::unique_ptr<Transport> transport) { between_gpus_ = std::move(transport); }
  Transport& host_transport() { return *transport_; }
  /// Ends all processes at once, for what only this one knows.
  void abandon(int code) { (between_gpus_ ? *between_gpus_ : *transport_).abandon(code); }
  /// What this process does, for messages about it: "step 812".
  void doing(std::string what) { doing_ = std::move(what); }
  /// While one lives, this process does what may take long, and the others wait for longer.
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
  /// What another process does that takes long; "": nothing.
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
