// kette.Parameters: the parameters of a model by path.
#include <nanobind/stl/pair.h>

#include "python/src/models.h"

namespace kette::python {

std::vector<std::string> Parameters::names() const {
  std::vector<std::string> names;
  for (const auto& leaf : store->leaves()) names.push_back(leaf->name);
  return names;
}

Variable Parameters::at(const std::string& path) const {
  for (const auto& leaf : store->leaves()) {
    if (leaf->name != path) continue;
    store->keep_gradients();
    return Variable(leaf);
  }
  throw_unknown("parameter", path, names());
}

namespace {

using Items = std::vector<std::pair<std::string, Variable>>;

Items items(const Parameters& self) {
  Items items;
  self.store->keep_gradients();
  for (const auto& leaf : self.store->leaves()) items.emplace_back(leaf->name, Variable(leaf));
  return items;
}

nb::dict match(const Parameters& self, const std::string& pattern) {
  nb::dict found;
  bool is_empty = true;
  for (const auto& [name, value] : items(self)) {
    if (!matches(pattern, name)) continue;
    found[name.c_str()] = value;
    is_empty = false;
  }
  if (is_empty) throw_unknown("parameter", pattern, self.names());
  return found;
}

}  // namespace

void bind_parameters(nb::module_& m) {
  nb::class_<Parameters>(
      m, "Parameters",
      "The parameters of a model, or of layers that register theirs in `scope`, by path, like a dict: model.parameters[\"decoder/0/feed_forward/inner/weight\"] is a Tensor "
      "that shares the model's memory. Writing to it changes the model, and its grad is where backward() adds.")
      .def("__getitem__", &Parameters::at, "path"_a)
      .def(
          "__setitem__",
          [](const Parameters& self, const std::string& path, const nb::object& values) {
            const Variable parameter = self.at(path);
            const Tensor& to = parameter.value();
            const Tensor from = as_operand(values, parameter).value().to(to.dtype());
            if (from.shape() == Shape{} && to.shape() != from.shape()) {
              return to.copy_from(Tensor::full(to.shape(), from.item(), to.dtype(), to.device()));
            }
            to.copy_from(from);
          },
          "path"_a, "values"_a, nb::sig("def __setitem__(self, path: str, values: object) -> None"),
          "Overwrites the values by those of a tensor or array of the same shape, or by one number.")
      .def("__contains__",
           [](const Parameters& self, const nb::object& path) {
             return nb::isinstance<nb::str>(path) &&
                    self.store->find(nb::cast<std::string>(path)) != nullptr;
           })
      .def("__len__", [](const Parameters& self) { return self.store->leaves().size(); })
      .def(
          "__iter__", [](const Parameters& self) { return nb::iter(nb::cast(self.names())); },
          nb::sig("def __iter__(self) -> collections.abc.Iterator[str]"))
      .def("keys", &Parameters::names, "The paths, in the order of registration.")
      .def(
          "values",
          [](const Parameters& self) {
            std::vector<Variable> values;
            for (const auto& item : items(self)) values.push_back(item.second);
            return values;
          },
          "The tensors.")
      .def("items", &items, "Paths and tensors.")
      .def(
          "match", &match, "pattern"_a,
          nb::sig("def match(self, pattern: str) -> dict[str, Tensor]"),
          "Those whose path matches a pattern as of fnmatch, such as \"encoder/*/bias\"; * also matches /. A KeyError if there is none.")
      .def(
          "zero_grad",
          [](const Parameters& self) {
            self.store->keep_gradients();
            self.store->clear_gradients();
          },
          without_gil(), "Sets all gradients to zero. An optimizer's step() does so, too.")
      .def_prop_ro(
          "elements", [](const Parameters& self) { return self.store->elements(); },
          "The number of elements of all parameters.")
      .def("__repr__", [](const Parameters& self) {
        return "Parameters(" + std::to_string(self.store->leaves().size()) + " tensors, " +
               std::to_string(self.store->elements()) + " elements)";
      });
}

}  // namespace kette::python
