#include "train/interrupt.h"

#include <csignal>

namespace kette {
namespace {

volatile std::sig_atomic_t interrupted = 0;

void on_signal(int signal) {
  interrupted = 1;
  std::signal(signal, SIG_DFL);  // a second one ends the program
}

}  // namespace

InterruptGuard::InterruptGuard() {
  interrupted = 0;
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool InterruptGuard::requested() { return interrupted != 0; }

}  // namespace kette
