// Reduce-scatter of a step's gradients over all processes, chunk by chunk while backward still runs. Each process sends
// the pieces of a chunk that others own, and sums what it receives for its own piece. It sums in the order of the step
// tree, so the bits are those of one process. The transport never adds. With several processes on each of several
// hosts, the processes of a host sum first, so that every element leaves the host once.
#pragma once

#include <deque>
#include <unordered_map>

#include "train/communicator.h"
#include "train/gradient_sums.h"

namespace kette {

class GradientExchange {
 public:
  GradientExchange(ParamStore& store, Communicator& communicator, const Shards& shards);

  /// Call it before the backward pass of this process's last leaf, after sums.end().
  void begin(std::int64_t leaves, const GradientSums& sums);
  /// Call it when the gradient of a parameter is complete. Starts the messages that this allows.
  void arrived(const Leaf& leaf);
  /// Waits for all messages. The store's gradients then hold the step's sums in the pieces that this process owns.
  void finish();

 private:
  using Parts = std::vector<GradientSums::Part>;
  /// One round of messages with `peers`. owners: for each peer, the owners of the pieces that it collects. nodes: for
  /// each peer, the nodes of the step tree that it has of every piece.
  struct Round {
    std::vector<int> peers;
    std::vector<std::vector<int>> owners;
    std::vector<std::vector<Interval>> nodes{};
  };
  /// A chunk in exchange. pieces: this process's parts of pieces, by owner.
  struct Flight {
    std::int64_t chunk;
    std::size_t round;
    std::unordered_map<int, Parts> pieces;
    std::vector<Tensor> landings;
    std::unique_ptr<Transport::Group> group;
  };

  std::vector<Round> rounds_of_hosts() const;
  void move_on();
  void take_off(std::int64_t chunk);
  void start_round(Flight& flight);
  void end_round(Flight& flight) const;
  /// Sums adjacent nodes in the order of the tree, in the memory of the left ones.
  Parts summed(const Parts& parts) const;
  Tensor landing(std::int64_t elements);

  ParamStore& store_;
  Communicator& communicator_;
  Shards shards_;
  std::vector<Round> rounds_;
  std::vector<std::int64_t> order_;  // of the chunks, the same in all processes
  std::unordered_map<const Leaf*, Interval> chunks_of_;
  const GradientSums* sums_ = nullptr;
  std::int64_t leaves_ = 0;
  std::vector<std::int64_t> missing_;  // by chunk: the number of gradients to come
  std::size_t next_ = 0;               // in order_
  std::deque<Flight> flights_;
  std::vector<Tensor> free_;
};

}  // namespace kette
