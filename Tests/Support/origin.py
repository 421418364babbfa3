#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An origin of photos on loopback, for tests and the sample run; it can misbehave on purpose.

    origin.py [--port 0] [--bind 127.0.0.1] [--folder DIR] [--log FILE]
              [--certificate PEM --key PEM [--ciphers LIST --groups PEM]]

Prints `port N`, then serves DIR over HTTP/1.1 until its standard input closes, so it never outlives
its parent. Every request is one line in the log: METHOD PATH STATUS BYTES-OF-BODY, written before the
last byte leaves, or when the client has gone. The headers Range, If-Range, If-None-Match and
If-Modified-Since follow in the line as `range=bytes=5-`, `if-range="v1"`, `if-none-match=…` and
`if-modified-since=…`, credentials and cookies as `secret=…`. The line of a POST ends with its type and its body.
A line on standard input is a command; the answer is `done NUMBER`:

    NUMBER release GATE         opens the gate for all requests that wait with ?gate=GATE, now and later
    NUMBER wait GATE COUNT      answers once COUNT requests have come to the gate
    NUMBER peak HOST            logs `peak N`: the most requests that were served at one time
    NUMBER gone GATE COUNT      answers once COUNT clients have left while they waited at the gate

A file of the folder waits for its gate: /photo.jpg?gate=G, and takes N milliseconds with ?pause=N. With ?tag=T
it has that ETag and obeys Range, If-Range and If-None-Match; ?cut=N&key=K sends at most N bytes to the first
request of a key, which then waits at the gate; with &rest=G its later requests wait at that gate before they
get a byte. With ?unsure=K there is no Content-Length, and the first request of a key gets half of the file;
with ?unsure=always every request does. ?chunked=N sends chunks of N bytes, ?gzip=1 a coded body. Paths that
misbehave, also below /hook:

    /STATUS...              that status, for 204, 206, 304, 4xx and 5xx;
                            429 and 503 with Retry-After (?after=SECONDS)
    /500-then-ok?key=K      500 for the first request of a key, then a small body
    /busy?key=K&until=N&after=SECONDS&file=F
                            503 with Retry-After for the first N requests of a key, then the file
    /slow?gate=G&size=N     half of N bytes, the rest when the gate is open
    /hang?gate=G            no answer at all until the gate is open
    /short /long            Content-Length too long, too short
    /endless /endless-chunked /chunk-cut /no-length?size=N
    /redirect?to=URL&status=302   /loop   /redirect-nowhere   /redirect-huge?size=N
    /answer?status=N        that status, with the body "a picture of a barn"
    /coded?with=CODING&as=TEXT&then=HOW     this body coded with gzip, deflate, br, zstd or not at all,
                            and any text as its Content-Encoding; HOW: cut, damaged, trailed
    /framing?how=HOW        an answer that is not HTTP, see `do_framing`
    /gzip-bomb?with=CODING|name /encoded?as=NAME /html /empty /bytes?size=N /reset /closed
    /closed-once?key=K      no answer to the first request of a key, then a small body
    /entity?size=N&tag=T&date=D&then=HOW   bytes that differ from place to place, with validators; the
                            first request of a key (?key=K) is cut off after half or ?cut=N; HOW
                            decides the answer to later ones: `part` (the default) obeys Range, for
                            the others see `entity_answers`; ?coding=C is the Content-Encoding
    /cached?tag=T&date=D&size=N            obeys If-None-Match, If-Modified-Since and Range; ?control=A|B sends
                            these lines of Cache-Control
    /drip?gate=G            a byte a second until the gate is open
    /cookie?to=URL          sets a cookie and redirects
    /header-flood /header-long /continue-flood
    /fields?name=NAME&fill=HEX&size=N&lines=N   a header of that many lines, each filled with these bytes
"""
import argparse
import gzip
import http.server
import mimetypes
import os
import re
import select
import socket
import ssl
import struct
import sys
import threading
import time
import urllib.parse
import zlib


BARN = b"a picture of a barn"


def raw_deflate(data):
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


# Python has no coder for br and zstd: each of these stores the text as it is.
CODED = {
    "none": BARN,
    "gzip": gzip.compress(BARN),
    "deflate": zlib.compress(BARN),
    "raw-deflate": raw_deflate(BARN),
    "br": b"\x0b\t\x80" + BARN + b"\x03",
    "zstd": b"(\xb5/\xfd \x13\x99\0\0" + BARN,
    "gzip-gzip": gzip.compress(gzip.compress(BARN)),
}


class Gate:
    def __init__(self):
        self.open = False
        self.come = 0
        self.gone = 0


gates = {}
keys = set()
busy = {}
served = {"now": 0, "peak": 0}
changed = threading.Condition()
log_lock = threading.Lock()


def gate(name):
    return gates.setdefault(name, Gate())


def client_left(connection):
    poll = select.poll()
    poll.register(connection, select.POLLIN)
    if not poll.poll(0):
        return False
    try:
        return connection.recv(1, socket.MSG_PEEK) == b""
    except (OSError, ValueError):
        return True


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1024

    def handle_error(self, request, client_address):
        pass  # Many tests have a client that leaves.


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "origin"
    wbufsize = 65536  # Header and body leave in one piece; flushed after each request.
    disable_nagle_algorithm = True

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        self.status, self.sent, self.last, self.noted = 0, 0, b"", False
        with changed:
            served["now"] += 1
            served["peak"] = max(served["peak"], served["now"])
        try:
            self.route()
            # The last byte leaves after the line is in the log: a client with the whole body finds it there.
            self.note()
            self.wfile.write(self.last)
            self.wfile.flush()
        except (OSError, ValueError):
            self.close_connection = True
        finally:
            self.note()

    do_HEAD = do_GET

    def do_POST(self):
        """As GET; the line of the log ends with the type and the body."""
        size = int(self.headers.get("Content-Length", 0))
        self.posted = "%s %s" % (
            self.headers["Content-Type"], self.rfile.read(size).decode("utf-8", "backslashreplace"))
        self.do_GET()


    def note(self):
        if self.noted:
            return
        self.noted = True
        with changed:
            served["now"] -= 1
        if not log:
            return
        with log_lock:
            more = "".join(
                " %s=%s" % (name.lower(), self.headers[name])
                for name in ("Range", "If-Range", "If-None-Match", "If-Modified-Since")
                if name in self.headers)
            more += "".join(
                " secret=%s" % self.headers[name]
                for name in ("Authorization", "Cookie", "Proxy-Authorization")
                if name in self.headers)
            # The life of a daemon, which a campaign tells by Contact=.
            if life := re.search(r"\(\+life-(\d+)\)", self.headers["User-Agent"] or ""):
                more += " life=" + life[1]
            # Every request of the product asks for no coding.
            if self.headers["Accept-Encoding"] != "identity":
                more += " accept-encoding=%s" % self.headers["Accept-Encoding"]
            if "Expect" in self.headers:
                more += " expect=%s" % self.headers["Expect"]
            if self.command == "POST":
                more += " " + self.posted
            elif "Content-Type" in self.headers:
                more += " " + self.headers["Content-Type"]
            log.write("%s %s %d %d%s\n" % (self.command, self.path, self.status, self.sent, more))
            log.flush()

    def route(self):
        url = urllib.parse.urlsplit(self.path)
        self.query = dict(urllib.parse.parse_qsl(url.query, keep_blank_values=True))
        name = url.path.strip("/").removeprefix("hook/")
        act = getattr(self, "do_" + re.sub(r"\W", "_", name), None)
        if act:
            act()
        elif re.fullmatch(r"(204|206|304|[45]\d\d)(/.*)?", name):
            self.do_status(int(name[:3]))
        else:
            self.do_file(url.path)

    # -- Answers

    def head(self, status, *fields, length=None):
        self.status = status
        self.send_response(status)
        for name, value in fields:
            self.send_header(name, value)
        if length is not None:
            self.send_header("Content-Length", str(length))
        self.end_headers()

    def body(self, data):
        if self.command == "HEAD":
            return
        self.wfile.write(self.last + data[:-1])
        self.last = data[-1:]
        self.sent += len(data)

    def whole(self, data, status=200, kind="application/octet-stream", *fields):
        self.head(status, ("Content-Type", kind), *fields, length=len(data))
        self.body(data)

    def until_closed(self, *fields):
        self.close_connection = True
        self.head(200, ("Content-Type", "image/jpeg"), ("Connection", "close"), *fields)

    def pass_gate(self, field="gate"):
        """Returns False if the client left before the gate was opened."""
        self.wfile.flush()
        with changed:
            here = gate(self.query.get(field, ""))
            here.come += 1
            changed.notify_all()
            while not here.open:
                if client_left(self.connection):
                    here.gone += 1
                    changed.notify_all()
                    self.close_connection = True
                    return False
                changed.wait(0.02)
        return True

    # -- Paths

    def do_file(self, path):
        parts = [urllib.parse.unquote(part) for part in path.split("/") if part]
        if not options.folder or any(part == ".." or "/" in part or "\0" in part for part in parts):
            return self.do_status(404)
        full = os.path.join(options.folder, *parts)
        try:
            with open(full, "rb") as file:
                data = file.read()
        except OSError:
            return self.do_status(404)
        time.sleep(int(self.query.get("pause", "0")) / 1000)
        if "unsure" in self.query:
            return self.file_unsure(data)
        if "tag" in self.query:
            return self.file_tagged(data)
        coding = ("Content-Encoding", "gzip") if "gzip" in self.query else None
        if coding:
            data = gzip.compress(data)
        if "chunked" in self.query:
            return self.file_chunked(data, int(self.query["chunked"]), coding)
        if coding:
            return self.whole(data, 200, "image/jpeg", coding)
        if "gate" in self.query and not self.pass_gate():
            return
        self.whole(data, 200, mimetypes.guess_type(full)[0] or "application/octet-stream")

    def is_first(self, key):
        with log_lock:
            is_first = key not in keys
            keys.add(key)
        return is_first

    def file_unsure(self, data):
        key = self.query["unsure"]
        is_half = self.is_first("unsure " + key) or key == "always"
        self.until_closed()
        self.body(data[:len(data) // 2] if is_half else data)

    def file_chunked(self, data, size, *headers):
        self.head(200, ("Transfer-Encoding", "chunked"), *filter(None, headers))
        for start in range(0, len(data), size):
            chunk = data[start:start + size]
            self.body(b"%x\r\n" % len(chunk) + chunk + b"\r\n")
        self.body(b"0\r\n\r\n")

    def file_tagged(self, data):
        tag = self.query["tag"]
        if "cut" in self.query and self.is_first("cut " + self.query.get("key", "")):
            self.head(200, *self.validators(tag, ""), length=len(data))
            # One byte more, which `body` holds back.
            self.body(data[:int(self.query["cut"]) + 1])
            self.wfile.flush()
            self.pass_gate()
            self.close_connection = True
            return
        if "rest" in self.query and not self.pass_gate("rest"):
            return
        if self.headers.get("If-None-Match") == tag:
            self.head(304, *self.validators(tag, ""))
        else:
            self.entity_answers("part", data, tag, "")

    def do_status(self, status):
        fields = []
        if status in (429, 503):
            fields.append(("Retry-After", self.query.get("after", "7")))
        if status == 401:
            fields.append(("WWW-Authenticate", 'Basic realm="photos"'))
        if status in (204, 304):
            return self.head(status, *fields)
        self.whole(b"status %d\n" % status, status, "text/plain", *fields)

    def do_500_then_ok(self):
        with log_lock:
            is_first = self.query.get("key", "") not in keys
            keys.add(self.query.get("key", ""))
        self.whole(b"sorry", 500) if is_first else self.whole(b"a photo")

    def do_busy(self):
        key = "busy " + self.query.get("key", "")
        with log_lock:
            busy[key] = busy.get(key, 0) + 1
            is_busy = busy[key] <= int(self.query.get("until", "1"))
        if is_busy:
            self.do_status(503)
        else:
            self.do_file("/" + self.query.get("file", "1.jpg"))

    def do_bytes(self):
        self.whole(b"x" * int(self.query.get("size", "1000")), 200, "image/jpeg")

    def do_slow(self):
        size = int(self.query.get("size", "1000"))
        self.head(200, ("Content-Type", "image/jpeg"), length=size)
        self.body(b"x" * (size // 2))
        if self.pass_gate():
            self.body(b"x" * (size - size // 2))

    def do_hang(self):
        if self.pass_gate():
            self.whole(b"late")

    def do_short(self):
        self.close_connection = True
        self.head(200, ("Content-Type", "image/jpeg"), length=1000)
        self.body(b"x" * 300)

    def do_long(self):
        self.close_connection = True
        self.head(200, ("Content-Type", "image/jpeg"), length=3)
        self.body(b"abcdefghij")

    def do_no_length(self):
        self.until_closed()
        self.body(b"x" * int(self.query.get("size", "1000")))

    def do_endless(self):
        self.until_closed()
        while True:
            self.body(b"x" * 65536)

    def do_endless_chunked(self):
        self.close_connection = True
        self.head(200, ("Transfer-Encoding", "chunked"))
        while True:
            self.body(b"10000\r\n" + b"x" * 65536 + b"\r\n")

    def do_chunk_cut(self):
        self.close_connection = True
        self.head(200, ("Transfer-Encoding", "chunked"))
        self.body(b"5\r\nhello\r\n")

    def do_redirect(self):
        status = int(self.query.get("status", "302"))
        self.head(status, ("Location", self.query.get("to", "/empty")), length=0)

    def do_redirect_nowhere(self):
        self.head(302, length=0)

    def do_redirect_huge(self):
        self.head(302, ("Location", "/" + "a" * int(self.query.get("size", "20000"))), length=0)

    def do_loop(self):
        self.head(302, ("Location", "/loop"), length=0)

    def do_answer(self):
        self.whole(BARN, int(self.query["status"]), "image/jpeg")

    def do_coded(self):
        """Coded bytes with validators, which are those of the coded bytes."""
        coding, how = self.query.get("with", "none"), self.query.get("then", "")
        data = CODED[coding]
        length = len(data)
        if how == "cut":
            data = data[:-9]
        elif how == "ended":
            data, length = data[:-9], length - 9
        elif how == "damaged":
            data = data[:-3] + b"xyz"
        elif how == "trailed":
            data, length = data + b"more", length + 4
        self.close_connection = how != ""
        name = self.query.get("as", coding)
        fields = [("Content-Encoding", part) for part in name.split("|")]
        self.head(200, *fields, *self.validators('"v1"', ""), length=length)
        self.body(data)

    def do_framing(self):
        self.close_connection = True
        head = b"HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\n"
        chunked = head + b"Transfer-Encoding: chunked\r\n\r\n"
        self.wfile.write({
            "chunk-words": chunked + b"nine\r\nhello\r\n0\r\n\r\n",
            "chunk-huge": chunked + b"fffffffffffffffffff\r\nhello\r\n0\r\n\r\n",
            "chunk-after": chunked + b"5\r\nhello and more\r\n0\r\n\r\n",
            "length-words": head + b"Content-Length: five\r\n\r\nhello",
            "length-minus": head + b"Content-Length: -5\r\n\r\nhello",
            "no-colon": b"HTTP/1.1 200 OK\r\nnonsense\r\n\r\nhello",
            "nul": b"HTTP/1.1 200 OK\r\nA: b\0c\r\n\r\nhello",
            "version": b"HTTP/7.1 200 OK\r\n\r\nhello",
            "coding": head + b"Transfer-Encoding: gzip\r\n\r\n" + CODED["gzip"],
            "codings": head + b"Transfer-Encoding: gzip, gzip, gzip, gzip, gzip, gzip, gzip\r\n\r\nhello",
            "words": b"-ERR unknown command\r\n" * 10,
        }[self.query["how"]])

    def do_gzip_bomb(self):
        coding = self.query.get("with", "gzip")
        if coding == "name":
            # The name of the packed file, without an end.
            coding, data = "gzip", b"\x1f\x8b\x08\x08" + bytes(6) + b"x" * 50000000
        else:
            data = {"gzip": gzip, "deflate": zlib}[coding].compress(b"\0" * 50000000)
        self.head(200, ("Content-Encoding", coding), ("Content-Type", "image/jpeg"), length=len(data))
        self.body(data)

    def do_encoded(self):
        self.head(200, ("Content-Encoding", self.query.get("as", "br")), length=9)
        self.body(b"a picture")

    # -- Entities with validators

    def pattern(self, size, seed=0):
        return bytes(((i * 2654435761 + seed) >> 7) & 0xFF for i in range(size))

    def validators(self, tag, date):
        fields = [("Content-Type", "image/jpeg")]
        if "coding" in self.query:
            fields.append(("Content-Encoding", self.query["coding"]))
        if tag:
            fields.append(("ETag", tag))
        if date:
            fields.append(("Last-Modified", date))
        return fields

    def do_entity(self):
        size = int(self.query.get("size", "1000"))
        tag, date = self.query.get("tag", '"v1"'), self.query.get("date", "")
        key = "entity " + self.query.get("key", "")
        with log_lock:
            is_first = key not in keys
            keys.add(key)
        data = self.pattern(size)
        if is_first:
            cut = int(self.query.get("cut", str(size // 2)))
            self.close_connection = True
            if self.query.get("length") == "none":
                self.head(200, ("Transfer-Encoding", "chunked"), *self.validators(tag, date))
                self.body(b"%x\r\n" % cut + data[:cut] + b"\r\n")
            else:
                self.head(200, *self.validators(tag, date), length=size)
                self.body(data[:cut])
            return
        self.entity_answers(self.query.get("then", "part"), data, tag, date)

    def entity_answers(self, how, data, tag, date):
        size = len(data)
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        start = int(asked.group(1)) if asked else None
        condition = self.headers.get("If-Range")
        holds = condition is None or condition == tag or (date and condition == date)

        def part(first, last, total, fields=None, body=None, length=None):
            body = data[first:last + 1] if body is None else body
            fields = self.validators(tag, date) if fields is None else fields
            self.head(206, ("Content-Range", "bytes %d-%d/%s" % (first, last, total)), *fields,
                      length=len(body) if length is None else length)
            self.body(body)

        def whole(bytes, *validators):
            self.head(200, *self.validators(*validators), length=len(bytes))
            self.body(bytes)

        if asked is None or how == "ignored":
            whole(data, tag, date)
        elif how == "changed":  # a newer entity: If-Range does not hold
            whole(self.pattern(size + 7, seed=99991), '"v2"', "")
        elif how == "part":
            part(start, size - 1, size) if holds else whole(data, tag, date)
        elif how == "untagged":  # no validator in the part
            part(start, size - 1, size, [("Content-Type", "image/jpeg")])
        elif how == "other-tag":
            part(start, size - 1, size, self.validators('"v2"', date),
                 self.pattern(size, seed=99991)[start:])
        elif how == "other-start":
            part(start + 1, size - 1, size)
        elif how == "from-zero":
            part(0, size - 1, size)
        elif how == "shrunk":
            part(start, size - 2, size - 1)
        elif how == "grown":
            part(start, size, size + 1, body=data[start:] + b"!")
        elif how == "no-total":
            part(start, size - 1, "*")
        elif how == "no-range":
            self.head(206, *self.validators(tag, date), length=size - start)
            self.body(data[start:])
        elif how == "bad-range":
            self.head(206, ("Content-Range", "bytes five-nine/ten"), *self.validators(tag, date),
                      length=size - start)
            self.body(data[start:])
        elif how == "wrong-length":
            part(start, size - 1, size, body=data[start:size - 3])
        elif how == "multipart":
            mark = b"\r\n--m\r\nContent-Type: image/jpeg\r\n\r\n"
            part(start, size - 1, size, [("Content-Type", "multipart/byteranges; boundary=m"),
                                         ("ETag", tag)], mark + data[start:] + b"\r\n--m--\r\n")
        elif how == "packed":
            part(start, size - 1, size, self.validators(tag, date) + [("Content-Encoding", "gzip")],
                 gzip.compress(data)[start:])
        elif how == "garbled":
            part(start, size - 1, size, self.validators(tag, date) + [("Content-Encoding", "gzip")])
        elif how == "in-pieces":  # less than was requested, which is allowed
            part(start, min(size - 1, start + 99), size)
        elif how == "cut":
            self.close_connection = True
            part(start, size - 1, size, body=data[start:start + 10], length=size - start)
        elif how == "too-big":
            part(start, 10 ** 9 - 1, 10 ** 9, body=data[start:], length=10 ** 9 - start)
        elif how == "416":
            self.head(416, ("Content-Range", "bytes */%d" % start), length=0)
        elif how == "416-other":
            self.head(416, ("Content-Range", "bytes */%d" % (start - 1)), length=0)
        elif how == "416-bare":
            self.whole(b"no such range", 416, "text/plain")
        elif how == "416-always":
            self.head(416, length=0)
        elif how == "304":
            self.head(304)
        else:
            self.do_status(int(how))

    def do_cached(self):
        tag, date = self.query.get("tag", ""), self.query.get("date", "")
        known = self.headers.get("If-None-Match"), self.headers.get("If-Modified-Since")
        is_known = known[0] == tag if tag and known[0] else bool(date) and known[1] == date
        if is_known:
            self.head(304, *self.validators(tag, date))
        else:
            data = self.pattern(int(self.query.get("size", "1000")))
            if "Range" in self.headers:
                return self.entity_answers("part", data, tag, date)
            lines = [line for line in self.query.get("control", "").split("|") if line]
            self.head(200, *self.validators(tag, date),
                      *(("Cache-Control", line) for line in lines), length=len(data))
            self.body(data)

    def do_drip(self):
        self.head(200, ("Content-Type", "image/jpeg"), length=1000)
        with changed:
            here = gate(self.query.get("gate", ""))
            here.come += 1
            changed.notify_all()
        for _ in range(1000):
            self.wfile.write(b"x")
            self.wfile.flush()
            self.sent += 1
            with changed:
                if changed.wait_for(lambda: here.open, timeout=1):
                    break
        self.close_connection = True

    def do_cookie(self):
        self.head(302, ("Set-Cookie", "session=secret; Path=/"),
                  ("Location", self.query.get("to", "/empty")), length=0)

    def do_html(self):
        self.whole(b"\n<!DOCTYPE html><html><title>Log in</title></html>", 200, "text/html")

    def do_empty(self):
        self.whole(b"", 200, "image/jpeg")

    def do_reset(self):
        self.head(200, ("Content-Type", "image/jpeg"), length=1000)
        self.body(b"x" * 300)
        self.wfile.flush()
        self.close_connection = True
        linger = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.connection.close()

    def do_closed(self):
        self.close_connection = True

    def do_closed_once(self):
        if self.is_first("closed " + self.query.get("key", "")):
            self.close_connection = True
        else:
            self.whole(b"a picture of a barn")

    def do_fields(self):
        self.close_connection = True
        fill = bytes.fromhex(self.query["fill"])
        value = (fill * (int(self.query["size"]) // len(fill) + 1))[:int(self.query["size"])]
        line = self.query["name"].encode() + b": " + value + b"\r\n"
        self.wfile.write(b"HTTP/1.1 200 OK\r\n" + line * int(self.query["lines"]) + b"\r\n")

    def do_header_flood(self):
        self.close_connection = True
        self.wfile.write(b"HTTP/1.1 200 OK\r\n")
        for number in range(20000):
            self.wfile.write(b"X-%d: %s\r\n" % (number, b"y" * 500))
        self.wfile.write(b"\r\n")

    def do_header_long(self):
        self.close_connection = True
        self.wfile.write(b"HTTP/1.1 200 OK\r\nX: " + b"y" * 5000000 + b"\r\n\r\n")

    def do_continue_flood(self):
        self.close_connection = True
        self.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n" * 100000)
        self.whole(b"at last")


def answer(number, holds):
    with changed:
        changed.wait_for(holds)
    sys.stdout.write("done %s\n" % number)
    sys.stdout.flush()


def obey(line):
    words = line.split()
    if len(words) < 3:
        return
    number, verb, name = words[:3]
    count = int(words[3]) if len(words) > 3 else 1
    if verb == "release":
        with changed:
            gate(name).open = True
            changed.notify_all()
        answer(number, lambda: True)
    elif verb == "peak":
        with log_lock:
            log.write("peak %d\n" % served["peak"])
            log.flush()
        answer(number, lambda: True)
    else:
        counted = (lambda: gate(name).come) if verb == "wait" else (lambda: gate(name).gone)
        holds = lambda: counted() >= count
        threading.Thread(target=answer, args=(number, holds), daemon=True).start()


def main():
    server = Server((options.bind, options.port), Handler)
    if options.certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(options.certificate, options.key)
        if options.ciphers:
            # TLS 1.3 has none of them.
            context.maximum_version = ssl.TLSVersion.TLSv1_2
            context.set_ciphers(options.ciphers)
            context.load_dh_params(options.groups)
        # The handshake belongs to the request's thread, not to the one that accepts.
        server.socket = context.wrap_socket(
            server.socket, server_side=True, do_handshake_on_connect=False)
    print("port %d" % server.server_address[1], flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for line in sys.stdin:
        obey(line)
    os._exit(0)


parser = argparse.ArgumentParser()
parser.add_argument("--port", type=int, default=0)
parser.add_argument("--bind", default="127.0.0.1")
parser.add_argument("--folder")
parser.add_argument("--log")
parser.add_argument("--certificate")
parser.add_argument("--ciphers")
parser.add_argument("--groups")
parser.add_argument("--key")
options = parser.parse_args()
log = open(options.log, "a") if options.log else None
main()
