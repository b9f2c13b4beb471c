// Model.generate.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/unique_ptr.h>

#include <mutex>

#include "decode/generator.h"
#include "decode/search_limits.h"
#include "decode/text_pieces.h"
#include "nn/points.h"
#include "python/src/interrupts.h"
#include "python/src/models.h"
#include "python/src/taps.h"

namespace kette::python {
namespace {

using Ids = std::vector<std::int32_t>;

/// kette.Generation: texts that go on from a prompt, made while they are asked for.
class Generation {
 public:
  Generation(std::shared_ptr<const Ready> ready, SharedTokenizer tokenizer, Ids prompt,
             const GenerateOptions& options, const ContinueOptions& search,
             std::unique_ptr<PythonTap> tap)
      : ready_(std::move(ready)),
        tokenizer_(std::move(tokenizer)),
        before_(std::move(prompt)),
        ids_(before_),
        search_(search),
        tap_(std::move(tap)),
        pieces_(*tokenizer_, before_) {
    if (ids_.empty()) ids_.push_back(tokenizer_->special().end);
    search_.tap = tap_->is_empty() ? nullptr : tap_.get();
    if (search_.beam == 1) begin(options);
  }

  /// The next piece of the first text; nothing at its end.
  std::optional<std::string> next() {
    go_on(false);
    if (untold_.empty()) return {};
    return std::exchange(untold_, {});
  }
  const std::string& text() {
    go_on(true);
    return text_;
  }
  std::vector<std::string> texts() {
    go_on(true);
    std::vector<std::string> texts;
    for (const Hypothesis& one : found_)
      texts.push_back(text_after(*tokenizer_, before_, one.tokens));
    return texts;
  }
  const std::vector<Hypothesis>& found() {
    go_on(true);
    return found_;
  }
  const PythonTap::Captured& captured() {
    go_on(true);
    for (auto& one : tap_->take()) captured_.push_back(std::move(one));
    return captured_;
  }

  int traverse(visitproc visit, void* arg) const {
    Py_VISIT(raised_.ptr());
    return tap_->traverse(visit, arg);
  }
  void clear() {
    raised_.reset();
    tap_->clear();
  }

 private:
  /// Samples, as kette::generate() does.
  void begin(const GenerateOptions& options) {
    options.check();
    KETTE_CHECK(options.texts >= 1, "num: expected at least 1, given ", options.texts);
    KETTE_CHECK(options.max_tokens >= 1, "max_tokens: expected at least 1, given ",
                options.max_tokens);
    SearchOptions lengths;
    const std::int64_t positions = ready_->ensemble.positions();
    lengths.max_length =
        std::min(std::ssize(ids_) + std::min(options.max_tokens, positions), positions);
    check_memory(lengths, options.texts, ready_->ensemble, lengths.max_length);
    engine_ = std::make_unique<Engine>(ready_->ensemble, EngineOptions{.tap = search_.tap});
    Request request{0, {}, ids_};
    request.banned = options.banned;
    request.policy = std::make_unique<SampledTexts>(
        SampledTexts::Options{options, options.texts, options.max_tokens, options.end_of_text},
        [this](std::int64_t copy, std::int32_t token) {
          if (copy == 0) tell(pieces_.add(token));
          return true;
        });
    request.done = [this](std::vector<Hypothesis> drawn) {
      found_ = std::move(drawn);
      tell(pieces_.finish());
      is_done_ = true;
    };
    engine_->add(std::move(request));
  }

  void tell(const std::string& more) {
    untold_ += more;
    text_ += more;
  }

  /// Until there is a piece, or to the end.
  void go_on(bool to_end) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    KETTE_CHECK(lock.owns_lock(),
                "generate: expected one thread at a time, given another one beside it");
    if (is_done_ || (!to_end && !untold_.empty())) return;
    throw_again();
    Interrupts interrupts;
    try {
      interrupts.run([&] {
        const WithThreads threads(threads_set());
        if (!engine_) return search(interrupts);
        while (!is_done_ && (to_end || untold_.empty())) {
          interrupts.check();
          if (!engine_->step()) break;
        }
      });
    } catch (const nb::python_error& error) {
      if (!interrupts.is_over()) raised_ = nb::borrow(error.value());
      throw;
    } catch (...) {
      failed_ = std::current_exception();
      throw;
    }
  }

  /// What ended it in the midst. What there is of the text is no result.
  void throw_again() const {
    if (failed_) std::rethrow_exception(failed_);
    if (!raised_.is_valid()) return;
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(raised_.ptr())), raised_.ptr());
    throw nb::python_error();
  }

  void search(Interrupts& interrupts) {
    static_cast<void>(tap_->take());  // of a search that was interrupted
    search_.before_step = [&] { interrupts.check(); };
    found_ = search_continuations(ready_->ensemble, ids_, search_);
    is_done_ = true;
    tell(text_after(*tokenizer_, before_, found_.front().tokens));
  }

  std::mutex mutex_;
  std::shared_ptr<const Ready> ready_;
  SharedTokenizer tokenizer_;
  Ids before_, ids_;  // of the prompt, and what is read
  ContinueOptions search_;
  std::unique_ptr<PythonTap> tap_;
  TextPieces pieces_;
  std::unique_ptr<Engine> engine_;
  bool is_done_ = false;
  nb::object raised_;          // in Python
  std::exception_ptr failed_;  // in C++
  std::string untold_, text_;
  std::vector<Hypothesis> found_;
  PythonTap::Captured captured_;
};

template <class Self>
std::unique_ptr<Generation> generate(
    const std::shared_ptr<Self>& self, const nb::object& prompt,
    std::optional<std::int64_t> max_tokens, double temperature, std::int64_t top_k, double top_p,
    std::uint64_t seed, std::int64_t num, std::int64_t beam, const std::string& beam_kind,
    const std::string& length_penalty, bool stop, const std::optional<std::string>& weights,
    const std::string& cache, const nb::object& capture, const nb::object& replace) {
  const std::shared_ptr<const Ready> ready = [&] {
    const GilRelease release;
    return ready_of(self, weights, cache);
  }();
  KETTE_CHECK(
      !ready->ensemble.models().front()->has_encoder(),
      "generate: expected a language model, given a translation model (translate is for those)");
  ready->expected_tokenizer();
  Ids ids = ids_of(prompt, ready->tokenizer.get());
  GenerateOptions options;
  static_cast<SamplingOptions&>(options) = {temperature, top_k, top_p, seed};
  options.max_tokens = max_tokens.value_or(options.max_tokens);
  options.texts = num;
  if (stop) options.end_of_text = ready->tokenizer->special().end;
  options.banned = without_pieces(*ready->tokenizer, ready->ensemble.vocabulary());
  KETTE_CHECK(beam >= 1, "beam: expected at least 1, given ", beam);
  KETTE_CHECK(beam == 1 || num <= beam, "num: expected at most the beam, ", beam, ", given ", num);
  ContinueOptions search;
  search.beam = beam;
  search.kind = enum_named<BeamKind>(beam_kind);
  search.length_penalty = parse_length_penalty(length_penalty);
  search.n_best = beam > 1 ? num : 1;
  search.end_of_text = options.end_of_text;
  search.banned = options.banned;
  search.max_tokens = options.max_tokens;
  if (!max_tokens) {  // as many as fit
    const std::int64_t room =
        ready->ensemble.positions() - std::max<std::int64_t>(1, std::ssize(ids));
    search.max_tokens = std::clamp<std::int64_t>(room, 1, search.max_tokens);
  }
  search.check();
  std::vector<std::string> points = ready->points;
  if (beam > 1) std::erase(points, points::kLogits);  // which a search does not store
  auto tap = std::make_unique<PythonTap>(capture, replace, points);
  return std::make_unique<Generation>(ready, ready->tokenizer, std::move(ids), options, search,
                                      std::move(tap));
}

template <class Self>
void bind_generate(nb::class_<Self>& c) {
  const ContinueOptions search;
  c.def(
      "generate", &generate<Self>, "prompt"_a = "", nb::kw_only(), "max_tokens"_a = nb::none(),
      "temperature"_a = 1.0, "top_k"_a = 0, "top_p"_a = 1.0, "seed"_a = 1, "num"_a = 1,
      "beam"_a = 1, "beam_kind"_a = "narrowing", "length_penalty"_a = search.length_penalty.str(),
      "stop"_a = true, "weights"_a = nb::none(), "cache"_a = "", "capture"_a = nb::none(),
      "replace"_a = nb::none(),
      nb::sig(
          "def generate(self, prompt: str | collections.abc.Sequence[int] | Tensor = '', *, max_tokens: int | None = None, temperature: float = 1.0, top_k: int = 0, top_p: float = 1.0, seed: int = 1, num: int = 1, beam: int = 1, beam_kind: str = 'narrowing', length_penalty: str = 'len:1', stop: bool = True, weights: str | None = None, cache: str = '', capture: str | collections.abc.Sequence[str] | None = None, replace: dict[str, object] | None = None) -> Generation"),
      "Goes on from a prompt: an iterator of pieces of text, which computes while it is asked, and ends where it is left. The options are those of kette generate, and the texts have its bits, without the prompt.\n\n"
      "max_tokens: of each text (200; a search takes fewer where the model has no room for more). temperature (0: the likeliest token), top_k (0: all), top_p, seed: the samples. num: texts; the pieces are those of the first, and texts has all. "
      "beam: above 1 a search for the likeliest texts instead, which comes as one piece. stop: whether a text ends where the model ends it. weights, cache: of the snapshot (for_decoding). capture, replace: as for run(), in every pass; a search stores no logits. Ctrl-C ends it.");
}

}  // namespace

void bind_generation(nb::class_<LoadedModel>& model, nb::class_<Ready>& ready, nb::module_& m) {
  nb::class_<Generation>(
      m, "Generation", collected<Generation>(),
      "Text that a model makes, piece by piece: for piece in generation. text, texts and tokens make all of it.")
      .def(
          "__iter__", [](nb::object self) { return self; },
          nb::sig("def __iter__(self) -> Generation"))
      .def("__next__",
           [](Generation& self) {
             const std::optional<std::string> piece = self.next();
             if (!piece) throw nb::stop_iteration();
             return text_of(*piece);
           })
      .def_prop_ro(
          "text", [](Generation& self) { return text_of(self.text()); },
          "The whole first text, without the prompt.")
      .def_prop_ro(
          "texts",
          [](Generation& self) {
            std::vector<nb::str> texts;
            for (const std::string& text : self.texts()) texts.push_back(text_of(text));
            return texts;
          },
          nb::sig("def texts(self) -> list[str]"), "All texts; of a search the likeliest first.")
      .def_prop_ro(
          "tokens",
          [](Generation& self) {
            std::vector<Ids> tokens;
            for (const Hypothesis& one : self.found()) tokens.push_back(one.tokens);
            return tokens;
          },
          "The ids of all texts.")
      .def_prop_ro(
          "scores",
          [](Generation& self) {
            std::vector<double> scores;
            for (const Hypothesis& one : self.found()) scores.push_back(one.score);
            return scores;
          },
          "Of a search: the log-probability of each text over the length penalty. Of samples 0.")
      .def_prop_ro(
          "captured",
          [](Generation& self) {
            nb::dict captured;
            for (const auto& [name, values] : self.captured()) captured[name.c_str()] = values;
            return captured;
          },
          nb::sig("def captured(self) -> dict[str, list[Tensor]]"),
          "With capture: the values of each pass, in order.")
      .def("__str__", [](Generation& self) { return text_of(self.text()); })
      .def("__repr__", [](const Generation&) { return "Generation()"; });
  bind_generate(model);
  bind_generate(ready);
}

}  // namespace kette::python
