// SPDX-License-Identifier: Apache-2.0
// The syntax of filters, which is that of CSS.

import Testing

@testable import Vocabulary

@Suite struct FilterFunctionTests {
  @Test(
    arguments: [
      ("sepia(0.8)", 800), ("sepia(80%)", 800), ("sepia()", 1000), ("sepia(0)", 0),
      ("sepia(1)", 1000), ("sepia(100%)", 1000), ("sepia(2)", 1000), ("sepia(350%)", 1000),
      ("sepia(.5)", 500), ("sepia(0.5%)", 5), ("sepia(12.34%)", 123), ("sepia(0.0004)", 0),
      ("sepia(0.0005)", 1), ("sepia( 0.8 )", 800), ("  sepia(0.8)  ", 800),
      ("\tsepia(0.8)\t", 800), ("sepia(00.80)", 800), ("sepia(99999999)", 1000),
    ])
  func `sepia is read as CSS reads it`(text: String, thousandths: Int) throws {
    #expect(try FilterFunction(parsing: text) == .sepia(thousandths: thousandths))
  }

  @Test(
    arguments: [
      ("", .noArguments), ("sepia", .noArguments), ("0.8", .noArguments),
      ("sepia(0.8", .noArguments), ("sepia(0.8)x", .noArguments),
      ("sepia(1) sepia(1)", .noArguments), ("Sepia(0.8)", .unknown("Sepia")),
      ("blur(3px)", .unknown("blur")), ("(0.8)", .unknown("")),
      ("sepia (0.8)", .unknown("sepia ")), ("sepia(-0.1)", .badAmount), ("sepia(+1)", .badAmount),
      ("sepia(1e0)", .badAmount), ("sepia(1.)", .badAmount), ("sepia(.)", .badAmount),
      ("sepia(1..2)", .badAmount), ("sepia(0.8%%)", .badAmount), ("sepia(%)", .badAmount),
      ("sepia(0,8)", .badAmount), ("sepia(nan)", .badAmount), ("sepia(123456789)", .badAmount),
      ("sepia(0.123456789)", .badAmount), ("sepia(１)", .badAmount),
    ] as [(String, Refusal)])
  func `anything else is refused, with the reason and what to write`(
    text: String, refusal: Refusal
  ) {
    let error = #expect(throws: TextProblem.self) { try FilterFunction(parsing: text) }
    #expect(error?.description == refusal.words)
  }

  enum Refusal: Equatable, Sendable {
    case unknown(String)
    case noArguments
    case badAmount

    var words: String {
      switch self {
      case .unknown(let name): "there is no filter '\(name)'; the only one is sepia(AMOUNT)"
      case .noArguments: "a filter is written as in CSS, for example sepia(0.8) or sepia(80%)"
      case .badAmount:
        "the amount is a number from 0 to 1 or a percentage, for example sepia(0.8) or sepia(80%)"
      }
    }
  }

  @Test(arguments: [(0, "0"), (1, "0.001"), (5, "0.005"), (50, "0.05"), (800, "0.8"), (1000, "1")])
  func `a filter is written as it is read`(thousandths: Int, amount: String) throws {
    let filter = FilterFunction.sepia(thousandths: thousandths)
    #expect("\(filter)" == "sepia(\(amount))")
    #expect(try FilterFunction(parsing: "\(filter)") == filter)
    #expect(filter.amount == Double(thousandths) / 1000)
  }

  @Test func `every amount survives being written and read`() throws {
    for thousandths in 0...1000 {
      let filter = FilterFunction.sepia(thousandths: thousandths)
      #expect(try FilterFunction(parsing: "\(filter)") == filter)
    }
    #expect(FilterFunction.standard == .sepia(thousandths: 800))
  }
}
