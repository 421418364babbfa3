// SPDX-License-Identifier: Apache-2.0
// Dates in headers, in HTTP's three formats, and the delay of Retry-After.

import CCurl

package enum HTTPDate {
  /// The two dates may come from two clocks, which differ.
  private static let margin: Int64 = 60

  /// Seconds since 1970.
  package static func seconds(_ text: String) -> Int64? {
    guard (8...64).contains(text.utf8.count), text.utf8.contains(where: { $0 >= 0x41 }) else {
      return nil
    }
    let time = unsafe curl_getdate(text, nil)
    return time < 0 ? nil : Int64(time)
  }

  /// An entity that was unchanged for a minute when it was sent shares its date with no other version.
  static func isStrong(_ modified: String, sent: String) -> Bool {
    guard let modified = seconds(modified), let sent = seconds(sent) else { return false }
    return sent >= modified && sent - modified >= margin
  }
}

/// The delay that an origin asks for, in seconds or until a date.
package enum RetryAfter {
  private static let longest: Int64 = 3600

  /// From one second to an hour; nil if the header is missing or unreadable. libcurl's own value takes the
  /// clock into account, but is 0 for a present date, a past date and nonsense alike.
  package static func seconds(_ read: Int64, _ header: String?) -> UInt32? {
    guard let header else { return nil }
    if read > 0 { return UInt32(min(read, longest)) }
    let digits = header.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
    if digits, !header.isEmpty {
      return header.utf8.allSatisfy { $0 == 0x30 } ? 1 : UInt32(longest)
    }
    return HTTPDate.seconds(header) == nil ? nil : 1
  }
}
