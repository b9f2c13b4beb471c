// The GIL released and taken. These take the place of nanobind's guards, because up to Python 3.13 a daemon thread that
// wants the GIL while the interpreter ends is unwound like a cancelled one. A destructor, or a region of OpenMP, does not
// let that pass: it would abort the process. As in Python 3.14 the thread sleeps until the process has ended.
#pragma once

#include <nanobind/nanobind.h>
#include <unistd.h>

namespace kette::python {

/// Calls take(), which waits for the GIL.
template <class Take>
auto take_gil(const Take& take) {
  try {
    return take();
  } catch (
      ...) {  // not an exception: the end of the thread, which a handler may keep from going on
    while (true) ::pause();
  }
}

/// Others run Python while it lives.
class GilRelease {
 public:
  GilRelease() : thread_(PyEval_SaveThread()) {}
  ~GilRelease() {
    take_gil([&] { PyEval_RestoreThread(thread_); });
  }
  GilRelease(const GilRelease&) = delete;
  GilRelease& operator=(const GilRelease&) = delete;

 private:
  PyThreadState* thread_;
};

/// For Python from any thread, while it lives.
class GilAcquire {
 public:
  GilAcquire() : state_(take_gil(PyGILState_Ensure)) {}
  ~GilAcquire() { PyGILState_Release(state_); }
  GilAcquire(const GilAcquire&) = delete;
  GilAcquire& operator=(const GilAcquire&) = delete;

 private:
  PyGILState_STATE state_;
};

}  // namespace kette::python
