#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Serves pictures inside the container's network, and logs the requests.

origin.py FOLDER ADDRESS PORT

/LIST/N.png is a small picture with the colours of N, /LIST/N.jpg one of the photographs of etc/sample,
/missing/... does not exist. PORT + 1 speaks TLS, with FOLDER/tls.pem. FOLDER/log gets a
line for each request as it arrives; FOLDER/gate holds a number: the pictures from that one on wait
until it is raised, so that a test can stop a list in its middle without looking at a clock.
FOLDER/pid appears once it serves.
"""
import http.server
import os
import pathlib
import re
import ssl
import struct
import sys
import threading
import time
import zlib

folder, address, port = sys.argv[1], sys.argv[2], int(sys.argv[3])
photographs = [path.read_bytes() for path in sorted(
    pathlib.Path(__file__).parents[3].glob("etc/sample/photos/*.jpg"))]
lock = threading.Lock()


def chunk(kind, data):
    body = kind + data
    return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))


def picture(seed):
    width, height = 64, 48
    rows = b"".join(
        b"\0" + bytes((x * 3 + seed * step) & 255 for x in range(width) for step in (7, 11, y + 1))
        for y in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows))
            + chunk(b"IEND", b""))


def gate():
    try:
        with open(os.path.join(folder, "gate")) as file:
            return int(file.read() or 0)
    except FileNotFoundError:
        return 1 << 30


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        with lock, open(os.path.join(folder, "log"), "a") as file:
            file.write(self.path + "\n")
        match = re.fullmatch(r"/[a-z]+/(\d+)\.(png|jpg)", self.path)
        if not match or self.path.startswith("/missing/"):
            self.answer(404, b"not here\n", "text/plain")
            return
        number = int(match.group(1))
        while number >= gate():
            time.sleep(0.02)
        if match.group(2) == "png":
            self.answer(200, picture(number), "image/png")
        else:
            self.answer(200, photographs[number % len(photographs)], "image/jpeg")

    def answer(self, status, body, kind):
        try:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except OSError:
            self.close_connection = True  # the client has gone, which the test intends

    def log_message(self, *arguments):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


def serve_safely():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.path.join(folder, "tls.pem"))
    server = Server((address, port + 1), Handler)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    server.serve_forever()


threading.Thread(target=serve_safely, daemon=True).start()
with Server((address, port), Handler) as server:
    with open(os.path.join(folder, "new"), "w") as file:
        file.write(f"{os.getpid()}\n")
    os.rename(os.path.join(folder, "new"), os.path.join(folder, "pid"))
    server.serve_forever()
