"""What the peers' programs measure besides time, and how they print it."""

import json
import resource


def peak_rss_mib():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def print_result(result, as_json):
    """A line each, for people, or one JSON object on the last line."""
    if as_json:
        print(json.dumps(result))
        return
    width = max(map(len, result))
    for key, value in result.items():
        print(f"{key:{width}} {value:.4g}" if isinstance(value, float) else f"{key:{width}} {value}")
