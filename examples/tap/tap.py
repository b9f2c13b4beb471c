"""The same as tap.cpp, from Python: where the heads look, and the loss with each head switched off.

python tap.py MODEL SOURCE TRANSLATION"""

import sys

import kette as kt

model = kt.load(sys.argv[1])
source, target = sys.argv[2:]
last = f"decoder/{model.config.decoder_layers - 1}/cross_attention"

out = model.run(source, target, capture=f"{last}/probabilities")
probabilities = out[f"{last}/probabilities"]  # [row, head, key]
looks = probabilities.mean(axis=1)
source_pieces = [*model.tokenizer.pieces(source), "</s>"]
for piece, row in zip([*model.tokenizer.pieces(target), "</s>"], looks.tolist()):
    most = max(range(len(row)), key=row.__getitem__)
    print(f"{piece:12} looks at {source_pieces[most]:12} {100 * row[most]:3.0f} %")

heads = probabilities.shape[1]  # kette heads --prune leaves some the fewer


def without(head):
    """Puts zeros in the place of what one head gives."""

    def replaced(_, value):  # [row, heads * width], the heads side by side
        width = value.shape[1] // heads
        return value * kt.tensor([[float(i // width != head) for i in range(heads * width)]])

    return replaced


batch = kt.pairs([source], [target], model.tokenizer)
print(f"loss {model.loss(batch).item():.4f}")
for head in range(heads):
    loss = model.loss(batch, replace={f"{last}/heads": without(head)})
    print(f"loss {loss.item():.4f} without head {head} of {last}")
