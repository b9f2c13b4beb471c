#include "serve/engine_host.h"

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "decode/job_queue.h"

namespace kette {

EngineHost::EngineHost(const Ensemble& model, const Options& options)
    : model_(model), options_(options) {
  KETTE_CHECK(options.threads >= 0, "threads: expected at least 1, or 0 for all, given ",
              options.threads);
  if (options_.threads == 0) options_.threads = omp_get_max_threads();
  // A device that runs ahead does what several threads queue one after the other.
  const std::int64_t count = model.device().runs_ahead() ? 1 : options_.threads;
  for (std::int64_t i = 0; i < count; ++i) {
    Worker& worker = workers_.emplace_back();
    worker.thread = std::thread([this, &worker] { work(worker); });
  }
}

EngineHost::~EngineHost() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  has_work_.notify_all();
  for (Worker& worker : workers_) worker.thread.join();
}

EngineHost::Load EngineHost::load() const {
  const std::lock_guard lock(mutex_);
  Load load{.waiting = waiting_, .waiting_cost = waiting_cost_, .steps = steps_};
  for (const Worker& worker : workers_) {
    load.live += worker.live;
    load.rows += worker.rows;
  }
  return load;
}

std::vector<std::int64_t> EngineHost::submit(const void* client, std::vector<Request> requests) {
  std::vector<std::int64_t> names;
  {
    const std::lock_guard lock(mutex_);
    auto line = std::find_if(lines_.begin(), lines_.end(),
                             [&](const Line& one) { return one.client == client; });
    if (line == lines_.end()) line = lines_.insert(lines_.end(), Line{client});
    for (Request& request : requests) {
      request.number = next_name_++;
      names.push_back(request.number);
      ++waiting_;
      waiting_cost_ += request.cost();
      line->waiting.push_back(std::move(request));
    }
    if (line->waiting.empty()) lines_.erase(line);
  }
  has_work_.notify_all();
  return names;
}

void EngineHost::cancel(const std::vector<std::int64_t>& names) {
  const std::lock_guard lock(mutex_);
  const auto is_one = [&](const Request& request) {
    return std::find(names.begin(), names.end(), request.number) != names.end();
  };
  for (Line& line : lines_) {
    for (const Request& request : line.waiting) {
      if (!is_one(request)) continue;
      --waiting_;
      waiting_cost_ -= request.cost();
    }
    std::erase_if(line.waiting, is_one);
  }
  lines_.remove_if([](const Line& line) { return line.waiting.empty(); });
  for (const std::int64_t name : names) {
    const auto found = working_.find(name);
    if (found != working_.end()) found->second->to_cancel.push_back(name);
  }
}

/// Texts that cost at most `room` together; to an idle engine one at least if there is any: deficit round robin (Shreedhar and Varghese
/// 1995). The mutex is held.
std::vector<Request> EngineHost::take(std::int64_t room, bool idle) {
  // What there is, is for all workers; and too little of it is not worth reading the weights for.
  const std::int64_t least = least_share(options_.batch_tokens),
                     share = waiting_cost_ / std::ssize(workers_);
  room = std::min(room, std::max(least, share));
  std::vector<Request> taken;
  std::int64_t cost = 0;
  while (!lines_.empty()) {
    Line& line = lines_.front();
    const std::int64_t next = line.waiting.front().cost();
    if (cost + next > room && (!idle || !taken.empty())) break;
    if (next > line.credit) {
      line.credit += std::max(least, next);
      lines_.splice(lines_.end(), lines_, lines_.begin());  // the others' turn
      if (lines_.size() > 1) continue;
    }
    line.credit -= next;
    cost += next;
    --waiting_;
    waiting_cost_ -= next;
    taken.push_back(std::move(line.waiting.front()));
    line.waiting.pop_front();
    if (line.waiting.empty()) lines_.remove_if([&](const Line& one) { return &one == &line; });
  }
  return taken;
}

void EngineHost::forget(std::int64_t name) {
  const std::lock_guard lock(mutex_);
  working_.erase(name);
}

void EngineHost::work(Worker& worker) {
  Engine engine(model_);
  while (true) {
    std::vector<Request> taken;
    std::vector<std::int64_t> to_cancel;
    {
      std::unique_lock lock(mutex_);
      worker.live = engine.texts();
      worker.rows = engine.texts() > 0 ? engine.rows() : 0;
      if (engine.texts() == 0 && lines_.empty() && worker.to_cancel.empty()) {
        has_work_.wait(lock, [&] { return ends_ || !lines_.empty(); });
      }
      if (ends_) return;
      const std::int64_t room = options_.batch_tokens - engine.cost();
      // To begin with few texts at a time wastes the products, so room is left to gather first.
      const bool takes = engine.texts() == 0 || 4 * engine.cost() <= 3 * options_.batch_tokens;
      if (takes) taken = take(room, engine.texts() == 0);
      for (const Request& request : taken) working_[request.number] = &worker;
      to_cancel = std::exchange(worker.to_cancel, {});
      worker.live += std::ssize(taken);
      const auto busy = std::count_if(workers_.begin(), workers_.end(),
                                      [](const Worker& one) { return one.live > 0; });
      ++steps_;
      // As few threads each as there are workers with texts: the bits do not depend on it.
      omp_set_num_threads(static_cast<int>(
          std::max<std::int64_t>(1, options_.threads / std::max<std::int64_t>(1, busy))));
    }
    for (Request& request : taken) {
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
  // Engines only put notes into the mailbox, which are read here. Those that come too late are never read.
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
  const std::vector<std::int64_t> names = host_.submit(this, std::move(requests));
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
