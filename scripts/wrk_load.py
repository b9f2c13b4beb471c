"""Load by wrk: POST /translate with these bodies in turn, over so many connections."""
import json
import re
import resource
import subprocess
import sys
import tempfile
import time


def wrk(port, bodies, connections, seconds):
    """Requests/s, the 99th percentile in ms, and the share of a core that wrk itself takes."""
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write("local bodies = {" + ",\n".join(json.dumps(json.dumps(body)) for body in bodies) + "}\nlocal at = 0\n"
                     'wrk.headers["Content-Type"] = "application/json"\n'
                     "request = function() at = at % #bodies + 1\n"
                     'return wrk.format("POST", "/translate", nil, bodies[at]) end\n')
        script.flush()
        before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        out = subprocess.run(["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "--timeout", "60s", "-s",
                              script.name, f"http://127.0.0.1:{port}"], capture_output=True, text=True).stdout
        after, took = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic() - begin
    if "Non-2xx" in out or "Socket errors" in out:
        sys.exit(f"wrk: expected answers, given\n{out}")
    tail, unit = re.search(r"99% +([\d.]+)(\w+)", out).groups()
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return (float(re.search(r"Requests/sec: +([\d.]+)", out).group(1)),
            float(tail) * {"us": 1e-3, "ms": 1, "s": 1000}[unit], used / took)
