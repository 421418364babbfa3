#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A strict object store on loopback that speaks S3, for tests; it can misbehave on purpose.

    store.py --folder DIR --key ID --secret TEXT [--port 0] [--bucket photos] [--region us-east-1]
             [--log FILE] [--careless]

Prints `ready N`, N being the port, then serves one bucket, /BUCKET/KEY, until its standard input closes. An
object is a file in DIR, named by its percent-encoded key (see `Objects.path`), so a restart keeps it. PUT,
GET, HEAD and DELETE of an object and GET ?list-type=2 of the bucket work as in S3; a request that needs more
of S3 gets 501. --careless: the store ignores If-None-Match, as older ones do.

The store is stricter than others. It accepts Signature V4 in the header Authorization only, recomputes the
canonical path and query from the decoded ones, wants every x-amz-* header signed, and wants
x-amz-content-sha256 to be the digest of the body. The error for a wrong region is SignatureDoesNotMatch; the
fault `region` gives Amazon's.

Every request is one line of JSON in the log, written before the answer leaves: method, key or query, status (0
without an answer), error, whether If-None-Match was sent, Range, fault. A listing has the method LIST, here
and below. A line on standard input is a command, answered with one line. Its words are percent-encoded, `*`
is any method, and a listing is matched by its query, as sent:

    fault NAME COUNT [METHOD] [SUBSTRING-OF-KEY]
                        the next COUNT matching requests meet the fault, -1: all; `ok`. COUNT 0 clears
                        every fault of that name
    count METHOD [SUBSTRING]    the number of matching requests so far
    await METHOD [SUBSTRING]    answered once there is a matching request
    put KEY TEXT        stores an object, without a checksum; `ok`
    keys                all keys, in byte order, as a JSON array
    peak                the most requests that were in work at one time

Faults:

    lost        performs the request, then closes the connection without an answer
    drop        closes the connection at once; nothing is done
    stall       reads the request; performs and answers it once the fault is cleared or standard input closes
    busy error conflict forbid region
                503 SlowDown, 500 InternalError, 409 ConditionalRequestConflict, 403 AccessDenied, 400
                AuthorizationHeaderMalformed; the body is read, nothing is done
    proxy       412 with a page that the store does not make; the body is read, nothing is done
    half flip   GET and LIST: half of the body, then the connection is closed; one byte of the body is changed

Concurrency: a thread for each connection. One lock in `Traffic` guards faults and counts, one in `Objects`
the moment at which an object appears or goes.
"""
import argparse
import base64
import binascii
import contextlib
import datetime
import email.utils
import hashlib
import hmac
import http.server
import io
import itertools
import json
import os
import re
import shutil
import socket
import sys
import tempfile
import threading
import urllib.parse

LARGEST = 5 << 30
PIECE = 65536
NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/"

# The answers of S3, each with its words.
REFUSALS = {
    "AccessDenied": (403, "Access Denied"),
    "AuthorizationHeaderMalformed": (
        400, "The authorization header is malformed; the region is wrong; expecting 'eu-west-1'"),
    "BadDigest": (400, "The SHA256 you specified did not match the calculated checksum."),
    "ConditionalRequestConflict": (
        409, "The conditional request cannot succeed due to a conflicting operation."),
    "EntityTooLarge": (400, "Your proposed upload exceeds the maximum allowed object size."),
    "InternalError": (500, "We encountered an internal error. Please try again."),
    "InvalidAccessKeyId": (
        403, "The AWS Access Key Id you provided does not exist in our records."),
    "InvalidArgument": (400, "Invalid Argument"),
    "InvalidRange": (416, "The requested range is not satisfiable"),
    "InvalidRequest": (400, "Invalid Request"),
    "KeyTooLongError": (400, "Your key is too long"),
    "MissingContentLength": (411, "You must provide the Content-Length HTTP header."),
    "NoSuchBucket": (404, "The specified bucket does not exist"),
    "NoSuchKey": (404, "The specified key does not exist."),
    "NotImplemented": (
        501, "A header or parameter you provided implies functionality that is not implemented"),
    "PreconditionFailed": (
        412, "At least one of the pre-conditions you specified did not hold"),
    "RequestTimeTooSkewed": (
        403, "The difference between the request time and the current time is too large."),
    "SignatureDoesNotMatch": (
        403, "The request signature we calculated does not match the signature you provided."),
    "SlowDown": (503, "Please reduce your request rate."),
    "XAmzContentSHA256Mismatch": (
        400, "The provided 'x-amz-content-sha256' header does not match what was computed."),
}
FAULT_REFUSALS = {
    "busy": "SlowDown", "error": "InternalError", "conflict": "ConditionalRequestConflict",
    "forbid": "AccessDenied", "region": "AuthorizationHeaderMalformed",
}
BODY_FAULTS = ("half", "flip")
FAULTS = ("lost", "drop", "stall", "proxy", *FAULT_REFUSALS, *BODY_FAULTS)

# Other x-amz-* headers, and these, ask for more than the store does.
AMAZON_HEADERS = {
    "x-amz-content-sha256", "x-amz-date", "x-amz-checksum-sha256", "x-amz-checksum-mode",
    "x-amz-sdk-checksum-algorithm",
}
STRANGE_HEADERS = {
    "if-match", "if-modified-since", "if-unmodified-since", "if-range", "content-md5",
    "content-encoding", "content-disposition", "content-language", "cache-control", "expires",
}
LIST_PARAMETERS = {"list-type", "prefix", "max-keys", "continuation-token", "encoding-type"}


class Refusal(Exception):
    def __init__(self, code, reason="", headers=(), **details):
        super().__init__(code)
        self.code, self.headers, self.details = code, headers, details
        self.status, words = REFUSALS[code]
        self.message = f"{words} ({reason})" if reason else words

    def answer(self, resource, number):
        elements = {"Code": self.code, "Message": self.message, **self.details,
                    "Resource": resource, "RequestId": number}
        body = document("Error", elements.items())
        return Answer(self.status, body, [("Content-Type", "application/xml"), *self.headers],
                      error=self.code)


class Answer:
    """The body is bytes, or an open file at its beginning with a size; None is no body at all."""

    def __init__(self, status, body=b"", headers=(), size=None, error=None):
        self.status, self.headers, self.error = status, headers, error
        self.body = io.BytesIO(body) if isinstance(body, bytes) else body
        self.size = len(body) if isinstance(body, bytes) else size


# -- XML


def escaped(text):
    return re.sub(r"[^\x20-\x7e\x80-\U0010ffff]|[<>&\"']", lambda m: f"&#{ord(m[0])};", str(text))


def element(name, value):
    inner = "".join(element(*pair) for pair in value) if isinstance(value, list) else escaped(value)
    return f"<{name}>{inner}</{name}>"


def document(name, pairs, space=""):
    text = element(name, list(pairs)).replace(f"<{name}>", f"<{name}{space}>", 1)
    return ('<?xml version="1.0" encoding="UTF-8"?>\n' + text).encode()


# -- Signatures


def encoded(text, safe=""):
    """All bytes but A-Z, a-z, 0-9, '-', '.', '_' and '~' are percent-encoded."""
    return urllib.parse.quote(text, safe=safe)


def parameters(query):
    pairs = (part.partition("=") for part in query.split("&") if part)
    return [tuple(map(urllib.parse.unquote_plus, (name, value))) for name, _, value in pairs]


def sign(secret, *words):
    """The HMAC of the last word, with a secret from those before it."""
    for word in words:
        secret = hmac.digest(secret, word.encode("latin-1"), "sha256")
    return secret


class Gatekeeper:
    """Checks signatures of version 4. The names of headers are in lower case."""

    FORM = re.compile(
        r"AWS4-HMAC-SHA256 +Credential=([^/, ]+)/(\d+)/([^/, ]+)/([^/, ]+)/([^/, ]+), *"
        r"SignedHeaders=([^, ]+), *Signature=([0-9a-f]+)")

    def __init__(self, key, secret, region):
        self.key, self.secret, self.region = key, secret, region

    def check(self, method, path, query, headers):
        if "authorization" not in headers:
            raise Refusal("AccessDenied", "no Authorization")
        form = self.FORM.fullmatch(headers["authorization"])
        if not form:
            raise Refusal("SignatureDoesNotMatch", "Authorization has another form")
        *scope, names, signature = form.groups()
        time = headers.get("x-amz-date", "")
        self.check_time(time)
        self.check_scope(scope, time[:8])
        names = sorted(names.split(";"))
        self.check_names(names, headers)
        canonical = "\n".join([
            method, encoded(urllib.parse.unquote(path), "/"),
            "&".join(sorted(f"{encoded(name)}={encoded(value)}" for name, value in parameters(query))),
            *(f"{name}:{' '.join(headers[name].split())}" for name in names), "", ";".join(names),
            headers["x-amz-content-sha256"]])
        digest = hashlib.sha256(canonical.encode("latin-1")).hexdigest()
        words = "\n".join(["AWS4-HMAC-SHA256", time, "/".join(scope[1:]), digest])
        wanted = sign(b"AWS4" + self.secret.encode(), *scope[1:], words).hex()
        if not hmac.compare_digest(wanted, signature):
            raise Refusal("SignatureDoesNotMatch", StringToSign=words, CanonicalRequest=canonical)

    def check_time(self, time):
        try:
            asked = datetime.datetime.strptime(time, "%Y%m%dT%H%M%SZ")
        except ValueError:
            raise Refusal("AccessDenied", "no valid x-amz-date") from None
        now = datetime.datetime.now(datetime.UTC).replace(tzinfo=None)
        if abs(now - asked) > datetime.timedelta(minutes=15):
            raise Refusal("RequestTimeTooSkewed", RequestTime=time, ServerTime=f"{now:%Y%m%dT%H%M%SZ}")

    def check_scope(self, scope, day):
        if scope[0] != self.key:
            raise Refusal("InvalidAccessKeyId")
        for word, wanted in zip(scope[1:], (day, self.region, "s3", "aws4_request")):
            if word != wanted:
                raise Refusal("SignatureDoesNotMatch", f"'{word}' is wrong; expecting '{wanted}'")

    def check_names(self, names, headers):
        wanted = {"host"} | {name for name in headers if name.startswith("x-amz-")}
        if wanted - set(names):
            raise Refusal("AccessDenied", "headers that are not signed",
                          HeadersNotSigned=", ".join(sorted(wanted - set(names))))
        if set(names) - set(headers):
            raise Refusal("SignatureDoesNotMatch", "signed headers that were not sent: "
                          + ", ".join(sorted(set(names) - set(headers))))
        if "x-amz-content-sha256" not in headers:
            raise Refusal("InvalidRequest", "no x-amz-content-sha256")


# -- Objects


class Objects:
    """Names that begin with a dot are the store's own: `.drafts` holds bodies that arrive, `.about` is a line
    for each object that was stored: its key, its inode number, its checksum, its type."""

    def __init__(self, folder):
        self.folder = folder
        self.lock = threading.Lock()
        self.drafts = os.path.join(folder, ".drafts")
        shutil.rmtree(self.drafts, ignore_errors=True)
        os.makedirs(self.drafts)
        self.about = {}
        self.notes = open(os.path.join(folder, ".about"), "a+b", buffering=0)
        self.notes.seek(0)
        for line in self.notes.read().splitlines():
            key, number, *facts = json.loads(line)
            self.about[key, number] = facts

    def path(self, key):
        """A longer name is cut into pieces of 200 bytes: all but the last are folders whose names end with an
        additional '%'. No name begins with a dot."""
        name = encoded(key)
        pieces = [re.sub(r"^\.", "%2E", name[at:at + 200]) for at in range(0, len(name), 200)]
        return os.path.join(self.folder, *(piece + "%" for piece in pieces[:-1]), pieces[-1])

    def keys(self):
        found = []
        for place, folders, files in os.walk(self.folder):
            folders[:] = [name for name in folders if not name.startswith(".")]
            above = os.path.relpath(place, self.folder).replace("%/", "").removesuffix("%")
            above = "" if above == "." else above
            found += [urllib.parse.unquote(above + name) for name in files if not name.startswith(".")]
        return sorted(found, key=str.encode)

    @contextlib.contextmanager
    def draft(self):
        with tempfile.NamedTemporaryFile(dir=self.drafts, delete=False) as file:
            try:
                yield file
            finally:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(file.name)

    def put(self, key, draft, once, *facts):
        """Makes the draft the object: one of several callers with `once` succeeds."""
        draft.flush()
        path, number = self.path(key), os.fstat(draft.fileno()).st_ino
        with self.lock:
            if once and os.path.exists(path):
                raise Refusal("PreconditionFailed", Condition="If-None-Match")
            os.makedirs(os.path.dirname(path), exist_ok=True)
            self.about[key, number] = facts
            self.notes.write(json.dumps([key, number, *facts]).encode() + b"\n")
            os.rename(draft.name, path)
        return tag(os.fstat(draft.fileno()))

    def open(self, key):
        """The file, its status, its checksum and its type."""
        try:
            file = open(self.path(key), "rb")
        except FileNotFoundError:
            raise Refusal("NoSuchKey", Key=key) from None
        status = os.fstat(file.fileno())
        return file, status, *self.about.get((key, status.st_ino), (None, None))

    def size(self, key):
        """None if the object is gone."""
        try:
            return os.stat(self.path(key)).st_size
        except FileNotFoundError:
            return None

    def delete(self, key):
        with self.lock, contextlib.suppress(FileNotFoundError):
            os.unlink(self.path(key))


def tag(status):
    """Opaque: a client must not take it for a digest."""
    return f'"{status.st_ino:x}-{status.st_mtime_ns:x}-{status.st_size:x}"'


# -- Requests in work


class Traffic:
    def __init__(self):
        self.changed = threading.Condition()
        self.armed = []
        self.seen = []
        self.now = self.peak = 0
        self.stalled = self.releases = 0

    def arm(self, name, count, method="*", text=""):
        with self.changed:
            if count:
                self.armed.append([name, count, method, text])
                return
            self.armed = [fault for fault in self.armed if fault[0] != name]
            if name == "stall":
                self.releases += 1
                self.changed.notify_all()

    def begin(self, method, about):
        """Returns the fault that the request meets, if any."""
        with self.changed:
            self.seen.append((method, about))
            self.now += 1
            self.peak = max(self.peak, self.now)
            self.changed.notify_all()
            for fault in self.armed:
                name, count, wanted, text = fault
                is_possible = name not in BODY_FAULTS or method in ("GET", "LIST")
                if is_possible and wanted in ("*", method) and text in about:
                    fault[1] = count - 1 if count > 0 else count
                    self.armed = [fault for fault in self.armed if fault[1]]
                    self.stalled += name == "stall"
                    return name
        return None

    def stall(self, releases):
        """Returns once stalled requests have been released more often than that."""
        with self.changed:
            self.changed.wait_for(lambda: self.releases > releases)

    def end(self, fault):
        with self.changed:
            self.now -= 1
            self.stalled -= fault == "stall"
            self.changed.notify_all()

    def count(self, method, text):
        with self.changed:
            return sum(method in ("*", seen) and text in about for seen, about in self.seen)

    def wait(self, method, text):
        """Returns once there has been such a request."""
        with self.changed:
            self.changed.wait_for(lambda: self.count(method, text))

    def close(self):
        """Stalled requests get their answers."""
        self.arm("stall", 0)
        with self.changed:
            self.changed.wait_for(lambda: not self.stalled, timeout=2)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1024

    def handle_error(self, request, client_address):
        # Many tests have a client that leaves.
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "store"
    wbufsize = 65536  # Header and body leave in one piece.
    disable_nagle_algorithm = True
    numbers = itertools.count(1)
    log_lock = threading.Lock()

    def log_message(self, *arguments):
        pass

    def handle_expect_100(self):
        return True  # `receive` sends it, after the header has been checked.

    def do_GET(self):
        self.route, _, self.query = self.path.partition("?")
        self.bucket, _, key = self.route.removeprefix("/").partition("/")
        self.key = urllib.parse.unquote(key)
        self.fields = {}
        for name, value in self.headers.items():
            self.fields.setdefault(name.lower(), []).append(value.strip())
        self.fields = {name: ",".join(values) for name, values in self.fields.items()}
        self.method = "LIST" if self.command == "GET" and not self.key else self.command
        self.is_once = "if-none-match" in self.fields
        self.unread = 0
        # A stall ends with the next release, even if that comes before the body.
        releases = traffic.releases
        self.fault = traffic.begin(self.method, self.key or self.query)
        try:
            self.serve(releases)
        except ConnectionError:
            self.leave()
        finally:
            traffic.end(self.fault)

    do_HEAD = do_PUT = do_POST = do_DELETE = do_PATCH = do_OPTIONS = do_GET

    def serve(self, releases):
        if self.fault == "drop":
            return self.leave()
        is_put = self.command == "PUT"
        try:
            self.unread = self.length()
            self.check()
            with objects.draft() if is_put else contextlib.nullcontext() as draft:
                self.receive(draft)
                if self.fault in FAULT_REFUSALS:
                    raise Refusal(FAULT_REFUSALS[self.fault])
                if self.fault == "stall":
                    traffic.stall(releases)
                answer = (Answer(412, b"<html></html>", error="proxy") if self.fault == "proxy"
                          else self.perform(draft))
        except Refusal as refusal:
            answer = refusal.answer(self.route, f"{next(self.numbers):016X}")
        if answer.body is None:
            return self.respond(answer)
        with answer.body:
            self.respond(answer)

    def leave(self):
        self.close_connection = True
        self.note(0, None)

    # -- The request

    def length(self):
        """The size of the body."""
        text = self.fields.get("content-length", "" if self.command == "PUT" else "0")
        if not re.fullmatch(r"\d{1,18}", text) or "transfer-encoding" in self.fields:
            self.unread = 1  # A body may follow, and its end is unknown.
            raise Refusal("MissingContentLength")
        return int(text)

    def check(self):
        """Raises a refusal that the header deserves."""
        gatekeeper.check(self.command, self.route, self.query, self.fields)
        strange = [name for name in self.fields if name in STRANGE_HEADERS
                   or name.startswith("x-amz-") and name not in AMAZON_HEADERS]
        if strange:
            raise Refusal("NotImplemented", Header=", ".join(sorted(strange)))
        if self.fields.get("x-amz-checksum-mode", "ENABLED") != "ENABLED":
            raise Refusal("InvalidRequest", "x-amz-checksum-mode is not ENABLED")
        if self.fields.get("if-none-match") != ("*" if self.is_once and self.command == "PUT" else None):
            raise Refusal("NotImplemented", Header="If-None-Match")
        if self.bucket != options.bucket:
            raise Refusal("NoSuchBucket", BucketName=self.bucket)
        if self.unread > LARGEST:
            raise Refusal("EntityTooLarge", ProposedSize=self.unread, MaxSizeAllowed=LARGEST)
        if len(self.key.encode()) > 1024:
            raise Refusal("KeyTooLongError", Size=len(self.key.encode()), MaxSizeAllowed=1024)

    def receive(self, draft):
        """Reads the body into the draft, if there is one, and checks its digests."""
        if self.unread and self.fields.get("expect", "").lower() == "100-continue":
            self.send_response_only(100)
            self.end_headers()
            self.wfile.flush()
        digest = hashlib.sha256()
        while self.unread:
            data = self.rfile.read(min(self.unread, PIECE))
            if not data:
                raise ConnectionError("the client has left")
            self.unread -= len(data)
            digest.update(data)
            if draft:
                draft.write(data)
        if self.fields["x-amz-content-sha256"] != digest.hexdigest():
            raise Refusal(
                "XAmzContentSHA256Mismatch", S3ComputedContentSHA256=digest.hexdigest(),
                ClientComputedContentSHA256=self.fields["x-amz-content-sha256"])
        checksum = self.fields.get("x-amz-checksum-sha256")
        if checksum and checksum != base64.b64encode(digest.digest()).decode():
            raise Refusal("BadDigest")

    # -- Operations

    def perform(self, draft):
        act = {"PUT": self.put, "GET": self.get, "HEAD": self.get, "DELETE": self.delete}
        if self.method == "LIST":
            return self.list(dict(parameters(self.query)))
        # Parameters ask for versions, parts, tags and the like; x-id only names the operation.
        if not self.key or self.command not in act or set(dict(parameters(self.query))) - {"x-id"}:
            raise Refusal("NotImplemented")
        return act[self.command](draft)

    def put(self, draft):
        once = self.is_once and not options.careless
        checksum = self.fields.get("x-amz-checksum-sha256")
        mark = objects.put(self.key, draft, once, checksum, self.fields.get("content-type"))
        headers = [("ETag", mark)]
        if checksum:
            headers.append(("x-amz-checksum-sha256", checksum))
        return Answer(200, b"", headers)

    def get(self, _):
        file, status, checksum, kind = objects.open(self.key)
        try:
            first, last = self.range(status.st_size)
        except Refusal:
            file.close()
            raise
        headers = [
            ("ETag", tag(status)), ("Accept-Ranges", "bytes"),
            ("Content-Type", kind or "binary/octet-stream"),
            ("Last-Modified", email.utils.formatdate(status.st_mtime, usegmt=True)),
        ]
        is_part = "range" in self.fields
        if is_part:
            headers.append(("Content-Range", f"bytes {first}-{last}/{status.st_size}"))
        elif checksum and "x-amz-checksum-mode" in self.fields:
            headers.append(("x-amz-checksum-sha256", checksum))
        file.seek(first)
        return Answer(206 if is_part else 200, file, headers, size=last + 1 - first)

    def range(self, size):
        """The first and the last byte that are requested."""
        if "range" not in self.fields:
            return 0, size - 1
        form = re.fullmatch(r"bytes=(\d+)-(\d*)", self.fields["range"])
        if not form or form[2] and int(form[1]) > int(form[2]):
            raise Refusal("NotImplemented", Header="Range")
        first, last = int(form[1]), min(int(form[2] or size - 1), size - 1)
        if first >= size:
            raise Refusal("InvalidRange", headers=[("Content-Range", f"bytes */{size}")],
                          RangeRequested=self.fields["range"], ActualObjectSize=size)
        return first, last

    def delete(self, _):
        objects.delete(self.key)
        return Answer(204, None)

    def list(self, asked):
        if asked.get("list-type") != "2" or set(asked) - LIST_PARAMETERS - {"x-id"}:
            raise Refusal("NotImplemented")
        coding = asked.get("encoding-type")
        if coding not in (None, "url") or not re.fullmatch(r"\d{1,9}", asked.get("max-keys", "1000")):
            raise Refusal("InvalidArgument")
        most = min(int(asked.get("max-keys", "1000")), 1000)
        prefix, token = asked.get("prefix", ""), asked.get("continuation-token", "")
        try:
            after = base64.b64decode(token, altchars=b"-_", validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            raise Refusal("InvalidArgument", "The continuation token is incorrect") from None
        # As in S3, a space becomes '+'.
        name = (lambda text: urllib.parse.quote_plus(text, safe="/")) if coding else str
        keys = [key for key in objects.keys()
                if key.startswith(prefix) and key.encode() > after.encode()]
        found = [(key, objects.size(key)) for key in keys[:most]]
        found = [(key, size) for key, size in found if size is not None]
        more = 0 < most < len(keys)
        pairs = [("Name", options.bucket), ("Prefix", name(prefix)), ("KeyCount", len(found)),
                 ("MaxKeys", most), ("IsTruncated", str(more).lower())]
        pairs += [("EncodingType", coding)] if coding else []
        pairs += [("ContinuationToken", token)] if token else []
        if more:
            mark = base64.urlsafe_b64encode(keys[most - 1].encode()).decode()
            pairs.append(("NextContinuationToken", mark))
        pairs += [("Contents", [("Key", name(key)), ("Size", size)]) for key, size in found]
        body = document("ListBucketResult", pairs, f' xmlns="{NAMESPACE}"')
        return Answer(200, body, [("Content-Type", "application/xml")])

    # -- The answer

    def respond(self, answer):
        self.note(answer.status, answer.error)
        if self.fault == "lost":
            self.close_connection = True
            return
        self.send_response(answer.status)
        for name, value in answer.headers:
            self.send_header(name, value)
        if answer.body is not None:
            self.send_header("Content-Length", str(answer.size))
        if self.unread:
            self.send_header("Connection", "close")
        self.end_headers()
        if answer.body is not None and self.command != "HEAD":
            self.send_body(answer)
        self.wfile.flush()
        if self.unread:
            self.discard()

    def send_body(self, answer):
        is_well = answer.error is None
        size, place = answer.size, 0
        if is_well and self.fault == "half":
            self.close_connection = True
            size //= 2
        while place < size:
            data = bytearray(answer.body.read(min(PIECE, size - place)))
            if not data:
                raise ConnectionError("the file has become shorter")
            middle = answer.size // 2 - place
            if is_well and self.fault == "flip" and 0 <= middle < len(data):
                data[middle] ^= 1
            self.wfile.write(data)
            place += len(data)

    def discard(self):
        """The client may still send the body: without a reader, the kernel would reset the connection, and
        the client would lose the answer."""
        self.connection.shutdown(socket.SHUT_WR)
        self.connection.settimeout(30)
        with contextlib.suppress(TimeoutError):
            while self.connection.recv(PIECE):
                pass

    def note(self, status, error):
        if not log:
            return
        about = {"query": self.query} if self.method == "LIST" else {"key": self.key}
        line = json.dumps({
            "method": self.method, **about, "status": status, "error": error,
            "if-none-match": self.is_once, "range": self.fields.get("range"),
            "fault": self.fault}, ensure_ascii=False)
        with self.log_lock:
            log.write(line + "\n")
            log.flush()


def obey(line):
    words = [urllib.parse.unquote(word) for word in line.rstrip("\n").split(" ")]
    match words:
        case ["fault", name, count, *rest] if name in FAULTS and len(rest) <= 2:
            traffic.arm(name, int(count), *rest)
            return "ok"
        case ["count", method, *text] if len(text) <= 1:
            return str(traffic.count(method, *(text or [""])))
        case ["await", method, *text] if len(text) <= 1:
            traffic.wait(method, *(text or [""]))
            return "ok"
        case ["put", key, *text]:
            with objects.draft() as draft:
                draft.write(" ".join(text).encode())
                objects.put(key, draft, False, None, None)
            return "ok"
        case ["keys"]:
            return json.dumps(objects.keys())
        case ["peak"]:
            return str(traffic.peak)
        case _:
            return "unknown"


def main():
    server = Server(("127.0.0.1", options.port), Handler)
    print(f"ready {server.server_address[1]}", flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for line in sys.stdin:
        print(obey(line), flush=True)
    traffic.close()
    os._exit(0)


parser = argparse.ArgumentParser()
parser.add_argument("--port", type=int, default=0)
parser.add_argument("--folder", required=True)
parser.add_argument("--bucket", default="photos")
parser.add_argument("--key", required=True)
parser.add_argument("--secret", required=True)
parser.add_argument("--region", default="us-east-1")
parser.add_argument("--log")
parser.add_argument("--careless", action="store_true")
options = parser.parse_args()
log = open(options.log, "a", encoding="utf-8") if options.log else None
gatekeeper = Gatekeeper(options.key, options.secret, options.region)
objects = Objects(options.folder)
traffic = Traffic()
main()
