"""How the peers' programs print what they measured."""

import json


def print_result(result, as_json):
    """A line each, for people, or one JSON object on the last line."""
    if as_json:
        print(json.dumps(result))
        return
    width = max(map(len, result))
    for key, value in result.items():
        print(f"{key:{width}} {value:.4g}" if isinstance(value, float) else f"{key:{width}} {value}")
