"""Tapes: recorded between `with` and its end, gone through once, safe in whatever order they end."""

import gc
import threading
import weakref

import numpy as np
import pytest

import kette as kt


def loss_of(w):
    return (w * w).sum()


def test_a_copy_cuts_no_gradient_without_a_word():
    w = kt.parameter([1.0, 2.0], "w")
    copies = [lambda x: x.to("f64"), lambda x: x.to("bf16"), lambda x: x.clone()]
    with kt.Tape() as tape:
        watched = tape.watch([3.0, 4.0])
        for x in (w, watched, w * w):
            for copy in copies:
                with pytest.raises(kt.Error, match=r"x\.detach\(\)"):
                    copy(x)
                copy(x.detach())
            assert kt.tensor(x).tolist() == x.tolist()
        y = (watched.to("f32").to("cpu") * w.to("f32")).sum()
        w.frozen = True
        w.clone()
        w.frozen = False
    tape.backward(y)
    assert w.grad.tolist() == [3, 4] and tape.gradient(watched).tolist() == [1, 2]
    for copy in copies:
        copy(w)
    with pytest.raises(kt.Error, match="tangent"):
        kt.jvp(lambda x: x.clone(), [[1.0]], [[1.0]])
    empty = kt.zeros((0,), "f32")
    assert empty.to("f64").dtype == "f64"


def test_what_takes_constants_alone_says_so():
    w = kt.parameter([1.0, 2.0], "w")
    with kt.Tape() as tape:
        h = w * 2
        for x in (w, h, tape.watch([3.0, 4.0])):
            with pytest.raises(kt.Error, match=r"tape\.watch\(x\.detach\(\)\)"):
                tape.watch(x)
        cut = tape.watch(h.detach())
        loss = (cut * cut).sum() + (w * 0.5).sum()
    tape.backward(loss)
    assert w.grad.tolist() == [0.5, 0.5] and tape.gradient(cut).tolist() == [4, 8]
    table = kt.parameter(kt.rotary_table(4, 2), "table")
    with kt.Tape():
        with pytest.raises(kt.Error, match=r"table\.detach\(\)"):
            kt.rotary([[1.0, 2.0]], table, positions=[1])
        kt.rotary([[1.0, 2.0]], table.detach(), positions=[1])
    kt.rotary([[1.0, 2.0]], table, positions=[1])


def test_gradients():
    w = kt.parameter([[1.0, 2.0]], "w")
    for step in (1, 2):
        with kt.Tape() as tape:
            loss = loss_of(w)
        tape.backward(loss)
        assert w.grad.tolist() == [[2.0 * step, 4.0 * step]]
    w.zero_grad()
    assert w.grad.tolist() == [[0, 0]]


def test_a_gradient_written_to_is_added_to():
    w = kt.parameter([1.0])
    w.grad.numpy()[0] = 5
    with kt.Tape() as tape:
        loss = loss_of(w)
    tape.backward(loss)
    assert w.grad.tolist() == [7]


def test_a_gradient_held_over_a_step_is_added_to():
    w = kt.parameter([1.0, 2.0], "w")
    held = w.grad
    kt.Adam([w], lr=0.0).step()
    held.copy_from([5.0, 7.0])
    with kt.Tape() as tape:
        loss = (w * 2).sum()
    tape.backward(loss)
    assert held.tolist() == w.grad.tolist() == [7, 9]


def test_backward_does_not_write_to_the_memory_of_others():
    x, seed = np.ones(4, np.float32), np.full(4, 2, np.float32)
    w = kt.parameter(np.ones(4, np.float32))
    with kt.Tape() as tape:
        y = -(w * kt.from_dlpack(x)) * kt.from_dlpack(x)
    tape.backward(y, kt.from_dlpack(seed))
    assert (x == 1).all() and (seed == 2).all() and w.grad.tolist() == [-2] * 4


def test_watched_values():
    with kt.Tape() as tape:
        x = tape.watch([1.0, 2.0])
        y = (x * x).sum()
    tape.backward(y)
    assert tape.gradient(x).tolist() == [2, 4]


def test_frozen_parameters_are_constants():
    w = kt.parameter([1.0])
    w.frozen = True
    with kt.Tape() as tape:
        loss = loss_of(w)
    assert len(tape) == 0
    with pytest.raises(kt.Error, match="depends on no parameter"):
        tape.backward(loss)


def test_misuse_is_an_error():
    w = kt.parameter([1.0, 2.0])
    fresh = kt.Tape()
    with pytest.raises(kt.Error, match="new one"):
        fresh.backward(w)
    with kt.Tape() as tape:
        y = w * w
        loss = y.sum()
    with pytest.raises(kt.Error, match="scalar"):
        tape.backward(y)
    with pytest.raises(kt.Error, match="shape"):
        tape.backward(y, kt.zeros((3,)))
    tape.backward(loss)
    with pytest.raises(kt.Error, match="has not run"):
        tape.backward(loss)
    with pytest.raises(kt.Error, match="has recorded"):
        tape.__enter__()
    with kt.Tape() as other:
        with pytest.raises(kt.Error, match="given one of another"):
            y + w
    other.__exit__(None, None, None)  # twice does no harm


class Twice(kt.Op):
    def forward(self, x):
        return x * 2

    def backward(self, dy):
        return dy * 2


def test_a_tape_within_a_tape():
    w = kt.parameter([3.0], "w")
    with kt.Tape() as outer:
        h = w * 1.0
        with kt.Tape() as inner:
            z = h * h + Twice()(h)
            mixed = h * w
            with pytest.raises(kt.Error, match=r"x\.detach\(\)"):
                h.to("f64")
        assert len(inner) == 1
        with pytest.raises(kt.Error, match="given one of another"):
            mixed + h
        loss = (h + z).sum()
    with pytest.raises(kt.Error, match="did not record it"):
        outer.backward((loss * 2).sum())
    outer.backward(loss)
    assert w.grad.tolist() == [9]


def test_tapes_that_end_in_another_order_leave_nothing():
    w = kt.parameter([3.0])
    outer, inner, op = kt.Tape(), kt.Tape(), Twice()
    outer.__enter__()
    op(w)
    inner.__enter__()
    outer.__exit__(None, None, None)
    inner.__exit__(None, None, None)
    alive = weakref.ref(op)
    del outer, inner, op
    gc.collect()
    assert alive() is None


def test_tapes_end_in_any_order_and_outer_ones_see_constants():
    w = kt.parameter([2.0])
    outer, inner = kt.Tape(), kt.Tape()
    outer.__enter__()
    a = loss_of(w)
    inner.__enter__()
    b = a * w.sum()
    outer.__exit__(None, None, None)
    c = b * w.sum()
    inner.__exit__(None, None, None)
    del outer
    gc.collect()
    inner.backward(c)  # c = a w w with a a constant, 4
    assert w.grad.tolist() == [16]


def test_a_tape_that_is_dropped_while_it_records():
    w = kt.parameter([2.0])
    kt.Tape().__enter__()
    gc.collect()
    loss_of(w)
    with kt.Tape() as tape:
        loss = loss_of(w)
    tape.backward(loss)
    assert w.grad.tolist() == [4]


def test_threads_record_on_tapes_of_their_own():
    w = kt.parameter([2.0])
    errors, sizes = [], []
    with kt.Tape() as tape:

        def other():
            with pytest.raises(kt.Error, match="thread"):
                tape.__exit__(None, None, None)
            loss_of(w)  # on no tape
            with kt.Tape() as mine:
                loss_of(w)
            sizes.append(len(mine))

        thread = threading.Thread(target=lambda: errors.append(other()))
        thread.start()
        thread.join()
        loss = loss_of(w)
    assert errors == [None] and sizes == [2] and len(tape) == 2
    tape.backward(loss)


def test_two_threads_go_back_at_the_same_time():
    w = kt.parameter(np.ones((256, 256), np.float32))
    with kt.Tape() as tape:
        y = w
        for _ in range(50):
            y = y @ w * (1 / 256)
        loss = y.sum()
    outcomes = []

    def back():
        try:
            tape.backward(loss)
            outcomes.append("done")
        except kt.Error as error:
            outcomes.append(str(error))

    threads = [threading.Thread(target=back) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes.count("done") == 1 and len(outcomes) == 4


def test_threads_go_back_to_the_same_parameters():
    w, ones = kt.parameter(np.zeros(1 << 16, np.float32), "w"), kt.full((1 << 16,), 1.0)

    def work():
        for _ in range(20):
            with kt.Tape() as tape:
                y = Twice()(w) + w
            tape.backward(y, ones)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (w.grad.numpy() == 2 * 20 * 3).all()


def test_repr_lists_the_ops():
    w = kt.parameter([2.0], "weight")
    with kt.Tape() as tape:
        loss_of(w)
    assert "multiply" in repr(tape) and "weight" in repr(tape)
    assert repr(kt.Tape()) == "Tape()"


def test_a_small_tape_is_drawn():
    w = kt.parameter(2.0, "weight")
    with kt.Tape() as tape:
        loss = w * w + 1
    assert "<svg" in tape._repr_html_() and "weight" in tape._repr_html_() and "∇" not in tape._repr_html_()
    tape.backward(loss)
    assert "∇ 4" in tape._repr_html_()
    with kt.Tape() as large:
        for _ in range(100):
            w * w
    assert large._repr_html_() is None and kt.Tape()._repr_html_() is None


@pytest.mark.parametrize("op", [
    lambda x, table, ids: kt.embedding(x, ids), lambda x, table, ids: kt.add_positions(table, x, positions=ids),
    lambda x, table, ids: kt.rotary(x, kt.rotary_table(4, 6, dtype="f64"), positions=ids),
    lambda x, table, ids: kt.smear(x, np.full(2, 0.5), positions=ids), lambda x, table, ids: kt.linear_cross_entropy(x, table, None, ids)])
@pytest.mark.parametrize("share", [kt.tensor, kt.from_dlpack])
def test_ids_that_change_between_the_passes(op, share):
    gradients = []
    for later in (None, 10**9, -(10**9)):
        ids = share(np.array([0, 1, 2, 1], np.int32))
        x, table = kt.parameter(np.arange(24.0).reshape(4, 6) / 24), np.eye(4, 6)
        with kt.Tape() as tape:
            loss = kt.square(op(x, table, ids)).sum()
        if later is not None:
            ids.numpy()[:] = later
        tape.backward(loss)
        gradients.append(x.grad.numpy())
    assert np.abs(gradients[0]).max() > 0
    for gradient in gradients:
        assert np.array_equal(gradient, gradients[0])
