#include "serve/engine_host.h"

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <utility>

#include "decode/job_queue.h"
#include "decode/search_limits.h"
#include "tensor/backend.h"

namespace kette {

EngineHost::EngineHost(const Ensemble& model, const Options& options)
    : model_(model), options_(options) {
  KETTE_CHECK(options.threads >= 0, "threads: expected at least 1, or 0 for all, given ",
              options.threads);
  if (options_.threads == 0) options_.threads = omp_get_max_threads();
  if (options_.engines == 0) options_.engines = options_.threads;
  // A device that runs ahead executes the work of several threads one after the other.
  if (model.device().runs_ahead()) options_.engines = 1;
  if (options_.memory <= 0) {
    options_.memory = static_cast<double>(backend(model.device()).capacity()) / 2;
  }
  try {
    for (std::int64_t i = 0; i < options_.engines; ++i) {
      Worker& worker = workers_.emplace_back();
      worker.thread = std::thread([this, &worker] { work(worker); });
    }
  } catch (const std::exception& error) {  // with threads that run, which must be joined
    end_workers();
    fail("threads: expected room for ", options_.engines, " engines, given too little (",
         error.what(), "; ulimit says what a program may have)");
  }
}

EngineHost::~EngineHost() { end_workers(); }

void EngineHost::end_workers() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  has_work_.notify_all();
  for (Worker& worker : workers_) {
    if (worker.thread.joinable()) worker.thread.join();
  }
}

EngineHost::Load EngineHost::load() const {
  const std::lock_guard lock(mutex_);
  Load load{.waiting = waiting_};
  for (const Worker& worker : workers_) {
    load.live += worker.live;
    load.rows += worker.rows;
    load.shared_tokens += worker.shared_tokens;
  }
  return load;
}

double EngineHost::bytes_of(const Request& request) const {
  const std::int64_t prompt = std::ssize(request.prompt);
  const std::int64_t positions =
      std::min(model_.positions(), prompt + request.policy->max_tokens());
  return static_cast<double>(request.policy->max_rows()) * row_bytes(model_, positions) +
         row_bytes(model_, std::ssize(request.source));
}

/// The estimated seconds until texts of this cost begin. Because clients take turns, each waiting
/// client counts with at most this cost. 0 while the speed of the engines is unknown.
double EngineHost::expected_wait(std::int64_t cost) const {
  constexpr double kKnown = 0.5;  // seconds
  if (busy_seconds_ < kKnown || done_cost_ <= 0) return 0;
  double before = 0;
  for (const Line& line : lines_) before += static_cast<double>(std::min(line.cost, cost));
  return before * busy_seconds_ / done_cost_;
}

/// Adds the time since the last call, if the engines had work.
void EngineHost::count_time() {
  constexpr double kMemory = 10;  // seconds after which the past has weight 1 / e
  const Clock::time_point now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - std::exchange(counted_, now)).count();
  const double fading = std::exp(-seconds / kMemory);
  done_cost_ *= fading;
  busy_seconds_ = fading * busy_seconds_ + seconds;
}

std::vector<std::int64_t> EngineHost::submit(const void* client, std::vector<Request> requests,
                                             bool may_be_refused) {
  std::vector<Waiting> added;
  std::int64_t cost = 0;
  for (Request& request : requests) {
    const double bytes = bytes_of(request);
    KETTE_CHECK(bytes <= options_.memory, "memory: expected texts whose keys and values fit in ",
                options_.memory / (1 << 30), " GiB, given one that may take ", bytes / (1 << 30),
                " (fewer rows, or a lower limit of its tokens, take less)");
    cost += request.cost();
    added.push_back({std::move(request), bytes, Clock::now()});
  }
  std::vector<std::int64_t> names;
  {
    const std::lock_guard lock(mutex_);
    if (may_be_refused && options_.most_wait > 0) {
      const double wait = expected_wait(cost);
      if (wait > options_.most_wait) throw HostBusy(wait, options_.most_wait);
    }
    if (lines_.empty() && live_.empty()) counted_ = Clock::now();
    auto line = std::find_if(lines_.begin(), lines_.end(),
                             [&](const Line& one) { return one.client == client; });
    if (line == lines_.end()) line = lines_.insert(lines_.end(), Line{client});
    for (Waiting& one : added) {
      one.request.number = next_name_++;
      names.push_back(one.request.number);
      line->waiting.push_back(std::move(one));
    }
    line->cost += cost;
    waiting_ += std::ssize(added);
    waiting_cost_ += cost;
    if (line->waiting.empty()) lines_.erase(line);
  }
  // A text needs no more than one engine.
  for (std::size_t i = 0; i < std::min(names.size(), workers_.size()); ++i) has_work_.notify_one();
  return names;
}

void EngineHost::cancel(const std::vector<std::int64_t>& names) {
  {
    const std::lock_guard lock(mutex_);
    const auto is_one = [&](const Waiting& one) {
      return std::find(names.begin(), names.end(), one.request.number) != names.end();
    };
    for (Line& line : lines_) {
      for (const Waiting& one : line.waiting) {
        if (!is_one(one)) continue;
        --waiting_;
        waiting_cost_ -= one.request.cost();
        line.cost -= one.request.cost();
      }
      std::erase_if(line.waiting, is_one);
    }
    lines_.remove_if([](const Line& line) { return line.waiting.empty(); });
    for (const std::int64_t name : names) {
      const auto found = live_.find(name);
      if (found != live_.end()) found->second.worker->to_cancel.push_back(name);
    }
  }
  has_work_.notify_all();
}

/// Takes texts with costs of at most `room` together. An idle engine gets at least one, if it fits in
/// the memory. Deficit round robin (Shreedhar and Varghese 1995). Call it with the mutex held.
std::vector<EngineHost::Waiting> EngineHost::take(std::int64_t room, bool idle) {
  // All engines share the waiting texts. But a step of few rows is not worth reading the weights.
  const std::int64_t least = minimum_share(options_.batch_tokens),
                     share = waiting_cost_ / std::ssize(workers_);
  room = std::min(room, std::max(least, share));
  std::vector<Waiting> taken;
  std::int64_t cost = 0;
  while (may_begin()) {
    Line& line = lines_.front();
    const std::int64_t next = line.waiting.front().request.cost();
    if (cost + next > room && (!idle || !taken.empty())) break;
    if (next > line.credit) {
      line.credit += std::max(least, next);
      lines_.splice(lines_.end(), lines_, lines_.begin());  // its turn is over
      if (lines_.size() > 1) continue;
    }
    line.credit -= next;
    line.cost -= next;
    cost += next;
    --waiting_;
    waiting_cost_ -= next;
    live_bytes_ += line.waiting.front().bytes;
    taken.push_back(std::move(line.waiting.front()));
    line.waiting.pop_front();
    if (line.waiting.empty()) lines_.remove_if([&](const Line& one) { return &one == &line; });
  }
  return taken;
}

/// Releases a text that is done, has failed or was cancelled.
void EngineHost::forget(std::int64_t name) {
  const std::lock_guard lock(mutex_);
  const auto found = live_.find(name);
  if (found == live_.end()) return;
  count_time();
  done_cost_ += static_cast<double>(found->second.cost);
  live_bytes_ -= found->second.bytes;
  live_.erase(found);
  if (live_.empty()) live_bytes_ = 0;           // removes rounding errors
  if (!lines_.empty()) has_work_.notify_all();  // they may wait for memory
}

/// Waits for a text before the engine sleeps. To wake up takes as long as a few tokens of a small model, and a client
/// that has its answer may ask again at once.
void EngineHost::wait_briefly() const {
  const Clock::time_point end = Clock::now() + std::chrono::microseconds(100);
  while (waiting_ == 0 && Clock::now() < end) std::this_thread::yield();
}

void EngineHost::work(Worker& worker) {
  Engine engine(model_, {.keep_prompts = options_.keep_prompts});
  bool was_busy = false;
  while (true) {
    std::vector<Waiting> taken;
    std::vector<std::int64_t> to_cancel;
    if (was_busy && engine.texts() == 0) wait_briefly();
    {
      std::unique_lock lock(mutex_);
      worker.live = engine.texts();
      worker.rows = engine.texts() > 0 ? engine.rows() : 0;
      worker.shared_tokens = engine.shared_tokens();
      if (engine.texts() == 0 && worker.to_cancel.empty()) {
        has_work_.wait(lock, [&] { return ends_ || may_begin(); });
      }
      if (ends_) return;
      // Adding few texts at a time makes small products. So wait until a quarter is free.
      if (engine.texts() == 0 || 4 * engine.cost() <= 3 * options_.batch_tokens) {
        taken = take(options_.batch_tokens - engine.cost(), engine.texts() == 0);
      }
      for (const Waiting& one : taken) {
        live_[one.request.number] = {&worker, one.bytes, one.request.cost()};
      }
      to_cancel = std::exchange(worker.to_cancel, {});
      worker.live += std::ssize(taken);
      was_busy = worker.live > 0;
      // The engines with texts share the threads. The number of threads does not change the bits.
      const auto busy = std::count_if(workers_.begin(), workers_.end(),
                                      [](const Worker& one) { return one.live > 0; });
      omp_set_num_threads(static_cast<int>(
          std::max<std::int64_t>(1, options_.threads / std::max<std::int64_t>(1, busy))));
    }
    for (Waiting& one : taken) {
      if (options_.on_begin) {
        options_.on_begin(std::chrono::duration<double>(Clock::now() - one.since).count());
      }
      Request& request = one.request;
      const std::int64_t name = request.number;
      const auto failed = request.failed;
      try {
        request.done = [this, name, done = std::move(request.done)](std::vector<Hypothesis> found) {
          forget(name);
          done(std::move(found));
        };
        request.failed = [this, name, failed](const std::exception_ptr& error) {
          forget(name);
          failed(error);
        };
        engine.add(std::move(request));
      } catch (...) {
        forget(name);
        failed(std::current_exception());
      }
    }
    for (const std::int64_t name : to_cancel) {
      engine.cancel(name);
      forget(name);
    }
    engine.step();
    if (options_.on_step && engine.rows() > 0) options_.on_step(engine.rows());
  }
}

void HostClient::Mailbox::put(std::function<void()> what) {
  {
    const std::lock_guard lock(mutex);
    mail.push_back(std::move(what));
  }
  has_mail.notify_one();
}

std::function<void()> HostClient::Mailbox::take() {
  std::unique_lock lock(mutex);
  has_mail.wait_for(lock, std::chrono::milliseconds(50), [&] { return !mail.empty(); });
  if (mail.empty()) return {};
  std::function<void()> what = std::move(mail.front());
  mail.pop_front();
  return what;
}

HostClient::Post HostClient::post() const {
  return [mailbox = mailbox_](std::function<void()> what) { mailbox->put(std::move(what)); };
}

void HostClient::run(std::int64_t count, const MakeRequest& make) {
  // Engines put notes into the mailbox, and this reads them. Late notes are never read.
  std::int64_t left = count;
  std::exception_ptr error;
  std::vector<Request> requests;
  for (std::int64_t i = 0; i < count; ++i) {
    check_();
    Request request = make(i);
    request.done = [post = post(), done = std::move(request.done),
                    &left](std::vector<Hypothesis> found) {
      post([done, found = std::move(found), &left]() mutable {
        --left;
        done(std::move(found));
      });
    };
    request.failed = [post = post(), &left, &error](const std::exception_ptr& why) {
      post([why, &left, &error] {
        --left;
        if (!error) error = why;
      });
    };
    requests.push_back(std::move(request));
  }
  const std::vector<std::int64_t> names =
      host_.submit(this, std::move(requests), !std::exchange(has_begun_, true));
  try {
    while (left > 0) {
      check_();
      if (const std::function<void()> what = mailbox_->take()) what();
      if (error) std::rethrow_exception(error);
    }
  } catch (...) {
    host_.cancel(names);
    mailbox_ = std::make_shared<Mailbox>();
    throw;
  }
}

}  // namespace kette
