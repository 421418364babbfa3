// SPDX-License-Identifier: Apache-2.0
// The messages of Pause, Resume, Cancel, SetQuality, Unfocus, Remove, Sheet and Open: a list and at most one parameter
// more.

package import Vocabulary

package struct PauseOrder: ListMethod {
  package typealias Answer = ListReply

  package var list = ListReference("")

  package init() {}
  package static let isChange = true
  package static let about = """
    Starts nothing more of the list until it is resumed, even after a restart. Only for its owner and
    root, as are Resume and Cancel.
    """
}

package struct ResumeOrder: ListMethod {
  package typealias Answer = ListReply

  package var list = ListReference("")

  package init() {}
  package static let isChange = true
  package static let about = ""
}

package struct CancelOrder: ListMethod {
  package typealias Answer = ListReply

  package var list = ListReference("")

  package init() {}
  package static let isChange = true
  package static let about = "Cancels the list. Existing prints stay."
}

package struct SetQualityOrder: ControlMethod {
  package typealias Answer = ListReply

  package var list = ListReference("")
  package var level = ServiceClass.default

  package init(list: ListReference, level: ServiceClass) { (self.list, self.level) = (list, level) }

  package init() {}
  package static let fields: [Field] = [Field("list", \.list), Field("class", \.level)]
  package static let isChange = true
  package static let about = """
    Changes the quality-of-service class of a list at work. Photos that set a class of their own keep it.
    Only for its owner and root.
    """
}

package struct UnfocusOrder: ControlMethod {
  package typealias Answer = FocusReport

  package var list = ListReference("")
  package var viewer = ""

  package init(list: ListReference, viewer: String = "") {
    (self.list, self.viewer) = (list, viewer)
  }

  package init() {}
  package static let fields: [Field] = [
    Field("list", \.list), Field("viewer", \.viewer, isOptional: true),
  ]
  package static let isChange = true
  package static let about = "Ends the lease of this viewer; photos, left and until are 0."

  package var viewed: ListReference? { list }
}

package struct RemoveOrder: ListMethod {
  package typealias Answer = ListReply

  package var list = ListReference("")
  package var spare = false

  package init(list: ListReference, spare: Bool) { (self.list, self.spare) = (list, spare) }

  package init() {}
  package static let fields: [Field] = [
    Field("list", \.list), Field("spare", \.spare, isOptional: true),
  ]
  package static let isChange = true
  package static let about = """
    Removes a list that is finished or cancelled: its prints, its copy, its results, its retry list, and those
    of the earlier lists that it took over from. Replies when they are gone, with the list as it was. The
    daemon then does not know it, and a new list of that name begins afresh. If the folder of the list is
    lost, rest tells what stays. With spare, a list that has no results because one of its files is lost
    stays. Only for its owner and root.
    """
}

package struct SheetOrder: ListMethod {
  package typealias Answer = SheetReport

  package var list = ListReference("")

  package init() {}
  package static let isChange = true
  package static let about = """
    Makes the contact sheet of a list that is finished or cancelled, and the thumbnails that are missing. Returns
    the path of the first page, and the numbers of pages and of thumbnails made. Only for its owner and root.
    """
}

package struct OpenOrder: ListMethod {
  package typealias Answer = OpenReport

  package var list = ListReference("")

  package init() {}
  package static let about = """
    Makes a token with which a page looks at the list for the caller. It is good for one Redeem, within two
    minutes.
    """
}
