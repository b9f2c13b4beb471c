"""Whether two folders of `kette train` hold the same: files, tensors to the bit, and logs but for what clocks say.

  scripts/same_run.py A B           exit code 1, and what differs, if they do not
  scripts/same_run.py --state A B   the tensors of training.safetensors alone
"""
import hashlib
import json
import os
import struct
import sys

OF_CLOCKS = ("seconds", "target_tokens_per_second", "processes", "waited", "slowest")


def tensors(file):
    data = open(file, "rb").read()
    start = 8 + struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:start])
    header.pop("__metadata__", None)
    return {name: hashlib.sha256(data[start + e["data_offsets"][0]:start + e["data_offsets"][1]]).hexdigest()
            for name, e in header.items()}


def log(folder):
    lines = [json.loads(line) for line in open(os.path.join(folder, "log.jsonl"))]
    return [{key: value for key, value in line.items() if key not in OF_CLOCKS} for line in lines]


def files(folder):
    return sorted(os.path.relpath(os.path.join(at, name), folder) for at, _, names in os.walk(folder) for name in names)


def differences(a, b, state_alone):
    compared = ["training.safetensors"] if state_alone else files(a)
    if not state_alone:
        if compared != files(b):
            yield "files: " + " ".join(sorted(set(compared) ^ set(files(b))))
        if log(a) != log(b):
            yield "log.jsonl"
    for name in compared:
        paths = [os.path.join(folder, name) for folder in (a, b)]
        if name.endswith(".safetensors") and all(map(os.path.exists, paths)) and tensors(paths[0]) != tensors(paths[1]):
            yield name


arguments = [word for word in sys.argv[1:] if word != "--state"]
if len(arguments) != 2:
    sys.exit(__doc__)
found = list(differences(*arguments, "--state" in sys.argv))
if found:
    print("differ: " + ", ".join(found))
sys.exit(bool(found))
