// SPDX-License-Identifier: Apache-2.0
// The handlers of one `MarkupReader`, behind the callbacks: the first error that they throw is kept and
// stops the parser.

/// Concurrency model: that of its base class.
final class MarkupHandlers<Problem: Error>: MarkupContext {
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

  override func open(_ name: Span<UInt8>, _ hasAttributes: Bool, _ line: UInt64) {
    do throws(Problem) { try onOpen(name, hasAttributes, line) } catch { keep(error) }
  }

  override func text(_ bytes: Span<UInt8>, _ line: UInt64) {
    do throws(Problem) { try onText(bytes, line) } catch { keep(error) }
  }

  override func close(_ line: UInt64) {
    do throws(Problem) { try onClose(line) } catch { keep(error) }
  }

  private func keep(_ error: Problem) {
    failure = error
    stop()
  }
}
