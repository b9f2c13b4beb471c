// Linear attention for generating text on CUDA (tensor/linear_attention_step.h). A block takes a
// key head of a line, and the line's rows in order. A thread holds some rows of one column of the
// state: the 256 threads divided by the columns share a column's rows.
#include "tensor/cuda/launch.h"
#include "tensor/linear_attention_step.h"

namespace kette::kernels {
namespace {

constexpr int kStepThreads = 256;

__global__ void __launch_bounds__(kStepThreads) take_steps(linear_weights::Step step) {
  const std::int64_t first = blockIdx.x / step.key_heads, head = blockIdx.x % step.key_heads;
  const int width = static_cast<int>(step.width), thread = static_cast<int>(threadIdx.x);
  // Threads beyond whole shares have no rows.
  const int shares = kStepThreads / width, share = thread / width, column = thread % width;
  float *keys = cuda::shared_memory<float>(), *queries = keys + width, *parts = queries + width;
  for (std::int64_t row = first; step.continues(first, row); ++row) {
    const float* before = step.state_before(row, head);
    float *state = step.state_of(row, head), *key_sum = state + width * width;
    const float value = step.value(row, head)[column];
    for (std::int64_t i = 0; i < step.group; ++i) {
      const float* query = step.query(row, head * step.group + i);
      __syncthreads();
      for (int e = thread; e < width; e += kStepThreads) {
        keys[e] = linear_weights::phi(step.key(row, head)[e]);
        queries[e] = linear_weights::phi(query[e]);
      }
      __syncthreads();
      float sum = 0, weights = 0;
      for (int e = share; share < shares && e < width; e += shares) {
        const int place = e * width + column;
        float element = i > 0 ? state[place] : before ? before[place] : 0.0f;
        if (i == 0) state[place] = element += keys[e] * value;
        sum += queries[e] * element;
      }
      for (int e = thread; e < width; e += kStepThreads) {
        float element = i > 0 ? key_sum[e] : before ? before[width * width + e] : 0.0f;
        if (i == 0) key_sum[e] = element += keys[e];
        weights += queries[e] * element;
      }
      weights = cuda::block_sum(weights) + static_cast<float>(linear_weights::kEpsilon);
      if (share < shares) parts[share * width + column] = sum;
      __syncthreads();
      if (thread < width) {
        float total = 0;
        for (int s = 0; s < shares; ++s) total += parts[s * width + thread];
        step.output(row, head * step.group + i)[thread] = total / weights;
      }
    }
  }
}

}  // namespace

void linear_attention_step(CudaExec exec, const LinearStepArgs& args) {
  args.check();
  KETTE_CHECK(args.head_width() <= kStepThreads, "linear attention: expected heads of at most ",
              kStepThreads, " elements on cuda, given ", args.head_width());
  const linear_weights::Step step(args);
  cuda::launch(exec, take_steps,
               {dim3(static_cast<unsigned>(step.rows * step.key_heads)), dim3(kStepThreads),
                static_cast<std::size_t>(2 * step.width + kStepThreads) * sizeof(float)},
               step);
}

}  // namespace kette::kernels
