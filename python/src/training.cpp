// kette.Adam, kette.Lion and kette.Schedule.
#include "python/src/training.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/unique_ptr.h>

#include <cmath>
#include <set>

#include "python/src/models.h"
#include "tensor/kernels.h"
#include "tensor/shortest.h"
#include "train/optimizer.h"
#include "train/schedule.h"

namespace kette::python {
namespace {

/// The parameters of a store, or single ones: then each is a store of its own.
std::vector<std::shared_ptr<ParamStore>> stores_of(const nb::object& parameters) {
  if (nb::isinstance<Parameters>(parameters)) {
    const Parameters& all = nb::cast<const Parameters&>(parameters);
    all.store->keep_gradients();
    return {all.store};
  }
  std::vector<std::shared_ptr<ParamStore>> stores;
  std::set<const Leaf*> known;
  const nb::object values =
      PyDict_Check(parameters.ptr()) ? parameters.attr("values")() : parameters;
  for (const nb::handle each : values) {
    if (!nb::isinstance<Variable>(each)) {
      throw nb::type_error(
          "optimizer: expected parameters, given another type (model.parameters, or a list of tensors of kt.parameter)");
    }
    const Variable& parameter = nb::cast<const Variable&>(each);
    KETTE_CHECK(parameter.leaf() != nullptr,
                "optimizer: expected parameters, given another tensor (kt.parameter makes one)");
    if (!known.insert(parameter.leaf().get()).second) continue;
    stores.push_back(std::make_shared<ParamStore>(parameter.leaf()));
  }
  KETTE_CHECK(!stores.empty(), "optimizer: expected at least one parameter, given none");
  return stores;
}

/// kette.Optimizer: Adam or Lion.
class PythonOptimizer {
 public:
  PythonOptimizer(const nb::object& parameters, const OptimizerOptions& options, nb::object lr)
      : options_(options), stores_(stores_of(parameters)), lr_(std::move(lr)) {
    for (const OptimizerSetting& setting : optimizer_settings()) {
      const double value = options.*setting.value;
      const bool is_high = setting.with_low ? value >= setting.low : value > setting.low;
      KETTE_CHECK(is_high && value < setting.below, setting.name, ": expected ",
                  setting.with_low ? "at least " : "more than ", setting.low,
                  std::isfinite(setting.below) ? " and less than 1" : "", ", given ", value);
    }
    for (const auto& store : stores_) optimizers_.push_back(make_optimizer(*store, options));
  }

  PythonOptimizer(const PythonOptimizer&) = delete;
  PythonOptimizer& operator=(const PythonOptimizer&) = delete;

  /// The norm of the gradients before clipping; nothing without.
  std::optional<double> step(double clip, const nb::object& lr, bool keep_gradients) {
    KETTE_CHECK(std::isfinite(clip) && clip >= 0, "clip: expected a norm of at least 0, given ",
                clip);
    const double rate = rate_of(lr.is_none() ? lr_ : lr);
    const GilRelease release;
    const WithThreads threads(threads_set());
    Tensor squares;
    if (clip > 0) squares = sum_of_squares();
    // A frozen parameter among others must not decay.
    std::vector<std::pair<Tensor, Tensor>> frozen;
    for (const auto& store : stores_) {
      for (const auto& leaf : store->leaves()) {
        if (leaf->frozen) frozen.emplace_back(leaf->value, leaf->value.clone());
      }
    }
    for (const auto& optimizer : optimizers_) optimizer->step(rate, squares, clip);
    for (const auto& [value, before] : frozen) value.copy_from(before);
    if (!keep_gradients) clear_gradients();
    if (!squares.defined()) return {};
    return std::sqrt(squares.to(Device{}).item());
  }
  void clear_gradients() {
    for (const auto& store : stores_) store->clear_gradients();
  }
  std::int64_t steps() const { return optimizers_.front()->steps(); }
  double next_rate() const { return rate_of(lr_); }
  void set_rate(nb::object lr) { lr_ = std::move(lr); }
  /// A function of the step may refer to what holds the optimizer.
  int traverse(visitproc visit, void* arg) const {
    Py_VISIT(lr_.ptr());
    return 0;
  }
  void clear() { lr_ = nb::none(); }
  std::string repr() const {
    std::int64_t elements = 0;
    for (const auto& store : stores_) elements += store->elements();
    return (options_.kind == OptimizerKind::adam ? "Adam(" : "Lion(") + std::to_string(elements) +
           " elements, " + std::to_string(steps()) + " steps)";
  }

 private:
  double rate_of(const nb::object& lr) const {
    const nb::object value = PyCallable_Check(lr.ptr()) != 0 ? lr(steps() + 1) : lr;
    const double rate = PyFloat_AsDouble(value.ptr());
    if (PyErr_Occurred() != nullptr) throw nb::python_error();
    KETTE_CHECK(std::isfinite(rate) && rate >= 0, "lr: expected at least 0, given ", rate);
    return rate;
  }
  /// As kette train sums them.
  Tensor sum_of_squares() {
    std::int64_t blocks = 0;
    const auto blocks_of = [](const ParamStore& store) {
      return (store.gradients().elements() + kSquaresBlock - 1) / kSquaresBlock;
    };
    for (const auto& store : stores_) blocks += blocks_of(*store);
    const Device device = stores_.front()->values().device();
    const Tensor of_blocks = Tensor::empty({blocks}, DType::f64, device),
                 sum = Tensor::zeros({1}, DType::f64, device);
    std::int64_t begin = 0;
    on(device, [&](auto exec) {
      for (const auto& store : stores_) {
        const std::int64_t end = begin + blocks_of(*store);
        kernels::squares_of_blocks(exec, store->gradients(), of_blocks.slice(begin, end));
        begin = end;
      }
      kernels::sum_of_blocks(exec, of_blocks, sum);
    });
    return sum;
  }

  OptimizerOptions options_;
  std::vector<std::shared_ptr<ParamStore>> stores_;
  std::vector<std::unique_ptr<Optimizer>> optimizers_;
  nb::object lr_;
};

/// kette.Schedule.
struct Schedule {
  ScheduleOptions options;
};

constexpr const char* kParameters =
    "parameters: model.parameters, or an iterable of tensors of kt.parameter. lr: the learning rate, or a function of the step, from 1, such as a kt.Schedule. "
    "Weight decay is decoupled, and for matrices only.";

}  // namespace

void bind_training(nb::module_& m) {
  bind_batches(m);
  nb::class_<PythonOptimizer>(
      m, "Optimizer", collected<PythonOptimizer>(),
      "Updates parameters by their gradients. kt.Adam and kt.Lion make one.")
      .def(
          "step", &PythonOptimizer::step, nb::kw_only(), "clip"_a = 0.0, "lr"_a = nb::none(),
          "keep_gradients"_a = false,
          nb::sig(
              "def step(self, *, clip: float = 0.0, lr: float | None = None, keep_gradients: bool = False) -> float | None"),
          "One update, and then all gradients are zero again for the next backward(), unless they are kept. clip: the most that the norm of all gradients together may be (0: any); "
          "the result is this norm before clipping. lr: in this step alone.")
      .def("zero_grad", &PythonOptimizer::clear_gradients, without_gil(),
           "Sets all gradients to zero. step() does so, too.")
      .def_prop_ro("steps", &PythonOptimizer::steps, "The number of steps so far.")
      .def_prop_rw(
          "lr", &PythonOptimizer::next_rate, &PythonOptimizer::set_rate,
          nb::for_setter(nb::sig(
              "def lr(self, lr: float | collections.abc.Callable[[int], float], /) -> None")),
          "The learning rate of the next step. It may be set to a number or a function.")
      .def("__repr__", &PythonOptimizer::repr);
  const auto optimizer = [&](const char* name, OptimizerKind kind, const std::string& doc) {
    const OptimizerOptions own = OptimizerOptions::of(kind);
    const auto make = [own](const nb::object& parameters, const nb::object& lr, double beta1,
                            double beta2, double epsilon, double weight_decay) {
      OptimizerOptions options = own;
      options.beta1 = beta1;
      options.beta2 = beta2;
      options.epsilon = epsilon;
      options.weight_decay = weight_decay;
      return std::make_unique<PythonOptimizer>(parameters, options, lr);
    };
    const std::string types =
        "parameters: Parameters | collections.abc.Iterable[Tensor], lr: float | collections.abc.Callable[[int], float], *, beta1: float = " +
        shortest(own.beta1) + ", beta2: float = " + shortest(own.beta2);
    if (kind == OptimizerKind::adam) {
      m.def(name, make, "parameters"_a, "lr"_a, nb::kw_only(), "beta1"_a = own.beta1,
            "beta2"_a = own.beta2, "epsilon"_a = own.epsilon, "weight_decay"_a = 0.0,
            nb::sig(("def Adam(" + types +
                     ", epsilon: float = 1e-9, weight_decay: float = 0) -> Optimizer")
                        .c_str()),
            doc.c_str());
    } else {
      m.def(
          name,
          [make, own](const nb::object& parameters, const nb::object& lr, double beta1,
                      double beta2, double weight_decay) {
            return make(parameters, lr, beta1, beta2, own.epsilon, weight_decay);
          },
          "parameters"_a, "lr"_a, nb::kw_only(), "beta1"_a = own.beta1, "beta2"_a = own.beta2,
          "weight_decay"_a = 0.0,
          nb::sig(("def Lion(" + types + ", weight_decay: float = 0) -> Optimizer").c_str()),
          doc.c_str());
    }
  };
  optimizer(
      "Adam", OptimizerKind::adam,
      std::string(
          "Adam (Kingma and Ba 2015) with decoupled weight decay (AdamW); defaults of Vaswani et al. 2017. ") +
          kParameters);
  optimizer(
      "Lion", OptimizerKind::lion,
      std::string("Lion (Chen et al. 2023), which takes the sign of the momentum. ") + kParameters);

  nb::class_<Schedule>(
      m, "Schedule",
      "A learning rate by the step, from 1: schedule(step). kind: \"noam\" (Vaswani et al. 2017, equation (3)), \"inverse_sqrt\", \"cosine\", \"linear\" or \"constant\", each after a "
      "linear warm-up. lr: the peak; for noam the factor. warmup: its steps, which noam and inverse_sqrt need. width: of the model, for noam. total_steps: where cosine and linear end, which need it.")
      .def(
          "__init__",
          [](Schedule* self, const std::string& kind, double lr, std::int64_t warmup,
             std::int64_t total_steps, std::int64_t width) {
            KETTE_CHECK(std::isfinite(lr) && lr > 0, "lr: expected more than 0, given ", lr);
            KETTE_CHECK(warmup >= 0 && total_steps >= 0 && width > 0,
                        "schedule: expected no negative number of steps and a width, given ",
                        warmup, ", ", total_steps, " and ", width);
            const ScheduleOptions options{
                enum_named<ScheduleKind>(kind), lr, warmup, width, total_steps, 1};
            check_schedule(options);
            new (self) Schedule{options};
          },
          "kind"_a, "lr"_a, nb::kw_only(), "warmup"_a = 0, "total_steps"_a = 0, "width"_a = 512)
      .def(
          "__call__",
          [](const Schedule& self, std::int64_t step) { return learning_rate(self.options, step); },
          "step"_a, "The learning rate of a step; steps count from 1.")
      .def("__repr__", [](const Schedule& self) {
        return "Schedule(" + enum_name(self.options.kind) + ", lr " + shortest(self.options.lr) +
               ", warmup " + std::to_string(self.options.warmup) + ")";
      });
}

}  // namespace kette::python
