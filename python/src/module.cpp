// The extension module kette._kette.
#include "cli/version.h"
#include "python/src/bindings.h"

NB_MODULE(_kette, m) {
  using namespace kette::python;
  m.doc() = "Kette's C++ library in Python.";
  m.attr("__version__") = KETTE_VERSION;
  bind_errors(m);
  bind_tensors(m);
  bind_tapes(m);
  bind_tokenizers(m);
  bind_models(m);
  bind_training(m);
}
