#include "train/interrupt.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <iterator>

#include "tensor/error.h"
#include "train/communicator.h"

namespace kette {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};

// Without a lock, for handlers and several threads use them.
std::atomic<int> interrupted = 0;
std::atomic<pid_t> children[InterruptRelay::kMostChildren] = {};  // 0: a free place
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<pid_t>::is_always_lock_free);

/// Gives those signals a handler, but for the ignored ones.
void handle(void (*handler)(int)) {
  for (const int signal : kSignals) {
    if (std::signal(signal, handler) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

void on_signal(int signal) {
  interrupted = signal;
  handle(SIG_DFL);
  std::signal(SIGPIPE, SIG_IGN);  // what is said of the end, and nobody reads, must not end it
}

void pass_to_children(int signal) {
  interrupted = signal;
  for (const std::atomic<pid_t>& child : children) {
    if (const pid_t process = child; process != 0) kill(process, signal);
  }
}

}  // namespace

bool is_interrupt(int signal) {
  return std::find(std::begin(kSignals), std::end(kSignals), signal) != std::end(kSignals);
}

InterruptGuard::InterruptGuard() {
  if (host_ != nullptr) {
    ++host_->guards_;
    return;
  }
  interrupted = 0;
  handle(on_signal);
}

InterruptGuard::~InterruptGuard() {
  if (host_ != nullptr) {
    --host_->guards_;
    return;
  }
  handle(SIG_DFL);
  interrupted = 0;  // it was for what the guard was for
}

int InterruptGuard::requested() {
  const Host* host = Host::current();
  return host != nullptr ? host->signal() : interrupted.load();
}

std::function<void()> interrupt_check(const Communicator& communicator) {
  if (!communicator.is_alone()) return [] {};
  return [host = Host::current()] {
    if ((host != nullptr ? host->signal() : interrupted.load()) != 0) throw Interrupted();
  };
}

InterruptRelay::InterruptRelay() {
  interrupted = 0;
  if (host_ == nullptr) handle(pass_to_children);
}

InterruptRelay::~InterruptRelay() {
  if (host_ == nullptr) handle(SIG_DFL);
  interrupted = 0;
}

void InterruptRelay::look_at_host() {
  if (host_ != nullptr && host_->signal() != 0 && requested() == 0) pass_on(host_->signal());
}

void InterruptRelay::pass_on(int signal) { pass_to_children(signal); }

int InterruptRelay::requested() const { return interrupted; }

InterruptRelay::Child::Child(InterruptRelay& relay, pid_t process) {
  for (pid_t none = 0; !children[place_].compare_exchange_strong(none, process); none = 0) {
    ++place_;
    KETTE_CHECK(place_ < kMostChildren, "interrupt: expected at most ", kMostChildren,
                " children at a time, given more");
  }
  if (const int signal = relay.requested(); signal != 0) kill(process, signal);
}

InterruptRelay::Child::~Child() { children[place_] = 0; }

}  // namespace kette
