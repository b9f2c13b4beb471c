#include "tensor/observer.h"

#include <utility>

namespace kette {
namespace {

thread_local WorkObserver* watching = nullptr;

}  // namespace

WorkObserver* WorkObserver::current() { return watching; }

WorkObservation::WorkObservation(WorkObserver* observer)
    : previous_(std::exchange(watching, observer)) {}
WorkObservation::~WorkObservation() { watching = previous_; }

}  // namespace kette
