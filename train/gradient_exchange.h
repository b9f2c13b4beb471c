// The sum of a step's gradients over all processes, chunk by chunk while backward still goes on: each process sends of
// every chunk the pieces that others own, and adds up what it gets of its own in the order of the step tree. So the
// bits are those of one process, and no engine of messages has to add.
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
  /// A chunk on its way. landing: the pieces of others, node by node.
  struct Flight {
    std::int64_t chunk;
    Tensor landing;
    std::unique_ptr<Transport::Group> group;
  };

  /// Starts what is ready, as far as there is room, and adds up what has landed.
  void move_on();
  void start(std::int64_t chunk);
  Tensor landing();
  void add_up(const Flight& flight) const;

  ParamStore& store_;
  Communicator& communicator_;
  Shards shards_;
  std::vector<std::int64_t> order_;  // chunks, in which all processes send them
  std::unordered_map<const Leaf*, Interval> chunks_of_;
  const GradientSums* sums_ = nullptr;
  std::int64_t leaves_ = 0;
  std::vector<GradientSums::Part> parts_;
  std::vector<std::vector<Interval>> nodes_;  // of each process
  std::vector<std::int64_t> missing_;         // gradients of each chunk
  std::size_t next_ = 0;                      // in order_
  std::deque<Flight> flights_;
  std::vector<Tensor> free_;
};

}  // namespace kette
