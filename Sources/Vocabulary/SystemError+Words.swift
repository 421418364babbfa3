// SPDX-License-Identifier: Apache-2.0
// The error numbers of calls on files, sockets and processes, in plain words.

extension Failure {
  /// The words of the error number, without the thing, if it is the failure of a call.
  package var callWords: String? {
    if code == Self.diskFull { return SystemError(.noSpace, call: "", thing: "").words }
    guard code.hasPrefix(Self.callPrefix), let number = Int32(code.dropFirst(Self.callPrefix.count))
    else { return nil }
    return SystemError(code: number, call: "", thing: "").words
  }

  fileprivate static let diskFull = "disk.full"
  fileprivate static let callPrefix = "system."
}

extension SystemError {
  /// Short and stable, for programs.
  var failureCode: String { isDiskFull ? Failure.diskFull : "\(Failure.callPrefix)\(code)" }

  package var words: String { Self.words[code] ?? "error \(code)" }

  private static let words: [Int32: String] = [
    1: "operation not permitted", 2: "no such file or directory", 3: "no such process",
    4: "interrupted by a signal", 5: "input/output error", 6: "no such device or address",
    7: "too many arguments", 8: "not a program that this machine can run", 9: "bad file descriptor",
    10: "no child process", 11: "try again", 12: "out of memory", 13: "permission denied",
    14: "bad address", 15: "not a block device", 16: "in use", 17: "it already exists",
    18: "on another file system", 19: "no such device", 20: "not a directory", 21: "is a directory",
    22: "invalid argument", 23: "too many open files on this machine", 24: "too many open files",
    25: "not possible on this kind of file", 26: "the program is being run or written",
    27: "file too large", 28: "no space left on device",
    29: "not possible on a pipe, a socket or a terminal", 30: "read-only file system",
    31: "too many links to one file", 32: "the other end is closed", 33: "value out of range",
    34: "result too large", 35: "it would cause a deadlock", 36: "file name too long",
    37: "no locks available", 38: "not in this kernel", 39: "directory not empty",
    40: "it is a symbolic link", 52: "invalid exchange", 61: "no data available",
    62: "timer expired", 67: "the link to the file server is broken", 70: "communication error",
    71: "protocol error", 74: "damaged data", 75: "value too large for its type",
    76: "name not unique on the network", 77: "file descriptor in bad state",
    84: "invalid byte sequence", 85: "interrupted; it should be restarted", 87: "too many users",
    88: "not a socket", 89: "no destination address", 90: "message too long",
    91: "wrong protocol for this socket", 92: "protocol option not available",
    93: "protocol not supported", 94: "kind of socket not supported", 95: "operation not supported",
    96: "protocol family not supported", 97: "address family not supported",
    98: "address already in use", 99: "address not available on this machine",
    100: "network is down", 101: "network is unreachable", 102: "connection dropped by the network",
    103: "connection aborted", 104: "connection reset by the other end",
    105: "no buffer space available", 106: "already connected", 107: "not connected",
    108: "the socket is shut down", 109: "too many descriptors in flight",
    110: "connection timed out", 111: "connection refused", 112: "host is down",
    113: "no route to host", 114: "already in progress", 115: "in progress",
    116: "the file is gone from its server", 117: "the file system is damaged and needs repair",
    121: "input/output error on the other side", 122: "disk quota exceeded",
    123: "no medium in the drive", 124: "wrong type of medium", 125: "cancelled",
    126: "the encryption key is missing", 127: "the encryption key has expired",
    128: "the encryption key was revoked", 129: "the encryption key was rejected",
    133: "memory page with a hardware error",
  ]
}
