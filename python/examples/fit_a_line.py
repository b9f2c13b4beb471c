"""Fits y = 2 x + 1 by gradient descent: parameters, a tape, and values changed in place."""

import kette as kt

xs = [[0.1 * i] for i in range(-10, 11)]
x = kt.tensor(xs)
y = kt.tensor([[2.0 * row[0] + 1.0] for row in xs])
slope, shift = kt.parameter([[0.0]], "slope"), kt.parameter([0.0], "shift")

for step in range(201):
    with kt.Tape() as tape:
        loss = ((x @ slope + shift - y) ** 2).mean()
    tape.backward(loss)
    for parameter in (slope, shift):
        assert parameter.grad is not None
        parameter.copy_from(parameter.detach() - 0.3 * parameter.grad)
        parameter.zero_grad()
    if step % 50 == 0:
        print(f"step {step:3}  loss {loss.item():.6f}  y = {slope.item():.3f} x + {shift.item():.3f}")

assert abs(slope.item() - 2) < 1e-3 and abs(shift.item() - 1) < 1e-3
