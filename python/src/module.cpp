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
  bind_drawings(m);
  bind_commands(m);
  bind_metrics(m);
  bind_ops(m);
  bind_own_ops(m);
  bind_checks(m);
  bind_tokenizers(m);
  bind_models(m);
  bind_training(m);
  bind_corpora(m);
  bind_layers(m);
}
