// kette.Config, and the fields of configurations as keyword arguments.
#include "python/src/configs.h"

#include <nanobind/stl/pair.h>

#include "tensor/suggestion.h"

namespace kette::python {
namespace {

nb::object value_of(const Field& field) {
  return std::visit(
      [](const auto& value) -> nb::object {
        if constexpr (std::is_pointer_v<std::remove_cvref_t<decltype(value)>>) {
          return nb::cast(*value);
        } else {
          return nb::cast(value.get());
        }
      },
      field.value);
}

/// Sets a field to a value of Python.
struct Set {
  const Field& field;
  const nb::handle& given;

  void operator()(bool* value) const {
    if (!PyBool_Check(given.ptr())) refuse("a bool");
    *value = given.ptr() == Py_True;
  }
  void operator()(double* value) const {
    if (PyBool_Check(given.ptr()) || !is_number(given)) refuse("a number");
    *value = PyFloat_AsDouble(given.ptr());
    if (PyErr_Occurred() != nullptr) throw nb::python_error();
  }
  template <class Int>
  void operator()(Int* value) const {
    const nb::object index =
        PyBool_Check(given.ptr()) ? nb::object() : nb::steal(PyNumber_Index(given.ptr()));
    if (!index.is_valid() || !nb::try_cast(index, *value)) {
      PyErr_Clear();
      refuse("a whole number");
    }
  }
  void operator()(Field::Numbers* value) const {
    if (!nb::try_cast(given, *value)) refuse("a list of whole numbers");
  }
  void operator()(const Field::Choice& choice) const {
    if (!nb::isinstance<nb::str>(given)) refuse("one of " + joined(choice.names));
    choice.set(nb::cast<std::string>(given));
  }

  [[noreturn]] void refuse(const std::string& expected) const {
    throw nb::type_error(
        (field.key + ": expected " + expected + ", given " + type_of(given)).c_str());
  }
};

const nb::object* find(const Config& self, const std::string& name) {
  for (const auto& [key, value] : self.fields) {
    if (key == name) return &value;
  }
  return nullptr;
}

std::vector<std::string> keys(const Config& self) {
  std::vector<std::string> keys;
  for (const auto& field : self.fields) keys.push_back(field.first);
  return keys;
}

nb::dict to_dict(const Config& self) {
  nb::dict all;
  for (const auto& [key, value] : self.fields) all[key.c_str()] = value;
  return all;
}

/// "a divisor of --heads" for the command line is "a divisor of heads" here.
std::string as_arguments(std::string help) {
  for (std::size_t at = 0; (at = help.find("--", at)) != std::string::npos;) help.erase(at, 2);
  return help;
}

}  // namespace

Config::Config(const ModelConfig& config)
    : family(config.family().name), headline(kette::headline(config)) {
  const std::unique_ptr<ModelConfig> copy = config.clone();
  for (const Field& field : copy->fields()) fields.emplace_back(field.key, value_of(field));
}

void set_fields(ModelConfig& config, const nb::kwargs& fields, const std::string& what) {
  const std::vector<Field> known = config.fields();
  std::vector<std::string> names;
  for (const Field& field : known) names.push_back(field.key);
  for (const auto& [key, value] : fields) {
    const auto name = nb::cast<std::string>(key);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      throw nb::type_error((what + ": expected one of its fields (" + joined(names) + "), given " +
                            name + did_you_mean(name, names))
                               .c_str());
    }
    const Field& field = known[static_cast<std::size_t>(found - names.begin())];
    std::visit(Set{field, value}, field.value);
  }
}

std::string described_fields(ModelConfig& config) {
  std::string text;
  for (const Field& field : config.fields()) {
    text += "    " + field.key + "=" + nb::repr(value_of(field)).c_str();
    if (const auto* choice = std::get_if<Field::Choice>(&field.value)) {
      text += " (" + joined(choice->names) + ")";
    }
    text += (field.help.empty() ? "" : ": " + as_arguments(field.help)) + "\n";
  }
  return text;
}

void bind_configs(nb::module_& m) {
  nb::class_<Config>(m, "Config",
                     "The sizes and settings of a model, by attribute or by key. Read only.")
      .def_prop_ro(
          "family", [](const Config& self) { return self.family; },
          "\"transformer\", \"gpt\" or \"bert\".")
      .def(
          "__getattr__",
          [](const Config& self, const std::string& name) {
            const nb::object* found = find(self, name);
            if (found != nullptr) return *found;
            throw nb::attribute_error(("config: expected one of its settings, given " + name +
                                       did_you_mean(name, keys(self)))
                                          .c_str());
          },
          "name"_a, nb::sig("def __getattr__(self, name: str) -> typing.Any"))
      .def(
          "__getitem__",
          [](const Config& self, const std::string& name) {
            const nb::object* found = find(self, name);
            if (found == nullptr) throw_unknown("setting", name, keys(self));
            return *found;
          },
          "name"_a, nb::sig("def __getitem__(self, name: str) -> typing.Any"))
      .def("__contains__",
           [](const Config& self, const nb::object& name) {
             return nb::isinstance<nb::str>(name) &&
                    find(self, nb::cast<std::string>(name)) != nullptr;
           })
      .def(
          "__iter__", [](const Config& self) { return nb::iter(nb::cast(keys(self))); },
          nb::sig("def __iter__(self) -> collections.abc.Iterator[str]"))
      .def("__len__", [](const Config& self) { return self.fields.size(); })
      .def("__dir__", &keys)
      .def("keys", &keys, "The names of the settings.")
      .def("to_dict", &to_dict, nb::sig("def to_dict(self) -> dict[str, typing.Any]"),
           "All settings, as in config.json.")
      .def("__repr__",
           [](const Config& self) { return "Config(" + self.family + ": " + self.headline + ")"; });
}

}  // namespace kette::python
