// SPDX-License-Identifier: Apache-2.0
// HTTP's status numbers in our own words: the origin's reason phrase is never shown.

enum StatusWords {
  static func of(_ status: Int) -> String {
    guard let words = table[status] else { return "\(status)" }
    return "\(status) \(words)"
  }

  static func advice(_ status: Int) -> String {
    switch status {
    case 401, 403, 407: "The photo is not public; ask its owner for a link that is"
    case 404, 410: "Check the URL in the list"
    case 451: "It must not be shown in this machine's country"
    default: ""
    }
  }

  private static let table: [Int: String] = [
    200: "OK", 201: "Created", 202: "Accepted", 203: "Non-Authoritative Information",
    204: "No Content", 205: "Reset Content", 206: "Partial Content",
    300: "Multiple Choices", 301: "Moved Permanently", 302: "Found", 303: "See Other",
    304: "Not Modified", 307: "Temporary Redirect", 308: "Permanent Redirect", 400: "Bad Request",
    401: "Unauthorized", 402: "Payment Required", 403: "Forbidden", 404: "Not Found",
    405: "Method Not Allowed", 406: "Not Acceptable", 407: "Proxy Authentication Required",
    408: "Request Timeout", 409: "Conflict", 410: "Gone", 411: "Length Required",
    412: "Precondition Failed", 414: "URI Too Long", 416: "Range Not Satisfiable",
    421: "Misdirected Request", 425: "Too Early", 426: "Upgrade Required", 429: "Too Many Requests",
    431: "Request Header Fields Too Large", 451: "Unavailable For Legal Reasons",
    500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway",
    503: "Service Unavailable", 504: "Gateway Timeout", 505: "HTTP Version Not Supported",
    507: "Insufficient Storage", 508: "Loop Detected", 511: "Network Authentication Required",
  ]
}
