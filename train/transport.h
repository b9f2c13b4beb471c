// Moves bytes between processes by a message passing library (an engine) such as MPI. It never computes sums, so
// results do not depend on the engine.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace kette {

/// Messages of one channel arrive in the order in which they were sent. Channels are independent.
enum class Channel { small, tensors, phases };

class Transport {
 public:
  /// A message to or from another process. Both sides know its size. The memory must not be used until the group has
  /// arrived.
  struct Message {
    int process;
    void* memory;
    std::size_t bytes;
  };

  /// Messages in flight.
  class Group {
   public:
    virtual ~Group() = default;
    /// Makes progress. Whether all messages are done, sent and received.
    virtual bool arrived() = 0;
    /// Whether this process's data is ready to be sent, so that only other processes are waited for.
    virtual bool is_ready() const { return true; }
    /// The processes with messages that are not done.
    virtual std::vector<int> missing() const = 0;
  };

  virtual ~Transport() = default;
  virtual int process() const = 0;  ///< the number of this process, from 0
  virtual int processes() const = 0;
  /// The name of this process's host.
  virtual std::string host() const;
  /// For people: "Open MPI 4.1.4".
  virtual std::string name() const = 0;
  virtual std::unique_ptr<Group> start(Channel channel, std::span<const Message> sent,
                                       std::span<const Message> received) = 0;
  /// Sums values over all processes with the engine's own all-reduce, in any order; for measurements. False if it has
  /// none.
  virtual bool sum(std::span<float>) { return false; }
  /// Ends all processes at once, with this exit code.
  [[noreturn]] virtual void abandon(int code) = 0;
};

}  // namespace kette
