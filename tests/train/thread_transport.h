// Processes that are threads of one: their messages arrive in a random order, as far as a transport may, and read the
// memory of the sender as late as it may.
#pragma once

#include <omp.h>

#include <atomic>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>

#include "tensor/random.h"
#include "train/communicator.h"

namespace kette::testing {

/// What all threads of a test share.
struct PostOffice {
  struct Letter {
    const void* memory;
    std::size_t bytes;
    std::vector<std::byte> copy;  // of a short one, which its sender need not wait for
    std::shared_ptr<std::atomic<bool>> read;
    std::int64_t polls_to_wait;
  };
  using Box = std::tuple<int, int, Channel>;  // from, to

  std::mutex mutex;
  std::map<Box, std::deque<Letter>> letters;
  std::atomic<int> abandoned = 0;
};

struct Abandoned {
  int code;
};

class ThreadTransport final : public Transport {
 public:
  ThreadTransport(std::shared_ptr<PostOffice> office, int process, int processes, int a_host,
                  std::uint64_t seed)
      : office_(std::move(office)),
        process_(process),
        processes_(processes),
        a_host_(a_host),
        random_(seed, static_cast<std::uint64_t>(process)) {}

  int process() const override { return process_; }
  int processes() const override { return processes_; }
  std::string host() const override {
    return "h" + std::to_string(a_host_ > 0 ? process_ / a_host_ : 0);
  }
  std::string name() const override { return "threads"; }
  std::unique_ptr<Group> start(Channel channel, std::span<const Message> sent,
                               std::span<const Message> received) override {
    return std::make_unique<ThreadGroup>(*this, channel, sent, received);
  }
  void abandon(int code) override {
    office_->abandoned = code;
    throw Abandoned{code};
  }

 private:
  class ThreadGroup final : public Group {
   public:
    ThreadGroup(ThreadTransport& transport, Channel channel, std::span<const Message> sent,
                std::span<const Message> received)
        : transport_(transport), channel_(channel), received_(received.begin(), received.end()) {
      const std::lock_guard lock(transport.office_->mutex);
      for (const Message& message : sent) {
        constexpr std::size_t kShort = 256;
        PostOffice::Letter letter{message.memory,
                                  message.bytes,
                                  {},
                                  std::make_shared<std::atomic<bool>>(false),
                                  transport.random_.below(4)};
        if (message.bytes <= kShort) {
          const auto* bytes = static_cast<const std::byte*>(message.memory);
          letter.copy.assign(bytes, bytes + message.bytes);
        } else {
          sent_.emplace_back(message.process, letter.read);
        }
        transport.office_->letters[{transport.process_, message.process, channel}].push_back(
            std::move(letter));
      }
    }

    bool arrived() override {
      PostOffice& office = *transport_.office_;
      if (const int code = office.abandoned) throw Abandoned{code};
      const std::lock_guard lock(office.mutex);
      std::map<int, bool> waits;  // those of one sender stay in order
      std::erase_if(received_, [&](const Message& message) {
        auto& box = office.letters[{message.process, transport_.process_, channel_}];
        if (waits[message.process] || box.empty() || box.front().polls_to_wait-- > 0) {
          waits[message.process] = true;
          return false;
        }
        PostOffice::Letter& letter = box.front();
        KETTE_CHECK(letter.bytes == message.bytes, "threads: expected a message of ", message.bytes,
                    " bytes, given ", letter.bytes);
        std::memcpy(message.memory, letter.copy.empty() ? letter.memory : letter.copy.data(),
                    message.bytes);
        *letter.read = true;
        box.pop_front();
        return true;
      });
      std::erase_if(sent_, [](const auto& one) { return one.second->load(); });
      return sent_.empty() && received_.empty();
    }

    std::vector<int> missing() const override {
      std::vector<int> processes;
      for (const Message& message : received_) processes.push_back(message.process);
      for (const auto& [process, read] : sent_) processes.push_back(process);
      return processes;
    }

   private:
    ThreadTransport& transport_;
    Channel channel_;
    std::vector<Message> received_;
    std::vector<std::pair<int, std::shared_ptr<std::atomic<bool>>>> sent_;
  };

  std::shared_ptr<PostOffice> office_;
  int process_, processes_, a_host_;
  Random random_;
};

/// Calls work(communicator) in so many threads, each with one of OpenMP's, as if on hosts of so many each (0: on one).
/// What is thrown first comes out here.
inline void in_threads(int processes, const std::function<void(Communicator&)>& work,
                       std::uint64_t seed = 1, Communicator::Seconds wait_limit = {},
                       int a_host = 0) {
  const auto office = std::make_shared<PostOffice>();
  std::vector<std::thread> threads;
  std::mutex mutex;
  std::exception_ptr first;
  for (int process = 0; process < processes; ++process) {
    threads.emplace_back([&, process] {
      omp_set_num_threads(1);
      try {
        Communicator communicator(
            std::make_unique<ThreadTransport>(office, process, processes, a_host, seed),
            wait_limit);
        work(communicator);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!first) first = std::current_exception();
        office->abandoned = 1;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (first) std::rethrow_exception(first);
}

}  // namespace kette::testing
