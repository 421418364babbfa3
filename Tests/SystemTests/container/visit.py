#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A browser without a screen: exchanges the address of `darkroomctl open` for that of a page, and gets files of
the list. `visit.py ADDRESS [TARGET FILE]...`; with `--again` instead of an address it uses the view of the last visit."""
import http.client
import json
import os
import re
import sys
import urllib.parse

STORE = os.path.join(os.path.dirname(sys.argv[3]), "view") if len(sys.argv) > 3 else None


def get(host, path):
    connection = http.client.HTTPConnection(host, timeout=60)
    connection.request("GET", path)
    reply = connection.getresponse()
    body = reply.read()
    if reply.status != 200:
        sys.exit(f"{path}: {reply.status} {body.decode(errors='replace')}")
    return body


def redeem(address):
    parts = urllib.parse.urlsplit(address)
    body = get(parts.netloc, parts.path)
    return {"host": parts.netloc, "place": re.search(rb"url=(/v/\w+/lists/\d+/)", body).group(1).decode()}


if sys.argv[1] == "--again":
    view = json.load(open(STORE))
else:
    view = redeem(sys.argv[1])
    if STORE:
        json.dump(view, open(STORE, "w"))
for target, file in zip(sys.argv[2::2], sys.argv[3::2]):
    body = get(view["host"], view["place"] + target)
    with open(file, "wb") as out:
        out.write(body)
