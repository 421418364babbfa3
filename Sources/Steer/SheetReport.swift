// SPDX-License-Identifier: Apache-2.0
// The reply to `Sheet`: the first page of the contact sheet, and what was made.

package struct SheetReport: MessageValue {
  /// The full path of the first page.
  package var page: String
  package var pages: Int
  /// The thumbnails that were missing and have been made.
  package var thumbnails: Int

  package init(page: String, pages: Int, thumbnails: Int) {
    self.page = page
    self.pages = pages
    self.thumbnails = thumbnails
  }

  package init(_ fields: MessageFields) throws(FieldError) {
    page = try fields.string("page")
    pages = try fields.count("pages")
    thumbnails = try fields.count("thumbnails")
  }

  package var object: JSONObject {
    JSONObject([
      "page": .string(page), "pages": .int(Int64(pages)), "thumbnails": .int(Int64(thumbnails)),
    ])
  }
}
