// SPDX-License-Identifier: Apache-2.0
// The handlers of one `MarkupReader`, behind the callbacks: the first error that they throw is kept and stops
// the parser.

/// Concurrency model: see `MarkupContext`.
final class MarkupHandlers<Problem: Error>: MarkupTarget {
  private let onOpen: (Span<UInt8>, Bool, UInt64) throws(Problem) -> Void
  private let onText: (Span<UInt8>, UInt64) throws(Problem) -> Void
  private let onClose: (UInt64) throws(Problem) -> Void
  private(set) var failure: Problem?

  init(
    open: @escaping (Span<UInt8>, Bool, UInt64) throws(Problem) -> Void,
    text: @escaping (Span<UInt8>, UInt64) throws(Problem) -> Void,
    close: @escaping (UInt64) throws(Problem) -> Void
  ) {
    onOpen = open
    onText = text
    onClose = close
  }

  func open(_ name: Span<UInt8>, _ hasAttributes: Bool, _ line: UInt64) -> Bool {
    do throws(Problem) { try onOpen(name, hasAttributes, line) } catch { return keep(error) }
    return true
  }

  func text(_ bytes: Span<UInt8>, _ line: UInt64) -> Bool {
    do throws(Problem) { try onText(bytes, line) } catch { return keep(error) }
    return true
  }

  func close(_ line: UInt64) -> Bool {
    do throws(Problem) { try onClose(line) } catch { return keep(error) }
    return true
  }

  private func keep(_ error: Problem) -> Bool {
    failure = error
    return false
  }
}
