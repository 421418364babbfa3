#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Answers in the place of PostgreSQL, and asks for the password in clear.

    false_postgres.py [CERTIFICATE KEY]

Prints `port N`, then serves on loopback until its standard input closes. With a certificate it begins TLS when it is
asked to, otherwise it refuses. Prints a line for each conversation: `got PASSWORD`, or `got nothing`.
"""
import os
import socket
import ssl
import struct
import sys
import threading

SSL_REQUEST, GSS_REQUEST, CLEARTEXT = 80877103, 80877104, 3


def read(client, count):
    data = b""
    while len(data) < count:
        part = client.recv(count - len(data))
        if not part:
            raise EOFError
        data += part
    return data


def password(client, context):
    while True:
        body = read(client, struct.unpack(">I", read(client, 4))[0] - 4)
        code = struct.unpack(">I", body[:4])[0]
        if code == SSL_REQUEST and context:
            client.sendall(b"S")
            client = context.wrap_socket(client, server_side=True)
        elif code in (SSL_REQUEST, GSS_REQUEST):
            client.sendall(b"N")
        else:
            break
    client.sendall(b"R" + struct.pack(">II", 8, CLEARTEXT))
    read(client, 1)
    return read(client, struct.unpack(">I", read(client, 4))[0] - 4)[:-1].decode()


def main():
    context = None
    if len(sys.argv) > 1:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1], sys.argv[2])
    server = socket.create_server(("127.0.0.1", 0))
    print("port", server.getsockname()[1], flush=True)
    threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
    while True:
        client, _ = server.accept()
        try:
            print("got", password(client, context), flush=True)
        except (EOFError, OSError):
            print("got nothing", flush=True)
        client.close()


if __name__ == "__main__":
    main()
