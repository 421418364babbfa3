// SPDX-License-Identifier: Apache-2.0
// The reply to `Sheet`: the first page of the contact sheet, and what was made.

package struct SheetReport: MessageValue {
  /// The full path of the first page.
  package var page = ""
  package var pages = 0
  /// The thumbnails that were missing and have been made.
  package var thumbnails = 0

  package init(page: String, pages: Int, thumbnails: Int) {
    (self.page, self.pages, self.thumbnails) = (page, pages, thumbnails)
  }

  package init() {}
  package static let fields: [Field] = [
    Field("page", \.page), Field("pages", \.pages), Field("thumbnails", \.thumbnails),
  ]
}
