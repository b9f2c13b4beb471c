"""NumPy and Kette over the same memory: nothing is copied, and gradients come back as arrays."""

import numpy as np

import kette as kt

array = np.arange(6, dtype=np.float64).reshape(2, 3)
x = kt.from_dlpack(array)
array[0, 0] = 10
assert x[0][0].item() == 10

with kt.Tape() as tape:
    watched = tape.watch(x)
    loss = (watched * watched).sum()
tape.backward(loss)
gradient = tape.gradient(watched)
assert gradient is not None
np.testing.assert_array_equal(gradient.numpy(), 2 * array)
print(gradient.numpy())
