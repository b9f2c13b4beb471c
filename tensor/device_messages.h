// Messages between the GPUs of several processes, one GPU per process, by NVIDIA's library NCCL.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace kette {

class DeviceMessages {
 public:
  /// Device memory to send to, or receive from, another process.
  struct Message {
    int process;
    void* memory;
    std::size_t bytes;
  };
  /// The id by which the processes find each other.
  using Id = std::array<char, 128>;

  /// Messages that are under way.
  class Group {
   public:
    virtual ~Group() = default;
    /// Whether the device work before the messages is done.
    virtual bool is_ready() const = 0;
    /// Whether all messages, sent and received, have arrived. Throws an Error if they never will.
    virtual bool arrived() = 0;
  };

  /// "NCCL 2.27.3". Opens the library on the first call; the Error, if it is missing, says what to
  /// install.
  static std::string library();
  /// Called by one process, which passes the id to all.
  static Id make_id();
  /// Waits for all other processes.
  static std::unique_ptr<DeviceMessages> join(const Id& id, int device, int process, int processes);

  virtual ~DeviceMessages() = default;
  /// The messages start once all work queued on the device so far is done.
  virtual std::unique_ptr<Group> start(std::span<const Message> sent,
                                       std::span<const Message> received) = 0;
  /// Aborts the messages under way.
  virtual void abandon() = 0;
};

}  // namespace kette
