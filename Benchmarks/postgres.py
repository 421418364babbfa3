# SPDX-License-Identifier: Apache-2.0
"""A real PostgreSQL in a fresh folder, for the benchmarks of the cluster. It listens on a Unix socket only, and runs
as the user `postgres` if root starts it, since the server refuses root."""
import glob
import os
import re
import subprocess
import time

USER = "postgres"


def programs():
    """The folder of the newest version's programs; None without PostgreSQL."""
    found = [path for path in glob.glob("/usr/lib/postgresql/*/bin") if os.access(f"{path}/initdb", os.X_OK)]
    return max(found, key=lambda path: int(re.search(r"\d+", path)[0]), default=None)


class Server:
    def __init__(self, folder, *settings):
        self.home, self.programs = os.path.join(folder, "postgres"), programs()
        os.makedirs(self.home)
        self.prefix = []
        if os.geteuid() == 0:
            os.chmod(folder, 0o755)
            subprocess.run(["chown", USER, self.home], check=True)
            self.prefix = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups"]
        data = os.path.join(self.home, "data")
        self.run("initdb", "-D", data, "-A", "trust", "-N", "-E", "UTF8", "--locale=C", "-U", USER)
        words = [word for setting in ("listen_addresses=", "max_connections=400", *settings) for word in ("-c", setting)]
        self.process = subprocess.Popen(
            [*self.prefix, f"{self.programs}/postgres", "-D", data, "-k", self.home, *words],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        ready = [f"{self.programs}/pg_isready", "-q", "-h", self.home]
        while subprocess.run(ready).returncode != 0:
            if self.process.poll() is not None:
                raise SystemExit("PostgreSQL did not start")
            time.sleep(0.05)

    def run(self, program, *words):
        command = [*self.prefix, f"{self.programs}/{program}", *words]
        return subprocess.run(command, capture_output=True, text=True, cwd="/", check=True).stdout

    def ask(self, database, query):
        """The words of the answer."""
        return self.run("psql", "-h", self.home, "-U", USER, "-d", database, "-At", "-c", query).split()

    def socket(self):
        return os.path.join(self.home, ".s.PGSQL.5432")

    def place(self, database):
        """The value of Ledger=."""
        return f"host={self.home} dbname={database} user={USER}"


class Session:
    """One connection for many questions: a new one for each would cost the server more than the answers."""

    def __init__(self, server, database):
        self.process = subprocess.Popen(
            [*server.prefix, f"{server.programs}/psql", "-X", "-h", server.home, "-U", USER, "-d", database, "-At"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd="/")

    def ask(self, query):
        """The rows of the answer, as text."""
        self.process.stdin.write(f"{query};\n\\echo over\n")
        self.process.stdin.flush()
        rows = []
        while (line := self.process.stdout.readline()) != "over\n":
            if not line:
                raise SystemExit(f"PostgreSQL does not answer {query!r}")
            rows.append(line.rstrip("\n"))
        return rows

    def number(self, query):
        """The only value of the answer, 0 for none."""
        return float((self.ask(query) or ["0"])[0] or 0)

    def close(self):
        self.process.stdin.close()
        self.process.wait(10)
