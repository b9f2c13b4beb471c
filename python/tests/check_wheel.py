"""What scripts/wheel.sh asks of an installed wheel: it computes without NumPy, by the best kernels and its own libraries."""

import pathlib
import re
import subprocess
import sys

import kette as kt

package = pathlib.Path(kt.__file__).parent
assert package.parent.name == "site-packages", package

w = kt.parameter([[1.0, 2.0]], "w", "f64")  # OpenBLAS multiplies f64
with kt.Tape() as tape:
    loss = (w @ w.T).sum()
tape.backward(loss)
assert w.grad[0][1].item() == 4
assert "numpy" not in sys.modules

maps = {pathlib.Path(line.split()[-1]) for line in open("/proc/self/maps") if ".so" in line}
kernels = {path for path in maps if "libkette-tensor" in path.name}
flags = re.search(r"^flags\s*:(.*)$", open("/proc/cpuinfo").read(), re.MULTILINE)[1].split()
level = "x86-64-v4" if "avx512vl" in flags and "avx512bw" in flags else "x86-64-v3" if "avx2" in flags else "lib"
assert [path.parent.name for path in kernels] == [level], kernels
assert all(package in path.parents for path in kernels), kernels

repaired = (package.parent / "kette_transformer.libs").is_dir()
own = [path for path in maps if re.search("openblas|gfortran|sentencepiece|utf8proc|zstd|lzma", path.name)]
assert not repaired or all(package.parent in path.parents for path in own), own
gomp = [path for path in maps if path.name.startswith("libgomp")]
assert len(gomp) == 1 and package.parent not in gomp[0].parents, gomp

times = [
    int(re.findall(r"import time:\s+\d+ \|\s+(\d+) \| kette\n", run.stderr)[0]) / 1000
    for run in [
        subprocess.run([sys.executable, "-I", "-X", "importtime", "-c", "import kette"], capture_output=True, text=True)
        for _ in range(5)
    ]
]
print(f"wheel: {'after' if repaired else 'before'} its repair: kernels {level}, {len(own)} other libraries, "
      f"imported in {sorted(times)[2]:.0f} ms (median of 5)")
assert sorted(times)[2] < 150, times
