// Work that is queued many times, as a CUDA graph.
#pragma once

#include <map>

#include "tensor/block_pool.h"
#include "tensor/cuda/launch.h"

namespace kette::cuda {

/// A graph of the work queued on the stream `capture`, for `queue`. It keeps the memory allocated
/// while recording, which replay() uses.
class CudaRecording final : public Recording {
 public:
  CudaRecording(BlockPool& pool, cudaStream_t capture, cudaStream_t queue)
      : pool_(pool), capture_(capture), queue_(queue) {}
  ~CudaRecording() override {
    cudaStreamSynchronize(queue_);
    if (graph_ != nullptr) cudaGraphExecDestroy(graph_);
    for (const auto& block : released_) pool_.release(block.second);
  }

  /// Relaxed: memory may be taken from the system meanwhile.
  void begin() {
    check(cudaStreamBeginCapture(capture_, cudaStreamCaptureModeRelaxed), "recording a graph");
  }
  void abandon() noexcept {
    cudaGraph_t graph = nullptr;
    cudaStreamEndCapture(capture_, &graph);
    if (graph != nullptr) cudaGraphDestroy(graph);
    cudaGetLastError();
  }
  void end() {
    cudaGraph_t graph = nullptr;
    check(cudaStreamEndCapture(capture_, &graph), "recording a graph");
    const cudaError_t status = cudaGraphInstantiate(&graph_, graph, 0);
    cudaGraphDestroy(graph);
    check(status, "a graph");
    KETTE_CHECK(released_.size() == sizes_.size(),
                "recording: expected work that keeps no memory, given one that keeps ",
                sizes_.size() - released_.size(), " tensors");
  }
  void replay() override { check(cudaGraphLaunch(graph_, queue_), "launching a graph"); }

  /// Takes one of the blocks released so far; null if none is large enough.
  void* allocate(std::size_t bytes) {
    const auto found = released_.lower_bound(bytes);
    if (found == released_.end()) return nullptr;
    void* memory = found->second;
    released_.erase(found);
    return memory;
  }
  void add(void* memory, std::size_t bytes) { sizes_.emplace(memory, bytes); }
  /// False if the memory is not its own.
  bool release(void* memory) {
    const auto found = sizes_.find(memory);
    if (found == sizes_.end()) return false;
    released_.emplace(found->second, memory);
    return true;
  }

 private:
  BlockPool& pool_;
  cudaStream_t capture_, queue_;
  cudaGraphExec_t graph_ = nullptr;
  std::map<void*, std::size_t> sizes_;
  std::multimap<std::size_t, void*> released_;
};

}  // namespace kette::cuda
