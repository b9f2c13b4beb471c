// The sum of a step's gradients over all processes, chunk by chunk while backward still goes on: each process sends of
// every chunk the pieces that others own, and adds up what it gets of its own in the order of the step tree. So the
// bits are those of one process, and no engine of messages has to add. Where several hosts have several processes each,
// those of a host add up first what they have, so that it leaves the host once.
#pragma once

#include <deque>
#include <unordered_map>

#include "train/communicator.h"
#include "train/gradient_sums.h"

namespace kette {

class GradientExchange {
 public:
  GradientExchange(ParamStore& store, Communicator& communicator, const Shards& shards);

  /// Once the last leaf of this process is all that is left to come: after sums.end().
  void begin(std::int64_t leaves, const GradientSums& sums);
  /// The gradient of a parameter is all there. What can move on does.
  void arrived(const Leaf& leaf);
  /// All are there. Afterwards the store's gradients have the step's sums in the pieces that this process owns.
  void finish();

 private:
  using Parts = std::vector<GradientSums::Part>;
  /// One round of messages: with whom, and whose pieces each of them collects, in the places of `peers`. nodes: what each
  /// of them has of every piece.
  struct Round {
    std::vector<int> peers;
    std::vector<std::vector<int>> owners;
    std::vector<std::vector<Interval>> nodes{};
  };
  /// A chunk on its way. pieces: what this process has of the pieces of some owners.
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
  /// Adds what lies side by side, in the order of its leaves, into the left ones.
  Parts summed(const Parts& parts) const;
  Tensor landing(std::int64_t elements);

  ParamStore& store_;
  Communicator& communicator_;
  Shards shards_;
  std::vector<Round> rounds_;
  std::vector<std::int64_t> order_;  // chunks, in which all processes send them
  std::unordered_map<const Leaf*, Interval> chunks_of_;
  const GradientSums* sums_ = nullptr;
  std::int64_t leaves_ = 0;
  std::vector<std::int64_t> missing_;  // gradients of each chunk
  std::size_t next_ = 0;               // in order_
  std::deque<Flight> flights_;
  std::vector<Tensor> free_;
};

}  // namespace kette
