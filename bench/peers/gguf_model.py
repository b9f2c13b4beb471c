"""A GPT-2 with random weights as a GGUF file, for llama.cpp."""
import gguf
import numpy as np

TYPES = {
    "f32": gguf.GGMLQuantizationType.F32,
    "f16": gguf.GGMLQuantizationType.F16,
    "q8_0": gguf.GGMLQuantizationType.Q8_0,
}


def write_model(path, preset, type_, seed):
    width = preset.width
    generator = np.random.default_rng(seed)
    writer = gguf.GGUFWriter(path, "gpt2")
    writer.add_context_length(preset.context)
    writer.add_embedding_length(width)
    writer.add_block_count(preset.layers)
    writer.add_head_count(preset.heads)
    writer.add_feed_forward_length(4 * width)
    writer.add_layer_norm_eps(1e-5)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list([f"t{row}" for row in range(preset.rows)])
    writer.add_token_types([gguf.TokenType.NORMAL] * preset.rows)
    writer.add_token_merges(["t 0"])
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(0)

    def matrix(name, rows, columns, kind):
        values = generator.normal(0, 0.02, (rows, columns)).astype(np.float32)
        writer.add_tensor(name, gguf.quants.quantize(values, kind), raw_dtype=kind)

    def vector(name, values):
        writer.add_tensor(name, values.astype(np.float32))

    def norm(name):
        vector(f"{name}.weight", np.ones(width))
        vector(f"{name}.bias", np.zeros(width))

    kind = TYPES[type_]
    matrix("token_embd.weight", preset.rows, width, kind)
    matrix("position_embd.weight", preset.context, width, TYPES["f32"])
    for layer in range(preset.layers):
        block = f"blk.{layer}"
        norm(f"{block}.attn_norm")
        norm(f"{block}.ffn_norm")
        for name, rows, columns in (
            ("attn_qkv", 3 * width, width),
            ("attn_output", width, width),
            ("ffn_up", 4 * width, width),
            ("ffn_down", width, 4 * width),
        ):
            matrix(f"{block}.{name}.weight", rows, columns, kind)
            vector(f"{block}.{name}.bias", np.zeros(rows))
    norm("output_norm")
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
