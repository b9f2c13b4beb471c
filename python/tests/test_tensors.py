"""Tensors: memory shared with NumPy, copies of everything else, errors."""

import array
import gc
import resource
import threading

import numpy as np
import pytest

import kette as kt

SHARED = [np.float32, np.float64, np.int32, np.int8]
CONVERTED = {np.float16: "f32", np.bool_: "i32", np.uint8: "i32", np.int16: "i32", np.uint16: "i32", np.int64: "i32",
             np.uint32: "i32", np.uint64: "i32"}


@pytest.mark.parametrize("dtype", SHARED)
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0, 4), (1, 2, 3, 4, 5, 6)])
def test_memory_is_shared_both_ways(dtype, shape):
    array = np.arange(int(np.prod(shape)), dtype=dtype).reshape(shape)
    tensor = kt.from_dlpack(array)
    assert tensor.shape == shape
    for back in (tensor.numpy(), np.asarray(tensor), np.from_dlpack(tensor)):
        assert back.dtype == dtype and back.shape == shape
        if array.size:
            assert back.ctypes.data == array.ctypes.data
    if array.size:
        array.reshape(-1)[-1] = 42
        assert np.asarray(tensor).reshape(-1)[-1] == 42
        np.asarray(tensor).reshape(-1)[0] = 43
        assert array.reshape(-1)[0] == 43


def test_memory_lives_as_long_as_either_side():
    array = np.full(1 << 20, 3.0)
    tensor = kt.from_dlpack(array)
    del array
    gc.collect()
    back = tensor.numpy()
    del tensor
    gc.collect()
    assert back.sum() == 3 << 20


@pytest.mark.parametrize("dtype", SHARED + list(CONVERTED))
def test_a_copy_has_all_values(dtype):
    values = np.array([[0, 1, 1], [1, 0, 1]]).astype(dtype)
    for array in (values, values.T, values[:, ::-1], np.asfortranarray(values), values[:, :0], values[0, 0]):
        tensor = kt.tensor(array)
        assert tensor.dtype == CONVERTED.get(dtype, tensor.dtype)
        np.testing.assert_array_equal(tensor.numpy(), array)
        assert not np.shares_memory(tensor.numpy(), array)


def test_half_precision_becomes_f32_exactly():
    bits = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    np.testing.assert_array_equal(kt.tensor(bits).numpy(), bits.astype(np.float32))


def test_lists_and_numbers():
    assert kt.tensor([[1, 2], [3, 4]]).dtype == "i32"
    assert kt.tensor([[1.0, 2], [3, 4]]).dtype == "f32"
    assert kt.tensor([]).shape == (0,)
    assert kt.tensor(2.5).item() == 2.5
    assert kt.tensor([1, 2], dtype="f64").dtype == "f64"
    assert kt.tensor((1.5, 2.5), dtype="float32").tolist() == [1.5, 2.5]


@pytest.mark.parametrize("bad", [np.zeros(2, complex), np.array([object()]), "text", [[1], [1, 2]], [1, [2]],
                                 [[1], 2], np.zeros((1,) * 7), np.array([2**31]), [2**40], {1: 2}, object(), None,
                                 np.array(["a"]), np.zeros(2, "datetime64[s]"), [None], [[[]], [1]]])
def test_what_is_no_tensor_is_an_error(bad):
    with pytest.raises((kt.Error, TypeError)) as caught:
        kt.tensor(bad)
    assert "expected" in str(caught.value) or "incompatible" in str(caught.value)


def test_what_cannot_be_shared_is_an_error():
    array = np.zeros((2, 3), np.float32)
    frozen = array.copy()
    frozen.flags.writeable = False
    odd = np.frombuffer(bytearray(9), np.uint8)[1:].view(np.float32)
    for bad, word in [(array.T, "strides"), (array[:, ::-1], "strides"), (frozen, "read-only"),
                      (np.zeros(2, np.int64), "int64"), (np.zeros(2, np.float16), "float16"), (odd, "aligned")]:
        with pytest.raises(kt.Error, match=word):
            kt.from_dlpack(bad)
    np.testing.assert_array_equal(kt.tensor(odd).numpy(), odd)
    np.testing.assert_array_equal(kt.tensor(frozen).numpy(), frozen)
    with pytest.raises(TypeError):
        kt.from_dlpack("text")


def test_a_copy_that_is_asked_for_is_one():
    tensor = kt.tensor([1.0, 2.0])
    for copy in (np.from_dlpack(tensor, copy=True), np.array(tensor, copy=True), np.array(tensor, np.float64)):
        copy[0] = 9
        assert tensor.tolist() == [1, 2]
    for shared in (np.from_dlpack(tensor, copy=False), tensor.__array__(copy=False), tensor.__array__(np.float32, copy=False)):
        assert np.shares_memory(shared, tensor.numpy())
    with pytest.raises(ValueError, match="own dtype"):
        tensor.__array__(np.float64, copy=False)


def test_repr_shows_the_numbers_themselves():
    shown = lambda *values: repr(kt.tensor(*values)).split("\n")[1]
    assert shown([16777217, 2147483647, -2147483648, 1000000]) == "[16777217, 2147483647, -2147483648, 1000000]"
    assert shown([1e300, 0.1, 1 / 3], "f64") == "[1e+300, 0.1, 0.3333333333333333]"
    assert shown([0.1, 16777216.0, -0.0, float("nan")], "f32") == "[0.1, 16777216, -0, nan]"
    assert repr(kt.tensor([0.1]).to("bf16")).endswith("[0.100097656]")


def test_bf16():
    tensor = kt.tensor([1.0, 2.0, 3.1415927]).to("bf16")
    assert tensor.dtype == "bf16" and tensor.to("f32").tolist() == [1.0, 2.0, 3.140625]
    try:
        import ml_dtypes
    except ImportError:
        with pytest.raises(kt.Error, match="ml_dtypes"):
            tensor.numpy()
    else:
        array = tensor.numpy()
        assert array.dtype == ml_dtypes.bfloat16 and array[2] == 3.140625
        array[0] = 5  # shares the memory
        assert tensor.to("f32").tolist() == [5.0, 2.0, 3.140625]


def test_operators_agree_with_numpy():
    a, b = np.random.default_rng(1).uniform(0.5, 2, (2, 3, 4)).astype(np.float32)[..., :3], np.float32([1, 2, 4])
    x, y = kt.tensor(a), kt.tensor(b)
    for got, expected in [(x + y, a + b), (x - y, a - b), (x * y, a * b), (x / y, a / b), (x + b, a + b), (b - x, b - a),
                          (2 / x, 2 / a), (x - 1, a - 1), (3 * x, 3 * a), (-x, -a), (x**2, a**2), (x**-1, 1 / a),
                          (x[0], a[0]), (x[-1], a[-1]), (x[0:1], a[0:1]), (x[0] @ x[1].T, a[0] @ a[1].T),
                          (x.sum(), a.sum()), (x.sum(axis=1), a.sum(1)), (x.mean(axis=-1, keepdims=True), a.mean(-1, keepdims=True)),
                          (x.reshape((6, 3)), a.reshape(6, 3)), (x[0].T, a[0].T)]:
        np.testing.assert_allclose(got.numpy(), expected, rtol=1e-6)
        assert got.shape == np.shape(expected)


def test_the_mean_of_ones_is_one():
    for dtype in ("f32", "f64"):
        for n in range(1, 201):
            x = kt.full((n, 2), 1.0, dtype)
            assert x.mean().item() == 1 and x.mean(axis=0).tolist() == [1, 1] and kt.mean(x.T, axis=-1).tolist() == [1, 1]


def test_a_comparison_says_how_to_compare():
    x, y = kt.tensor([1.0, 0.0]), kt.tensor([1.0, 0.0])
    for compare in (lambda: x == y, lambda: x != y, lambda: x == 0, lambda: 0.0 == x, lambda: x == np.float32(0), lambda: np.float32(0) == x,
                    lambda: x == x.numpy(), lambda: x.numpy() != x, lambda: x == [1.0, 0.0], lambda: x in [y]):
        with pytest.raises(TypeError, match=r"x\.numpy\(\) == y compares the elements"):
            compare()
    assert not (x == None) and x != None and x != "auto" and None not in [x]  # noqa: E711
    assert x in [x, y] and {x: 1, y: 2}[y] == 2 and len({x, y, x}) == 2 and hash(x) == hash(x)


def test_indices_and_axes_that_do_not_exist():
    x = kt.zeros((2, 3))
    for index in (2, -3, slice(0, 2, 2)):
        with pytest.raises(IndexError):
            x[index]
    for index in ("a", 1.5, (0, 1), None, True):
        with pytest.raises(TypeError):
            x[index]
    with pytest.raises(IndexError):
        x.sum(axis=2)
    with pytest.raises(kt.Error):
        bool(x)
    with pytest.raises(kt.Error, match="f64"):
        x.to("f16")
    with pytest.raises(IndexError):
        x[0][0][0]
    with pytest.raises(TypeError):
        len(x[0][0])
    assert [row.tolist() for row in x] == [[0, 0, 0]] * 2


def test_huge_sizes_are_errors():
    for shape in [(2**62, 2**62), (2**40, 2**20)]:
        with pytest.raises((kt.Error, MemoryError, TypeError)):
            kt.zeros(shape)


def test_round_trips_do_not_grow():
    array = np.zeros((64, 64), np.float32)

    def trips(count):
        for _ in range(count):
            kt.from_dlpack(array).numpy()
            np.from_dlpack(kt.from_dlpack(array))

    trips(1000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    trips(100_000)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 2048  # KiB


def test_the_owner_is_released_on_another_thread():
    array = np.zeros(8)
    holder = [kt.from_dlpack(array)]
    thread = threading.Thread(target=holder.clear)
    thread.start()
    thread.join()
    import sys

    assert sys.getrefcount(array) == 2


def test_memory_that_is_shared_stays_where_it_is():
    for memory, view in [(array.array("f", [1, 2, 3]), lambda memory: memory), (bytearray(b"\1\0\0\0\2\0\0\0"), lambda memory: memoryview(memory).cast("i"))]:
        tensor = kt.from_dlpack(view(memory))
        before = tensor.tolist()
        with pytest.raises(BufferError):
            memory.extend(memory * 100_000)
        assert tensor.tolist() == before
        del tensor
        gc.collect()
        memory.extend(memory)


def test_a_list_in_f64_has_all_digits():
    assert kt.tensor(0.1, "f64").item() == 0.1 and kt.tensor([[0.1]], "f64").tolist() == [[0.1]]
    assert kt.parameter([0.1, 2**40 + 1], dtype="f64").tolist() == [0.1, 2**40 + 1]
    assert kt.tensor([1, 2.5], "i32").tolist() == [1, 2] and kt.tensor([3], "bf16").dtype == "bf16"
    with pytest.raises(kt.Error, match="32 bits"):
        kt.tensor([2**40], "i32")


def test_a_list_in_i32_has_all_digits_or_is_an_error():
    values = [16777217.0, 2147483647.5, -2147483648.0, -16777217.9]
    assert kt.tensor(values, dtype="i32").tolist() == [16777217, 2147483647, -2147483648, -16777217]
    assert kt.tensor(16777217.0, dtype="i32").item() == 16777217 and kt.tensor([], dtype="i32").dtype == "i32"
    for bad in (2.0**40, 2147483648.0, -2147483649.0, float("nan"), float("inf"), -float("inf")):
        with pytest.raises(kt.Error, match="expected whole numbers of 32 bits, given"):
            kt.tensor([1.0, bad], dtype="i32")


def test_tensors_in_lists_are_an_error_that_says_what_is_meant():
    row, loss = kt.tensor([1.0, 2.0]), kt.tensor(3.0)
    for call in (lambda: kt.mean([loss, loss]), lambda: kt.linear(kt.zeros((1, 2)), [row, row]), lambda: kt.exp((row, row)),
                 lambda: kt.tensor([[loss], [1.0]]), lambda: row * [loss, 2.0], lambda: kt.parameter([row])):
        with pytest.raises(TypeError, match="expected numbers in lists, given a Tensor .kt.concatenate joins tensors; . adds them."):
            call()
    assert kt.concatenate([row, row]).tolist() == [1, 2, 1, 2] and kt.tensor(row).tolist() == [1, 2]


def test_whole_numbers_of_a_tensor():
    assert int(kt.tensor(-2.5)) == -2 and int(kt.tensor(7)) == 7 and int(kt.tensor(1e30, "f64")) == int(1e30)
    with pytest.raises(ValueError):
        int(kt.tensor(float("nan")))
    with pytest.raises(OverflowError):
        int(kt.tensor(float("inf")))


def test_numbers_beyond_a_whole_dtype_become_its_nearest():
    values = [float("inf"), 1e300, 2147483647.0, 2.9, -2.9, -2147483648.0, -1e300, -float("inf"), float("nan")]
    expected = [2147483647] * 3 + [2, -2] + [-2147483648] * 3 + [0]
    assert kt.tensor(values, "f64").to("i32").tolist() == expected
    assert kt.tensor(values, "f32").to("i32").tolist() == expected
    assert kt.full((2,), float("nan"), "i32").tolist() == [0, 0] and kt.full((1,), 1e10, "i32").tolist() == [2147483647]
