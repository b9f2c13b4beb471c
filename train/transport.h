// What moves bytes between processes: an engine of message passing, as MPI. It never adds, so what is computed of the
// bytes does not depend on the engine.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace kette {

/// Messages of one channel arrive in the order in which they were sent; channels do not know of each other.
enum class Channel { small, tensors, phases };

class Transport {
 public:
  /// To, or from, another process. Both sides know how many bytes they are. The memory is the transport's until its group
  /// has arrived.
  struct Message {
    int process;
    void* memory;
    std::size_t bytes;
  };

  /// Messages on their way.
  class Group {
   public:
    virtual ~Group() = default;
    /// Moves them on. Whether all are there, those that were sent, too.
    virtual bool arrived() = 0;
    /// Whether what this process sends is there to be sent, so that it waits for others alone.
    virtual bool is_ready() const { return true; }
    /// With which processes some are not done.
    virtual std::vector<int> missing() const = 0;
  };

  virtual ~Transport() = default;
  virtual int process() const = 0;  ///< number of this one, from 0
  virtual int processes() const = 0;
  /// Of this process.
  virtual std::string host() const;
  /// For people: "Open MPI 4.1.4".
  virtual std::string name() const = 0;
  virtual std::unique_ptr<Group> start(Channel channel, std::span<const Message> sent,
                                       std::span<const Message> received) = 0;
  /// The engine's own sum of values over all processes, in whatever order: for measurements. Whether it has one.
  virtual bool sum(std::span<float>) { return false; }
  /// Ends all processes at once, with this exit code.
  [[noreturn]] virtual void abandon(int code) = 0;
};

}  // namespace kette
