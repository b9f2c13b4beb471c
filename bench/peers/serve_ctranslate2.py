#!/usr/bin/env python3
"""CTranslate2 behind HTTP as people deploy it: FastAPI on uvicorn, requests gathered into batches.

Takes a translation model that Kette trained (its weights are written in CTranslate2's form, so that both servers have
one model), and answers POST /translate {"q": text} with {"translatedText": text}. A task gathers what has come, up to
a batch or for two milliseconds, and gives it to a worker; there are as many workers as cores, of a thread each.

  serve_ctranslate2.py MODEL --port 5001 [--type int8]
"""
import argparse
import asyncio
import contextlib
import json
import os
import struct
import tempfile

import ctranslate2
import numpy as np
import sentencepiece
import uvicorn
from ctranslate2.specs import TransformerSpec
from fastapi import FastAPI
from pydantic import BaseModel


def tensors_of(file):
    data = open(file, "rb").read()
    start = 8 + struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:start])
    header.pop("__metadata__", None)
    return {name: np.frombuffer(data, np.float32, np.prod(entry["shape"], dtype=int), start + entry["data_offsets"][0])
            .reshape(entry["shape"]).copy() for name, entry in header.items()}


def convert(folder, directory):
    config = json.load(open(os.path.join(folder, "config.json")))
    weights = tensors_of(os.path.join(folder, "model.safetensors"))
    pre_norm = config["norm"] == "pre"
    width, heads = config["width"], config["heads"]
    spec = TransformerSpec.from_config((config["encoder_layers"], config["decoder_layers"]), heads, pre_norm=pre_norm)

    def linear(to, name):
        to.weight, to.bias = weights[name + "/weight"], weights[name + "/bias"]

    def norm(to, name):
        to.gamma, to.beta = weights[name + "/gain"], weights[name + "/bias"]

    def feed_forward(to, name):
        linear(to.linear_0, name + "feed_forward/inner")
        linear(to.linear_1, name + "feed_forward/outer")
        norm(to.layer_norm, name + "feed_forward_norm")

    def self_attention(to, name):
        linear(to.linear[0], name + "self_attention/query_key_value")
        linear(to.linear[1], name + "self_attention/output")
        norm(to.layer_norm, name + "self_attention_norm")

    for i, layer in enumerate(spec.encoder.layer):
        self_attention(layer.self_attention, f"encoder/{i}/")
        feed_forward(layer.ffn, f"encoder/{i}/")
    for i, layer in enumerate(spec.decoder.layer):
        self_attention(layer.self_attention, f"decoder/{i}/")
        cross = layer.attention
        linear(cross.linear[0], f"decoder/{i}/cross_attention/query")
        linear(cross.linear[1], f"decoder/{i}/cross_attention/key_value")
        linear(cross.linear[2], f"decoder/{i}/cross_attention/output")
        norm(cross.layer_norm, f"decoder/{i}/cross_attention_norm")
        feed_forward(layer.ffn, f"decoder/{i}/")
    if pre_norm:
        norm(spec.encoder.layer_norm, "encoder/final_norm")
        norm(spec.decoder.layer_norm, "decoder/final_norm")
    table = weights["shared_embedding/weight"]
    # "Attention Is All You Need", section 3.5: sine and cosine in turn.
    angles = np.arange(config["max_length"])[:, None] / 10000 ** (np.arange(0, width, 2) / width)
    positions = np.stack([np.sin(angles), np.cos(angles)], -1).reshape(-1, width).astype(np.float32)
    for part in (spec.encoder, spec.decoder):
        part.scale_embeddings = True
        part.position_encodings.encodings = positions
    spec.encoder.embeddings[0].weight = spec.decoder.embeddings.weight = spec.decoder.projection.weight = table
    pieces = sentencepiece.SentencePieceProcessor(os.path.join(folder, "tokenizer.model"))
    names = [pieces.id_to_piece(i) for i in range(len(table))]
    spec.register_source_vocabulary(names)
    spec.register_target_vocabulary(names)
    spec.config.add_source_eos = True
    spec.config.decoder_start_token = names[config["begin"]]
    spec.config.eos_token, spec.config.unk_token = names[config["end"]], names[config["unknown"]]
    spec.validate()
    spec.optimize()
    spec.save(directory)
    return pieces


class Text(BaseModel):
    q: str


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--port", type=int, default=5001)
    parser.add_argument("--type", choices=["float32", "int8"], default="int8")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--beam", type=int, default=5)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        pieces = convert(args.model, directory)
        translator = ctranslate2.Translator(directory, compute_type=args.type, inter_threads=args.threads, intra_threads=1)
    queue = asyncio.Queue()

    async def work():
        while True:
            jobs = [await queue.get()]
            await asyncio.sleep(0.002)
            while len(jobs) < args.batch and not queue.empty():
                jobs.append(queue.get_nowait())
            try:
                results = await asyncio.to_thread(translator.translate_batch, [tokens for tokens, _ in jobs],
                                                  beam_size=args.beam, length_penalty=1)
                for (_, future), result in zip(jobs, results):
                    future.set_result(pieces.decode(result.hypotheses[0]))
            except Exception as error:
                for _, future in jobs:
                    future.set_exception(error)

    @contextlib.asynccontextmanager
    async def workers(_):
        tasks = [asyncio.create_task(work()) for _ in range(args.threads)]
        yield
        for task in tasks:
            task.cancel()

    app = FastAPI(lifespan=workers)

    @app.post("/translate")
    async def translate(text: Text):
        future = asyncio.get_running_loop().create_future()
        await queue.put((pieces.encode(text.q, out_type=str), future))
        return {"translatedText": await future}

    uvicorn.run(app, port=args.port, log_level="warning")


main()
