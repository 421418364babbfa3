#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""nghttpd on loopback, as an origin that speaks HTTP/2.

    multiplex.py FOLDER KEY CERTIFICATE LOG

Prints `port N` once it listens, or exits with 1 without nghttpd; serves until its standard input
closes, so that nghttpd never outlives the parent.
"""
import shutil
import socket
import subprocess
import sys
import time

folder, key, certificate, log = sys.argv[1:]
program = shutil.which("nghttpd", path="/usr/bin:/usr/sbin:/usr/local/bin:/usr/local/sbin")
if not program:
    sys.exit(1)
with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    port = probe.getsockname()[1]
server = subprocess.Popen(
    [program, "-v", "-a", "127.0.0.1", "-d", folder, str(port), key, certificate],
    stdin=subprocess.DEVNULL, stdout=open(log, "w"), stderr=subprocess.STDOUT)
try:
    # Waits for the word of nghttpd: another program may have taken the port, which a connection cannot tell.
    end = time.monotonic() + 180
    while ("listen 127.0.0.1:%d" % port) not in open(log).read():
        if server.poll() is not None or time.monotonic() > end:
            sys.exit(1)
        time.sleep(0.01)
    print("port %d" % port, flush=True)
    sys.stdin.read()
finally:
    server.kill()
    server.wait()
