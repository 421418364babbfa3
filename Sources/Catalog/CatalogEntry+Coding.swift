// SPDX-License-Identifier: Apache-2.0
// Decodes entries and list options from the bytes of a catalog, nil if they are damaged. Encodes list
// options.

internal import Vocabulary

extension CatalogEntry {
  init?(fields: ArraySlice<UInt8>, limits: ListLimits) {
    var cursor = CatalogCursor(fields)
    var name: String?
    var url: String?
    var problem: String?
    var options = PhotoOptions()
    var place = ListPlace.byte(0)
    var column: UInt64?
    while !cursor.isAtEnd {
      guard let (tag, bytes) = cursor.field() else { return nil }
      switch tag {
      case CatalogFormat.PhotoTag.name:
        name = Self.text(bytes, limit: Int(limits.keyBytes))
        if name == nil { return nil }
      case CatalogFormat.PhotoTag.url:
        url = Self.text(bytes, limit: Int(limits.valueBytes))
        if url == nil { return nil }
      case CatalogFormat.PhotoTag.problem:
        problem = Self.text(bytes, limit: CatalogFormat.longestProblem)
        if problem == nil { return nil }
      case CatalogFormat.PhotoTag.line, CatalogFormat.PhotoTag.byte, CatalogFormat.PhotoTag.column:
        var inner = CatalogCursor(bytes)
        guard let number = inner.varint(), inner.isAtEnd else { return nil }
        switch tag {
        case CatalogFormat.PhotoTag.line: place = .line(number)
        case CatalogFormat.PhotoTag.byte: place = .byte(number)
        default: column = number
        }
      case CatalogFormat.PhotoTag.serviceClass:
        if !options.take(tag, bytes) { return nil }
      default:
        if tag >= CatalogFormat.firstNeededTag, !options.take(tag, bytes) { return nil }
      }
    }
    if case .line(let line) = place, let column { place = .spot(line: line, column: column) }
    guard let name, let url, problem != nil || !(name.isEmpty || url.isEmpty) else { return nil }
    self.init(name: name, url: url, problem: problem, options: options, place: place)
  }

  private static func text(_ bytes: ArraySlice<UInt8>, limit: Int) -> String? {
    guard bytes.count <= limit else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }
}

extension ListOptions {
  var fields: [UInt8] {
    var out: [UInt8] = []
    if !title.isEmpty { out.append(field: CatalogFormat.OptionTag.title, title.utf8) }
    if let serviceClass {
      out.append(field: CatalogFormat.OptionTag.serviceClass, serviceClass.name.utf8)
    }
    if let filter { out.append(field: CatalogFormat.OptionTag.filter, filter.description.utf8) }
    if let quality { out.append(field: CatalogFormat.OptionTag.quality, quality.description.utf8) }
    if let metadata { out.append(field: CatalogFormat.OptionTag.metadata, metadata.name.utf8) }
    if let notify { out.append(field: CatalogFormat.OptionTag.notify, notify.text.utf8) }
    if let isPrivate {
      out.append(field: CatalogFormat.OptionTag.isPrivate, (isPrivate ? "yes" : "no").utf8)
    }
    if let contactSheet {
      out.append(field: CatalogFormat.OptionTag.contactSheet, (contactSheet ? "yes" : "no").utf8)
    }
    return out
  }

  init?(fields: ArraySlice<UInt8>) {
    self.init()
    var cursor = CatalogCursor(fields)
    while !cursor.isAtEnd {
      guard let (tag, bytes) = cursor.field() else { return nil }
      if tag == CatalogFormat.OptionTag.classSpan { continue }
      guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
      switch tag {
      case CatalogFormat.OptionTag.title:
        guard bytes.count <= Self.longestTitle else { return nil }
        title = text
      case CatalogFormat.OptionTag.serviceClass:
        guard let known = ServiceClass(name: text) else { return nil }
        serviceClass = known
      case CatalogFormat.OptionTag.filter:
        do throws(TextProblem) { filter = try FilterFunction(parsing: text) } catch {
          return nil
        }
      case CatalogFormat.OptionTag.quality:
        do throws(TextProblem) { quality = try PrintQuality(parsing: text) } catch {
          return nil
        }
      case CatalogFormat.OptionTag.metadata:
        guard let rule = MetadataRule(name: text) else { return nil }
        metadata = rule
      case CatalogFormat.OptionTag.notify:
        guard let url = try? Self.notify(text) else { return nil }
        notify = url
      case CatalogFormat.OptionTag.isPrivate:
        guard text == "yes" || text == "no" else { return nil }
        isPrivate = text == "yes"
      case CatalogFormat.OptionTag.contactSheet:
        guard text == "yes" || text == "no" else { return nil }
        contactSheet = text == "yes"
      default: if tag >= CatalogFormat.firstNeededTag { return nil }
      }
    }
  }
}
