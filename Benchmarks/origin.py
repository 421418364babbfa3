#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A lean origin on loopback: origin.py FOLDER [--log] [--pause MILLISECONDS]. Prints its port and serves the files of the folder from
memory, with keep-alive; a query makes another URL of the same file. With --log, it prints `NANOSECONDS PATH` for
each request; with --pause, it answers each after that time. It exits when its standard input closes. Both sides of a comparison use it, so its cost cancels
out."""
import asyncio
import os
import sys
import time

folder, log = sys.argv[1], "--log" in sys.argv
pause = int(sys.argv[sys.argv.index("--pause") + 1]) / 1000 if "--pause" in sys.argv else 0
kinds = {".jpg": "image/jpeg", ".png": "image/png"}
answers = {}


def answer(path):
    path = path.partition("?")[0]
    if path not in answers:
        try:
            with open(os.path.join(folder, os.path.basename(path)), "rb") as file:
                body = file.read()
            kind = kinds.get(os.path.splitext(path)[1], "application/octet-stream")
            head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
            answers[path] = head.encode() + body
        except OSError:
            answers[path] = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
    return answers[path]


class Talk(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport, self.kept = transport, b""

    def data_received(self, data):
        *requests, self.kept = (self.kept + data).split(b"\r\n\r\n")
        for request in requests:
            path = request.split(b" ", 2)[1].decode()
            if log:
                print(time.monotonic_ns(), path, flush=True)
            if pause:
                asyncio.get_running_loop().call_later(pause, self.transport.write, answer(path))
            else:
                self.transport.write(answer(path))


async def serve():
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Talk, "127.0.0.1", 0, backlog=1024)
    print("port", server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


asyncio.run(serve())
