// The start of texts in the engine. They join and read their prompts. If other texts generate, long
// prompts are read in parts. A prompt that begins like a kept one shares its keys and values.
#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <utility>

#include "decode/engine.h"

namespace kette {
namespace {

/// Sharing fewer tokens saves less than copying a row costs.
constexpr std::int64_t kLeastShared = 8;

}  // namespace

/// Whether there is no text. There may be kept prompts.
bool Engine::is_idle() const {
  return texts_ == 0 &&
         std::all_of(live_.begin(), live_.end(), [](const Live& live) { return live.is_kept; });
}

/// Adds the waiting texts to the state. Short prompts are read at once.
void Engine::admit() {
  if (waiting_.empty()) return;
  // They wait until all is done, so that an error reaches them.
  std::vector<Live>& added = waiting_;
  std::erase_if(added, [](const Live& live) { return live.has_ended; });
  // A new mask clears the table, so that masks of texts that have left are dropped.
  const bool is_known = std::all_of(added.begin(), added.end(), [&](const Live& live) {
    return masks_.find(live.excluded, live.request.constraint.get()) >= 0;
  });
  if (!is_known) masks_.clear();
  const bool in_parts =
      state_.reads_in_parts() &&
      std::any_of(live_.begin(), live_.end(), [](const Live& live) { return !live.is_kept; });
  std::vector<RowStart> starts;
  std::vector<SharedPast> shared;
  for (Live& live : added) {
    const Request& request = live.request;
    const std::span<const std::int32_t> prompt = request.prompt;
    const std::size_t seen = std::min(prompt.size(), static_cast<std::size_t>(positions_));
    live.unread = prompt.last(seen).first(seen - 1);
    live.reads = std::ssize(live.unread);
    live.state_rows = 1;
    const SharedPast past = shared.emplace_back(shared_past(live.unread));
    const bool is_read_later =
        past.length > 0 || (in_parts && std::ssize(live.unread) > options_.prompt_part);
    starts.push_back(
        {request.source, is_read_later ? std::span<const std::int32_t>() : live.unread});
    live.unread = is_read_later ? live.unread.subspan(static_cast<std::size_t>(past.length))
                                : std::span<const std::int32_t>();
  }
  live_.reserve(live_.size() + added.size());
  const std::int64_t first_row = state_.rows();
  state_.add(starts);
  share_pasts(shared, first_row);
  // If the table was not cleared, the older texts keep their indices.
  const std::size_t first = is_known ? live_.size() : 0;
  for (Live& live : added) live_.push_back(std::move(live));
  added.clear();
  for (std::size_t i = first; i < live_.size(); ++i) {
    if (live_[i].is_kept) continue;
    live_[i].masks = masks_.add(live_[i].excluded, live_[i].request.constraint);
  }
}

/// The longest common beginning of this prompt and any kept one.
Engine::SharedPast Engine::shared_past(std::span<const std::int32_t> prompt) {
  SharedPast best;
  Live* used = nullptr;
  std::int64_t row = 0;
  for (Live& live : live_) {
    const std::int64_t own = std::exchange(row, row + live.state_rows);
    if (!live.is_kept || live.has_ended) continue;
    const auto& kept = live.request.prompt;
    const std::int64_t length =
        std::mismatch(kept.begin(), kept.end(), prompt.begin(), prompt.end()).first - kept.begin();
    if (length < kLeastShared || length <= best.length) continue;
    best = {own, length};
    used = &live;
  }
  if (used != nullptr) used->last_used = steps_;
  shared_tokens_ += best.length;
  return best;
}

/// Copies the shared past of kept prompts to the rows from `first` on.
void Engine::share_pasts(const std::vector<SharedPast>& shared, std::int64_t first) {
  std::vector<std::int64_t> parents(static_cast<std::size_t>(state_.rows()));
  std::iota(parents.begin(), parents.end(), 0);
  bool are_any = false;
  for (std::size_t i = 0; i < shared.size(); ++i) {
    if (shared[i].length == 0) continue;
    parents[first + i] = shared[i].row;
    are_any = true;
  }
  if (!are_any) return;
  state_.select(parents);
  for (std::size_t i = 0; i < shared.size(); ++i) {
    if (shared[i].length > 0) state_.shorten(first + i, shared[i].length);
  }
}

/// Reads the next parts of long prompts. If other texts generate, at most
/// EngineOptions::prompt_part tokens together.
void Engine::read_prompts() {
  const bool others_wait = std::any_of(live_.begin(), live_.end(), [](const Live& live) {
    return live.unread.empty() && !live.is_kept;
  });
  std::size_t room = others_wait ? static_cast<std::size_t>(options_.prompt_part) : SIZE_MAX;
  std::vector<std::int64_t> rows;
  std::vector<std::span<const std::int32_t>> parts;
  std::int64_t row = 0;
  for (Live& live : live_) {
    const std::size_t length = std::min(room, live.unread.size());
    if (length > 0) {
      rows.push_back(row);
      parts.push_back(live.unread.first(length));
      live.unread = live.unread.subspan(length);
      room -= length;
    }
    row += live.state_rows;
  }
  if (!rows.empty()) state_.read(rows, parts);
}

/// Gives texts that have read their prompts their first rows. Keeps the prompts, if asked to.
void Engine::begin_texts() {
  std::vector<std::int64_t> parents, kept_rows;
  std::vector<Live> kept;
  std::int64_t row = 0;
  for (Live& live : live_) {
    const bool begins = live.is_reading && live.unread.empty() && !live.is_kept;
    if (begins && keep(live, kept)) kept_rows.push_back(row);
    if (begins) live.is_reading = false;
    const std::int64_t rows = begins ? live.request.policy->rows() : live.state_rows;
    for (std::int64_t own = 0; own < rows; ++own) parents.push_back(begins ? row : row + own);
    row += live.state_rows;
    live.state_rows = rows;
    if (begins && rows == 0) finish(live);
  }
  parents.insert(parents.end(), kept_rows.begin(), kept_rows.end());
  std::move(kept.begin(), kept.end(), std::back_inserter(live_));
  // Skipped if every row stays in its place.
  if (parents.size() != static_cast<std::size_t>(row) ||
      !std::is_sorted(parents.begin(), parents.end(), std::less_equal<>())) {
    state_.select(parents);
  }
  if (!kept_rows.empty()) drop_least_used();
  forget_ended();
}

/// Adds the prompt of a text to `kept`, unless a kept prompt includes it. Drops the kept prompts that
/// it includes. Returns whether it was added.
bool Engine::keep(const Live& live, std::vector<Live>& kept) {
  if (options_.keep_prompts == 0 || live.reads < kLeastShared) return false;
  const std::span<const std::int32_t> read =
      std::span(live.request.prompt).last(live.reads + 1).first(live.reads);
  for (std::vector<Live>* texts : {&live_, &kept}) {
    for (Live& other : *texts) {
      if (!other.is_kept || other.has_ended) continue;
      const auto& there = other.request.prompt;
      const auto end = std::mismatch(there.begin(), there.end(), read.begin(), read.end());
      if (end.second == read.end()) return false;
      if (end.first == there.end()) other.has_ended = true;
    }
  }
  Live& copy = kept.emplace_back();
  copy.request.prompt.assign(read.begin(), read.end());
  copy.is_kept = true;
  copy.state_rows = 1;
  copy.last_used = steps_;
  return true;
}

/// Ends the least recently used prompts beyond EngineOptions::keep_prompts. They leave at the next
/// step.
void Engine::drop_least_used() {
  std::vector<Live*> kept;
  for (Live& live : live_) {
    if (live.is_kept && !live.has_ended) kept.push_back(&live);
  }
  std::stable_sort(kept.begin(), kept.end(),
                   [](const Live* a, const Live* b) { return a->last_used > b->last_used; });
  for (std::size_t i = options_.keep_prompts; i < kept.size(); ++i) kept[i]->has_ended = true;
}

}  // namespace kette
