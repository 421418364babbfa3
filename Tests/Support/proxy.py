#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A proxy on loopback for tests: HTTP with CONNECT, and SOCKS 5 on the same port. Every name leads to 127.0.0.1.

    proxy.py [--port 0] [--log FILE] [--login USER:PASSWORD] [--certificate PEM --key PEM]

Prints `port N`, then serves until its standard input closes. Each request is one line in the log: `CONNECT
HOST:PORT`, `GET URL` or `SOCKS HOST:PORT`, and `login=USER:PASSWORD` if it has one. A line on standard input is a
mode, answered with `done`:

    work        passes requests on
    N           answers every request with that status; SOCKS with the reply N
    N NAME: VALUE   the same, with this header
    close       closes each connection after its request
    hang        answers nothing
"""
import argparse
import base64
import select
import socket
import ssl
import sys
import threading

mode = "work"


def relay(one, other):
    pair = {one: other, other: one}
    while True:
        waiting = [end for end in pair if isinstance(end, ssl.SSLSocket) and end.pending()]
        for end in waiting or select.select(list(pair), [], [])[0]:
            data = end.recv(65536)
            if not data:
                return
            pair[end].sendall(data)


def read(client, count):
    data = b""
    while len(data) < count:
        more = client.recv(count - len(data))
        if not more:
            raise OSError("closed")
        data += more
    return data


def note(line):
    if options.log:
        with open(options.log, "a") as log:
            log.write(line + "\n")


def socks(client):
    method = 2 if options.login else 0
    read(client, read(client, 1)[0])
    client.sendall(bytes([5, method]))
    login = ""
    if method == 2:
        read(client, 1)
        user = read(client, read(client, 1)[0]).decode()
        password = read(client, read(client, 1)[0]).decode()
        login = f" login={user}:{password}"
        isright = f"{user}:{password}" == options.login
        client.sendall(bytes([1, 0 if isright else 1]))
        if not isright:
            return
    kind = read(client, 4)[3]
    if kind == 1:
        host = socket.inet_ntop(socket.AF_INET, read(client, 4))
    elif kind == 4:
        host = socket.inet_ntop(socket.AF_INET6, read(client, 16))
    else:
        host = read(client, read(client, 1)[0]).decode()
    port = int.from_bytes(read(client, 2), "big")
    note(f"SOCKS {host}:{port}{login}")
    if not obeys(client, None):
        return
    reply = int(mode) if mode.isdigit() else 0
    client.sendall(bytes([5, reply, 0, 1, 0, 0, 0, 0, 0, 0]))
    if reply == 0:
        with socket.create_connection(("127.0.0.1", port)) as server:
            relay(client, server)


def obeys(client, head):
    if mode == "hang":
        client.recv(1)
        return False
    if mode == "close":
        return False
    status, _, header = mode.partition(" ")
    line = f"{header}\r\n" if header else ""
    if head is not None and status.isdigit():
        client.sendall(f"HTTP/1.1 {status} No\r\nContent-Length: 0\r\n{line}\r\n".encode())
        return False
    return True


def http(client, first):
    data = first
    while b"\r\n\r\n" not in data:
        more = client.recv(65536)
        if not more:
            return
        data += more
    head, _, rest = data.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    method, target, _ = lines[0].split(" ")
    fields = [line for line in lines[1:] if not line.lower().startswith("proxy-")]
    login = ""
    for line in lines[1:]:
        if line.lower().startswith("proxy-authorization: basic "):
            login = base64.b64decode(line.split(" ")[2]).decode()
    note(f"{method} {target}" + (f" login={login}" if login else ""))
    if not obeys(client, head):
        return
    if options.login and login != options.login:
        client.sendall(b"HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=x\r\nContent-Length: 0\r\n\r\n")
        return
    if method == "CONNECT":
        with socket.create_connection(("127.0.0.1", int(target.rsplit(":", 1)[1]))) as server:
            client.sendall(b"HTTP/1.1 200 Connected\r\n\r\n")
            relay(client, server)
        return
    place, _, path = target.removeprefix("http://").partition("/")
    port = int(place.rsplit(":", 1)[1]) if ":" in place else 80
    with socket.create_connection(("127.0.0.1", port)) as server:
        fields = [line for line in fields if not line.lower().startswith("connection:")]
        request = [f"{method} /{path} HTTP/1.1"] + fields + ["Connection: close"]
        server.sendall("\r\n".join(request).encode("latin-1") + b"\r\n\r\n" + rest)
        relay(client, server)


def serve(client):
    try:
        with client:
            if options.certificate:
                client = context.wrap_socket(client, server_side=True)
            with client:
                first = read(client, 1)
                socks(client) if first == b"\x05" else http(client, first)
    except OSError:
        pass


def accept(listener):
    while True:
        client, _ = listener.accept()
        threading.Thread(target=serve, args=(client,), daemon=True).start()


parser = argparse.ArgumentParser()
parser.add_argument("--port", type=int, default=0)
parser.add_argument("--log")
parser.add_argument("--login")
parser.add_argument("--certificate")
parser.add_argument("--key")
options = parser.parse_args()
if options.certificate:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(options.certificate, options.key)
listening = socket.create_server(("127.0.0.1", options.port), backlog=256)
print(f"port {listening.getsockname()[1]}", flush=True)
threading.Thread(target=accept, args=(listening,), daemon=True).start()
for line in sys.stdin:
    mode = line.strip()
    print("done", flush=True)
