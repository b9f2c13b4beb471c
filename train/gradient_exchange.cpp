#include "train/gradient_exchange.h"

#include "tensor/observer.h"

namespace kette {
namespace {

/// What is added up at once, so that the sums of a CPU stay in its cache.
constexpr std::int64_t kBlock = std::int64_t{1} << 15;

}  // namespace

GradientExchange::GradientExchange(ParamStore& store, Communicator& communicator,
                                   const Shards& shards)
    : store_(store), communicator_(communicator), shards_(shards) {
  const std::int64_t each = shards.chunk(0).size();
  for (const auto& leaf : store.leaves()) {
    const std::int64_t begin = store.begin_of(*leaf), end = begin + leaf->gradient.elements();
    chunks_of_[leaf.get()] = {begin / each, (end - 1) / each + 1};
  }
  // Backward comes to the last matrices first, and to vectors, which lie behind them, until its end.
  std::vector<std::int64_t> with_vectors;
  for (std::int64_t chunk = shards.chunks() - 1; chunk >= 0; --chunk) {
    const bool is_mixed = shards.chunk(chunk).end > store.matrix_elements();
    (is_mixed ? with_vectors : order_).push_back(chunk);
  }
  order_.insert(order_.end(), with_vectors.begin(), with_vectors.end());
}

void GradientExchange::begin(std::int64_t leaves, const GradientSums& sums) {
  sums_ = &sums;
  leaves_ = leaves;
  parts_ = sums.parts();
  nodes_.clear();
  for (int process = 0; process < communicator_.processes(); ++process) {
    nodes_.push_back(nodes_of(share_of(process, communicator_.processes(), leaves), leaves));
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
    add_up(flights_.front());
    if (flights_.front().landing.defined()) free_.push_back(flights_.front().landing);
    flights_.pop_front();
  }
  while (next_ < order_.size() && flights_.size() < Communicator::kWindow &&
         missing_[order_[next_]] == 0) {
    start(order_[next_++]);
  }
}

void GradientExchange::start(std::int64_t chunk) {
  sums_->complete(shards_.chunk(chunk));
  const int me = communicator_.process();
  const Interval mine = shards_.piece(chunk);
  Flight flight{chunk, landing(), {}};
  Communicator::Messages sent, received;
  std::int64_t place = 0;
  for (int other = 0; other < communicator_.processes(); ++other) {
    if (other == me) continue;
    const Interval theirs = shards_.piece(chunk, other);
    if (theirs.size() > 0) {
      for (const auto& part : parts_)
        sent.push_back(Communicator::message(other, part.sum, theirs));
    }
    if (mine.size() == 0) continue;
    for (std::size_t i = 0; i < nodes_[other].size(); ++i, place += mine.size()) {
      received.push_back(
          Communicator::message(other, flight.landing, {place, place + mine.size()}));
    }
  }
  flight.group = communicator_.start(sent, received);
  flights_.push_back(std::move(flight));
}

Tensor GradientExchange::landing() {
  std::int64_t pieces = 0;
  for (int other = 0; other < communicator_.processes(); ++other) {
    if (other != communicator_.process()) pieces += std::ssize(nodes_[other]);
  }
  const std::int64_t elements = pieces * shards_.piece_elements();
  while (!free_.empty()) {
    Tensor tensor = std::move(free_.back());
    free_.pop_back();
    if (tensor.elements() >= elements) return tensor;  // otherwise of steps with fewer leaves
  }
  const Tensor& gradients = store_.gradients();
  return Tensor::empty({elements}, gradients.dtype(), gradients.device());
}

void GradientExchange::add_up(const Flight& flight) const {
  const Interval mine = shards_.piece(flight.chunk);
  const Tensor& gradients = store_.gradients();
  const std::int64_t block = gradients.device().kind == DeviceKind::cpu ? kBlock : mine.size();
  for (std::int64_t begin = 0; begin < mine.size(); begin += block) {
    const std::int64_t end = std::min(begin + block, mine.size());
    std::vector<GradientSums::Part> sums;
    const auto add = [&](const Interval& node, const Tensor& all, std::int64_t place) {
      add_node(sums, {node, all.slice(place + begin, place + end)}, leaves_,
               [&](Tensor left, Tensor right) {
                 on(left.device(), [&](auto exec) { kernels::accumulate(exec, right, left); });
                 return left;
               });
    };
    std::int64_t place = 0;
    for (int process = 0; process < communicator_.processes(); ++process) {
      if (process == communicator_.process()) {
        for (const auto& part : parts_) add(part.node, part.sum, mine.begin);
        continue;
      }
      for (const Interval& node : nodes_[process]) {
        add(node, flight.landing, place);
        place += mine.size();
      }
    }
    const Tensor result = gradients.slice(mine.begin + begin, mine.begin + end);
    if (sums.front().sum.raw() != result.raw()) result.copy_from(sums.front().sum);
  }
}

}  // namespace kette
