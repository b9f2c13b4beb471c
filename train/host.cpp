#include "train/host.h"

#include <utility>

namespace kette {
namespace {

thread_local Host* of_thread = nullptr;

}  // namespace

Host* Host::current() { return of_thread; }

Host::Scope::Scope(Host* host) : before_(std::exchange(of_thread, host)) {}
Host::Scope::~Scope() { of_thread = before_; }

}  // namespace kette
