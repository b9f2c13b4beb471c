// Kette as a part of another program, such as Python: signals and what is shown belong to that program. While a Host::Scope
// lives, work on its thread takes no signals and prints nothing; the host gets it.
#pragma once

#include <atomic>
#include <exception>
#include <ostream>
#include <string>

namespace kette {

/// Ends work that a host has interrupted. No Error, for nothing is wrong.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

class Host {
 public:
  /// out: what a command would print on stdout. messages: what it would say on stderr, without status lines.
  Host(std::ostream& out, std::ostream& messages) : out_(out), messages_(messages) {}
  virtual ~Host() = default;
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  std::ostream& out() const { return out_; }
  std::ostream& messages() const { return messages_; }
  /// A line of a training's log.jsonl. It must not throw.
  virtual void log(const std::string& json) { (void)json; }

  /// Ends its work as a signal would. A training saves its state first. From any thread.
  void interrupt(int signal) { signal_ = signal; }
  /// The last one, or 0.
  int signal() const { return signal_; }
  /// Throws Interrupted if there was one, unless an InterruptGuard lives, behind which the state is saved. From any
  /// thread.
  void check() const {
    if (signal_ != 0 && guards_ == 0) throw Interrupted();
  }

  /// This thread's host, or null.
  static Host* current();
  /// host: may be null.
  class Scope {
   public:
    explicit Scope(Host* host);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Host* before_;
  };

 private:
  friend class InterruptGuard;

  std::ostream &out_, &messages_;
  std::atomic<int> signal_ = 0, guards_ = 0;
};

/// Host::check() of this thread's host, if there is one. For long loops.
inline void check_interrupt() {
  if (const Host* host = Host::current()) host->check();
}

}  // namespace kette
