#include "nn/kv_cache.h"

#include <algorithm>

#include "tensor/observer.h"

namespace kette {

KvCache::KvCache(std::vector<SlotLayout> layers, Device device)
    : layouts_(std::move(layers)), device_(device) {
  for (const SlotLayout& layout : layouts_) layers_.emplace_back(layout.parts.size());
  if (!layouts_.empty()) common_ = layouts_.front();
}

void KvCache::add_line(std::int64_t positions) {
  lengths_.push_back(0);
  firsts_.push_back(0);
  seconds_.push_back(0);
  table_.resize(lengths_.size() * static_cast<std::size_t>(table_width_));
  extend(lines() - 1, positions);
}

CachePlaces KvCache::add_lines(const Segments& segments) {
  std::vector<std::int64_t> added;
  for (std::int64_t i = 0; i < segments.count(); ++i) {
    added.push_back(lines());
    add_line();
  }
  return extend_lines(added, segments);
}

CachePlaces KvCache::extend_lines(const std::vector<std::int64_t>& lines,
                                  const Segments& segments) {
  std::vector<std::int32_t> of_rows, positions;
  reserve(keeps_states() ? segments.count() : segments.rows());
  for (std::int64_t i = 0; i < segments.count(); ++i) {
    const std::int64_t line = lines[i], before = length(line);
    for (std::int64_t more = 0; more < segments.length(i); ++more) {
      of_rows.push_back(static_cast<std::int32_t>(line));
      positions.push_back(static_cast<std::int32_t>(before + more));
    }
    extend(line, segments.length(i));
  }
  return {uploaded_table(), Tensor::from(of_rows, device_), Tensor::from(positions, device_)};
}

void KvCache::extend(std::int64_t line, std::int64_t positions) {
  reserve(keeps_states() ? std::min<std::int64_t>(positions, 1) : positions);
  std::int64_t& length = lengths_[line];
  widen_table(length + positions);
  for (std::int64_t i = 0; i < positions; ++i) {
    table_[line * table_width_ + length] = free_.back();
    if (!keeps_states() || i + 1 == positions) free_.pop_back();
    ++length;
  }
  if (common_.window > 0) firsts_[line] = std::max(firsts_[line], length - common_.window);
}

void KvCache::extend_in_passes(std::int64_t line, std::int64_t positions) {
  const std::int64_t first = firsts_[line], own = slots_for_passes(positions);
  extend(line, own);
  firsts_[line] = first;  // the passes are still to come
  std::int64_t& length = lengths_[line];
  widen_table(length + positions - own);
  for (std::int64_t i = own; i < positions; ++i, ++length) {
    std::int32_t* place = table_.data() + line * table_width_ + length;
    *place = *(place - common_.window);
  }
}

void KvCache::reserve(std::int64_t positions) {
  if (static_cast<std::int64_t>(free_.size()) >= positions) return;
  const std::vector<bool> in_use = slots_in_use();
  const std::int64_t needed = std::count(in_use.begin(), in_use.end(), true) + positions;
  // With room to spare, so that searching all lines stays rare.
  if (4 * needed > 3 * slots_) {
    return resize(std::max({common_.first_slots, needed, slots_ * 3 / 2}), in_use);
  }
  free_.clear();
  for (std::int64_t slot = slots_; slot-- > 0;) {
    if (!in_use[slot]) free_.push_back(static_cast<std::int32_t>(slot));
  }
}

void KvCache::select(const std::vector<std::int64_t>& parents) {
  std::vector<std::int32_t> table(parents.size() * static_cast<std::size_t>(table_width_));
  std::vector<std::int64_t> lengths, firsts;
  std::vector<std::int32_t> seconds;
  lengths.reserve(parents.size());
  for (const std::int64_t parent : parents) {
    KETTE_CHECK(parent >= 0 && parent < lines(), "KV cache: expected lines below ", lines(),
                " to go on, given ", parent);
    std::copy_n(table_.begin() + parent * table_width_, length(parent),
                table.begin() + static_cast<std::int64_t>(lengths.size()) * table_width_);
    lengths.push_back(length(parent));
    firsts.push_back(firsts_[parent]);
    seconds.push_back(seconds_[parent]);
  }
  table_ = std::move(table);
  lengths_ = std::move(lengths);
  firsts_ = std::move(firsts);
  seconds_ = std::move(seconds);
  give_back();
}

void KvCache::shorten(std::int64_t line, std::int64_t length) {
  KETTE_CHECK(length >= 0 && length <= lengths_[line], "KV cache: expected a length of at most ",
              lengths_[line], " to go back to, given ", length);
  lengths_[line] = length;
  if (common_.window > 0) firsts_[line] = std::max(firsts_[line], length - common_.window);
}

void KvCache::give_back() {
  // Counts shared slots once for each line: simpler, and never too few.
  std::int64_t most_used = 0;
  for (std::int64_t line = 0; line < lines(); ++line) most_used += lengths_[line] - firsts_[line];
  constexpr std::int64_t kWorthIt = 256;
  if (slots_ < std::max(kWorthIt, 2 * common_.first_slots) || 4 * most_used > slots_) return;
  resize(most_used == 0 ? 0 : std::max(common_.first_slots, 2 * most_used), slots_in_use());
  if (lines() == 0) table_width_ = 0;
}

Tensor KvCache::uploaded_table() const {
  return Tensor::from(table_, {lines(), table_width_}, device_);
}

std::vector<bool> KvCache::slots_in_use() const {
  std::vector<bool> in_use(static_cast<std::size_t>(slots_));
  for (std::int64_t line = 0; line < lines(); ++line) {
    const auto first = table_.begin() + line * table_width_;
    std::for_each(first + firsts_[line], first + length(line),
                  [&](std::int32_t slot) { in_use[slot] = true; });
  }
  return in_use;
}

void KvCache::resize(std::int64_t slots, const std::vector<bool>& in_use) {
  const Work work("resize_kv_cache");
  // If the cache grows, all slots stay in place. If it shrinks, runs of used slots move together.
  struct Stretch {
    std::int64_t from, to, length;
  };
  std::vector<Stretch> stretches;
  std::vector<std::int32_t> place(in_use.size());
  std::int64_t end = 0;
  for (std::int64_t slot = 0; slot < std::ssize(in_use); ++slot) {
    if (slots < slots_ && !in_use[slot]) continue;
    if (stretches.empty() || stretches.back().from + stretches.back().length < slot)
      stretches.push_back({slot, end, 0});
    ++stretches.back().length;
    place[slot] = static_cast<std::int32_t>(end++);
  }
  const auto move = [&](Tensor& kept, const SlotLayout::Part& part) {
    const Tensor moved =
        slots > 0 ? Tensor::empty({slots, part.width}, part.dtype, device_) : Tensor();
    for (const Stretch& run : stretches) {
      moved.slice(run.to, run.to + run.length)
          .copy_from(kept.slice(run.from, run.from + run.length));
    }
    kept = moved;
  };
  for (std::size_t layer = 0; layer < layouts_.size(); ++layer) {
    for (std::size_t part = 0; part < layouts_[layer].parts.size(); ++part) {
      move(layers_[layer][part], layouts_[layer].parts[part]);
    }
  }
  for (std::int64_t line = 0; line < lines(); ++line) {
    for (std::int64_t position = firsts_[line]; position < lengths_[line]; ++position) {
      std::int32_t& slot = table_[line * table_width_ + position];
      slot = place[slot];
    }
  }
  free_.clear();
  for (std::int64_t slot = slots; slot-- > 0;) {
    const bool is_used = slot < end && (slots < slots_ || in_use[slot]);
    if (!is_used) free_.push_back(static_cast<std::int32_t>(slot));
  }
  slots_ = slots;
  ++moves_;
}

void KvCache::widen_table(std::int64_t positions) {
  if (positions <= table_width_) return;
  constexpr std::int64_t kFewest = 32;
  const std::int64_t width = std::max({kFewest, 2 * table_width_, positions});
  std::vector<std::int32_t> table(lengths_.size() * static_cast<std::size_t>(width));
  for (std::int64_t line = 0; line < lines(); ++line) {
    std::copy_n(table_.begin() + line * table_width_, length(line), table.begin() + line * width);
  }
  table_ = std::move(table);
  table_width_ = width;
}

}  // namespace kette
