#include "train/gradient_exchange.h"

#include <algorithm>

#include "tensor/kernels.h"

namespace kette {
namespace {

/// What threads of the host add up at once, so that the sums stay in its caches; a GPU takes all of it.
constexpr std::int64_t kBlock = std::int64_t{1} << 15;

void add(const Tensor& right, const Tensor& left) {
  on(left.device(), [&](auto exec) { kernels::accumulate(exec, right, left); });
}

}  // namespace

GradientExchange::GradientExchange(ParamStore& store, Communicator& communicator,
                                   const Shards& shards)
    : store_(store), communicator_(communicator), shards_(shards), rounds_(rounds_of_hosts()) {
  for (const auto& leaf : store.leaves()) {
    const std::int64_t begin = store.begin_of(*leaf), end = begin + leaf->gradient.elements();
    Interval& chunks = chunks_of_[leaf.get()];
    while (shards.chunk(chunks.begin).end <= begin) ++chunks.begin;
    for (chunks.end = chunks.begin + 1; shards.chunk(chunks.end - 1).end < end;) ++chunks.end;
  }
  // Backward comes to the last matrices first, and to vectors, which lie behind them, until its end.
  std::vector<std::int64_t> with_vectors;
  for (std::int64_t chunk = shards.chunks() - 1; chunk >= 0; --chunk) {
    const bool is_mixed = shards.chunk(chunk).end > store.matrix_elements();
    (is_mixed ? with_vectors : order_).push_back(chunk);
  }
  order_.insert(order_.end(), with_vectors.begin(), with_vectors.end());
}

std::vector<GradientExchange::Round> GradientExchange::rounds_of_hosts() const {
  const int processes = communicator_.processes(), here = communicator_.processes_a_host();
  Round all;
  for (int process = 0; process < processes; ++process) {
    all.peers.push_back(process);
    all.owners.push_back({process});
  }
  if (here <= 1 || here == processes) return {all};
  // Of the processes of a host each collects for those in its own place on all hosts, which then tell each other.
  Round within, between;
  const int first = communicator_.process() / here * here, place = communicator_.process() % here;
  for (int process = first; process < first + here; ++process) {
    within.peers.push_back(process);
    within.owners.emplace_back();
    for (int other = process % here; other < processes; other += here) {
      within.owners.back().push_back(other);
    }
  }
  for (int process = place; process < processes; process += here) {
    between.peers.push_back(process);
    between.owners.push_back({process});
  }
  return {within, between};
}

void GradientExchange::begin(std::int64_t leaves, const GradientSums& sums) {
  sums_ = &sums;
  leaves_ = leaves;
  const int processes = communicator_.processes();
  int together = 1;  // processes whose leaves are summed before a round
  for (Round& round : rounds_) {
    round.nodes.clear();
    for (const int peer : round.peers) {
      const int first = peer / together * together;
      round.nodes.push_back(nodes_of({share_of(first, processes, leaves).begin,
                                      share_of(first + together - 1, processes, leaves).end},
                                     leaves));
    }
    together = static_cast<int>(round.peers.size());
  }
  missing_.assign(static_cast<std::size_t>(shards_.chunks()), 0);
  for (const auto& [leaf, chunks] : chunks_of_) {
    for (std::int64_t i = chunks.begin; i < chunks.end; ++i) ++missing_[i];
  }
  next_ = 0;
}

void GradientExchange::arrived(const Leaf& leaf) {
  const Interval& chunks = chunks_of_.at(&leaf);
  for (std::int64_t i = chunks.begin; i < chunks.end; ++i) --missing_[i];
  move_on();
}

void GradientExchange::finish() {
  std::fill(missing_.begin(), missing_.end(), 0);
  move_on();
  while (!flights_.empty()) {
    communicator_.wait(*flights_.front().group);
    move_on();
  }
}

void GradientExchange::move_on() {
  while (!flights_.empty() && flights_.front().group->arrived()) {
    Flight flight = std::move(flights_.front());
    flights_.pop_front();
    end_round(flight);
    if (++flight.round < rounds_.size()) {
      start_round(flight);
      flights_.push_back(std::move(flight));
    } else {
      free_.insert(free_.end(), flight.landings.begin(), flight.landings.end());
    }
  }
  while (next_ < order_.size() && flights_.size() < Communicator::kWindow &&
         missing_[order_[next_]] == 0) {
    take_off(order_[next_++]);
  }
}

void GradientExchange::take_off(std::int64_t chunk) {
  sums_->complete(shards_.chunk(chunk));
  Flight flight{chunk, 0, {}, {}, {}};
  for (const auto& [node, all] : sums_->parts()) {
    for (int owner = 0; owner < communicator_.processes(); ++owner) {
      const Interval piece = shards_.piece(chunk, owner);
      flight.pieces[owner].push_back({node, all.slice(piece.begin, piece.end)});
    }
  }
  start_round(flight);
  flights_.push_back(std::move(flight));
}

void GradientExchange::start_round(Flight& flight) {
  const Round& round = rounds_[flight.round];
  const auto me = static_cast<std::size_t>(
      std::find(round.peers.begin(), round.peers.end(), communicator_.process()) -
      round.peers.begin());
  Communicator::Messages sent, received;
  const auto whole = [](int process, const Tensor& piece) {
    return Communicator::message(process, piece, {0, piece.elements()});
  };
  std::unordered_map<int, Parts> collected;
  for (std::size_t i = 0; i < round.peers.size(); ++i) {
    const int peer = round.peers[i];
    for (const int owner : i == me ? std::vector<int>() : round.owners[i]) {
      for (const auto& part : flight.pieces[owner]) {
        if (part.sum.elements() > 0) sent.push_back(whole(peer, part.sum));
      }
    }
    for (const int owner : round.owners[me]) {
      Parts& parts = collected[owner];
      if (i == me) {
        const Parts& mine = flight.pieces[owner];
        parts.insert(parts.end(), mine.begin(), mine.end());
        continue;
      }
      const std::int64_t elements = shards_.piece(flight.chunk, owner).size();
      const auto count = std::ssize(round.nodes[i]);
      flight.landings.push_back(landing(count * elements));
      for (std::int64_t node = 0; node < count; ++node) {
        const Tensor place = flight.landings.back().slice(node * elements, (node + 1) * elements);
        parts.push_back({round.nodes[i][static_cast<std::size_t>(node)], place});
        if (elements > 0) received.push_back(whole(peer, place));
      }
    }
  }
  flight.group = communicator_.start(store_.gradients().device(), sent, received);
  flight.pieces = std::move(collected);
}

void GradientExchange::end_round(Flight& flight) const {
  for (auto& [owner, parts] : flight.pieces) parts = summed(parts);
  if (flight.round + 1 < rounds_.size()) return;
  const Interval mine = shards_.piece(flight.chunk);
  const Tensor sum = flight.pieces.at(communicator_.process()).front().sum,
               gradients = store_.gradients().slice(mine.begin, mine.end);
  if (sum.raw() != gradients.raw()) gradients.copy_from(sum);
}

GradientExchange::Parts GradientExchange::summed(const Parts& parts) const {
  const std::int64_t elements = parts.front().sum.elements();
  const bool runs_ahead = parts.front().sum.device().runs_ahead();
  const std::int64_t block = runs_ahead ? std::max<std::int64_t>(elements, 1) : kBlock;
  for (std::int64_t begin = 0; begin < elements; begin += block) {
    Parts sums;
    for (const auto& [node, all] : parts) {
      const Tensor some = all.slice(begin, std::min(begin + block, elements));
      add_node(sums, {node, some}, leaves_, [](Tensor left, const Tensor& right) {
        add(right, left);
        return left;
      });
    }
  }
  Parts sums;  // where they lie now
  for (const auto& part : parts) {
    add_node(sums, part, leaves_, [](Tensor left, const Tensor&) { return left; });
  }
  return sums;
}

/// One that is free and large enough, or a new one.
Tensor GradientExchange::landing(std::int64_t elements) {
  const auto fits = std::find_if(free_.begin(), free_.end(), [&](const Tensor& tensor) {
    return tensor.elements() >= elements;
  });
  if (fits == free_.end()) {
    const Tensor& gradients = store_.gradients();
    return Tensor::empty({elements}, gradients.dtype(), gradients.device());
  }
  Tensor tensor = std::move(*fits);
  free_.erase(fits);
  return tensor;
}

}  // namespace kette
