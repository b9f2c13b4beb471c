// Exceptions of C++ in Python.
#include <fnmatch.h>

#include <filesystem>
#include <new>
#include <stdexcept>

#include "python/src/bindings.h"
#include "tensor/suggestion.h"

namespace kette::python {
namespace {

/// The rest of what the library throws; nanobind knows the standard's other exceptions.
void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::filesystem::filesystem_error& error) {
    errno = error.code().value();
    PyErr_SetFromErrnoWithFilename(PyExc_OSError, error.path1().c_str());
  } catch (const nb::cast_error&) {  // such as of a str that no UTF-8 can have
    PyErr_SetString(PyExc_TypeError,
                    "expected a value of another type or range, given one that does not fit");
  } catch (const std::length_error&) {
    PyErr_SetString(PyExc_MemoryError,
                    "expected sizes that a computer can have, given larger ones");
  }
}

}  // namespace

bool matches(const std::string& pattern, const std::string& name) {
  return ::fnmatch(pattern.c_str(), name.c_str(), FNM_NOESCAPE) == 0;
}

void throw_unknown(const std::string& what, const std::string& name,
                   const std::vector<std::string>& known) {
  throw nb::key_error((what + " " + name + ": expected one of " + std::to_string(known.size()) +
                       ", given another" + did_you_mean(name, known))
                          .c_str());
}

void bind_errors(nb::module_& m) {
  nb::register_exception_translator(translate);
  nb::exception<Error>(m, "Error", PyExc_ValueError).doc() =
      "What Kette was given does not make sense. The text says what was expected, what was given, and often what to do.";
}

}  // namespace kette::python
