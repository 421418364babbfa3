// SPDX-License-Identifier: Apache-2.0
// Names for the error numbers on which decisions depend, in this and all other modules.

extension SystemError {
  package enum Name: Int32, Sendable {
    case notPermitted = 1  // EPERM
    case missing = 2  // ENOENT
    case interrupted = 4  // EINTR
    case inputOutput = 5  // EIO
    case noDevice = 6  // ENXIO: a socket or a FIFO opened as a file
    case badDescriptor = 9  // EBADF
    case again = 11  // EAGAIN: not at this moment; another process holds the lock or the lease
    case outOfMemory = 12  // ENOMEM
    case denied = 13  // EACCES
    case busy = 16  // EBUSY
    case exists = 17  // EEXIST
    case crossesDevices = 18  // EXDEV
    case unmounted = 19  // ENODEV: raised here for a folder without its disk
    case notFolder = 20  // ENOTDIR
    case isFolder = 21  // EISDIR
    case invalid = 22  // EINVAL
    case machineFilesOpen = 23  // ENFILE
    case filesOpen = 24  // EMFILE
    case textBusy = 26  // ETXTBSY: a program that is being written
    case fileTooLarge = 27  // EFBIG
    case noSpace = 28  // ENOSPC
    case readOnly = 30  // EROFS
    case tooManyLinks = 31  // EMLINK
    case brokenPipe = 32  // EPIPE
    case nameTooLong = 36  // ENAMETOOLONG
    case notEmpty = 39  // ENOTEMPTY
    case noLocks = 37  // ENOLCK
    case noSuchCall = 38  // ENOSYS
    case isLink = 40  // ELOOP: a link where links are not followed
    case badProtocol = 71  // EPROTO
    case notSocket = 88  // ENOTSOCK
    case noDestination = 89  // EDESTADDRREQ
    case messageTooLong = 90  // EMSGSIZE
    case notSupported = 95  // EOPNOTSUPP
    case addressInUse = 98  // EADDRINUSE
    case networkUnreachable = 101  // ENETUNREACH
    case connectionAborted = 103  // ECONNABORTED
    case connectionReset = 104  // ECONNRESET
    case noBuffers = 105  // ENOBUFS
    case notConnected = 107  // ENOTCONN
    case connectionRefused = 111  // ECONNREFUSED
    case hostUnreachable = 113  // EHOSTUNREACH
    case stale = 116  // ESTALE: a file server does not know the file or the folder any more
    case overQuota = 122  // EDQUOT
    case cancelled = 125  // ECANCELED: raised by this program alone, by no system call

    /// The code of the `Failure` for this error.
    package var failureCode: String { "system.\(rawValue)" }
  }

  /// Nil for a number on which no decision depends.
  package var name: Name? { Name(rawValue: code) }

  /// linkat cannot link a folder, a file of another user (fs.protected_hardlinks) or a file with too many links, and
  /// nothing on a file system without links.
  package var meansNoLink: Bool {
    switch name {
    case .notPermitted, .tooManyLinks, .noSuchCall, .notSupported: true
    default: false
    }
  }
}
