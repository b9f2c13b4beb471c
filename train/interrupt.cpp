#include "train/interrupt.h"

#include <csignal>

namespace kette {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

volatile std::sig_atomic_t interrupted = 0;
volatile pid_t receiver = 0;

/// Gives those signals a handler, but for the ignored ones.
void handle(void (*handler)(int)) {
  for (const int signal : kSignals) {
    if (std::signal(signal, handler) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

void on_signal(int signal) {
  interrupted = signal;
  handle(SIG_DFL);
}

void pass_on(int signal) { kill(receiver, signal); }

}  // namespace

InterruptGuard::InterruptGuard(pid_t process) {
  receiver = process;
  handle(pass_on);
}

InterruptGuard::InterruptGuard() {
  interrupted = 0;
  handle(on_signal);
}

InterruptGuard::~InterruptGuard() { handle(SIG_DFL); }

int InterruptGuard::requested() { return interrupted; }

}  // namespace kette
