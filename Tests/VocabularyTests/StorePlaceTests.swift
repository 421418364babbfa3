// SPDX-License-Identifier: Apache-2.0
// Where a store is, as settings name it, and the URLs of its objects.

import Testing
import Vocabulary

@Suite struct StorePlaceTests {
  @Test(arguments: [
    ("https://s3.example.org/photos", "https://s3.example.org/photos", ""),
    ("https://s3.example.org/photos/", "https://s3.example.org/photos", ""),
    ("http://10.0.0.7:9000/photos/a/b/", "http://10.0.0.7:9000/photos/a/b", "a/b/"),
    ("HTTPS://S3.Example.org:443/My.photos_1-x", "https://s3.example.org/My.photos_1-x", ""),
  ])
  func `a bucket, perhaps with a prefix`(text: String, shown: String, prefix: String) throws {
    let place = try StorePlace(parsing: text)
    #expect("\(place)" == shown)
    #expect(place.prefix == prefix)
    #expect(try StorePlace(parsing: "\(place)") == place)
  }

  @Test(arguments: [
    "https://s3.example.org", "https://s3.example.org/", "ftp://s3.example.org/photos",
    "file:///photos", "https://s3.example.org/photos?versionId=1", "https://key:secret@host/photos",
    "https://host/../photos", "https://host/photos/./x", "https://host/photos%20of", "photos", "",
  ])
  func `what is no place of a bucket is refused, and its secrets are not repeated`(text: String) {
    let problem = #expect(throws: TextProblem.self) { try StorePlace(parsing: text) }
    #expect(problem?.description.contains("secret") == false)
  }

  @Test func `keys are written as the signature has them`() throws {
    let place = try StorePlace(parsing: "https://host/photos/deep")
    let key = ObjectKey(
      FileName(literal: "prints"), FileName(literal: "summer & sun"),
      FileName(literal: "a+b~1 (é)%.jpg"))
    #expect(
      place.text(of: key)
        == "https://host/photos/deep/prints/summer%20%26%20sun/a%2Bb~1%20%28%C3%A9%29%25.jpg")
    #expect(
      "\(ObjectKey.folder(FileName(literal: "prints"), FileName(literal: "summer")))"
        == "prints/summer/")
  }
}
