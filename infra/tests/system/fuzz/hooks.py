"""Hooks of Schemathesis: ids that exist, and how bytes are sent."""

import json
import os
import zlib

import schemathesis

# by the first segment of a path: ids that the person of this run may use
KNOWN_IDS = json.loads(os.environ.get("FUZZ_IDS", "{}"))


@schemathesis.serializer("application/offset+octet-stream")
def octets(ctx, value):
    return {"data": value if isinstance(value, bytes) else str(value).encode()}


@schemathesis.hook
def map_path_parameters(ctx, path_parameters):
    """Every other id is one that exists; which one follows from what was generated, so that a seed repeats a run."""
    if not path_parameters or not isinstance(path_parameters.get("id"), str):
        return path_parameters
    kind = ctx.operation.path.replace("/api/operator/", "/api/").split("/")[2]
    ids = KNOWN_IDS.get(kind, [])
    chosen = zlib.crc32(path_parameters["id"].encode("utf-8", "surrogatepass"))
    if ids and chosen % 2 == 0:
        path_parameters["id"] = ids[chosen // 2 % len(ids)]
    return path_parameters
