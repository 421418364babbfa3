#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""nghttpd on loopback, as an origin that speaks HTTP/2.

    multiplex.py FOLDER KEY CERTIFICATE LOG

Prints `port N` once it answers, or ends where there is no nghttpd; serves until its standard input
closes, so that nothing outlives whoever started it.
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
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            is_there = True
        except OSError:
            is_there = False
        # The port may be another's by now: then ours could not have it, and has ended.
        if server.poll() is not None:
            sys.exit(1)
        if is_there:
            break
        time.sleep(0.01)
    print("port %d" % port, flush=True)
    sys.stdin.read()
finally:
    server.kill()
    server.wait()
