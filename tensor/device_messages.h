// Messages between GPUs of several processes, each of which computes on one: NCCL, NVIDIA's library for that.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace kette {

class DeviceMessages {
 public:
  /// To, or from, another process: memory of the device.
  struct Message {
    int process;
    void* memory;
    std::size_t bytes;
  };
  /// What the processes find each other by.
  using Id = std::array<char, 128>;

  /// Messages on their way.
  class Group {
   public:
    virtual ~Group() = default;
    /// Whether the work before them is done.
    virtual bool is_ready() const = 0;
    /// Whether all are there, those that were sent, too. Throws an Error where they never will be.
    virtual bool arrived() = 0;
  };

  /// "NCCL 2.27.3". Opens the library the first time; an Error says what to install.
  static std::string library();
  /// Made by one process, for all.
  static Id make_id();
  /// Waits for all others.
  static std::unique_ptr<DeviceMessages> join(const Id& id, int device, int process, int processes);

  virtual ~DeviceMessages() = default;
  /// Starts once all work is done that was given to the device so far.
  virtual std::unique_ptr<Group> start(std::span<const Message> sent,
                                       std::span<const Message> received) = 0;
  /// Ends what is on its way.
  virtual void abandon() = 0;
};

}  // namespace kette
