import Expectations
import JSON
import Testing

@testable import flow

/// What is made of the texts of a page: numbers and dates, by the texts of all entries.
@Suite struct FoundFieldTests {
  /// The kind that texts are taken for, and what the pipeline makes of them.
  private func made(_ texts: [String]) throws -> (kind: FoundField.Kind, values: [Value]) {
    let field = FoundField(name: "a", field: ".a", values: texts)
    let rows = (texts + [nil]).map { Value.record([("a", $0.map { .string($0) } ?? .null)]) }
    let map = FoundField.map([field], of: rows)
    return (field.kind, RenderedPage.mapped(rows, by: map).compactMap { $0.member("a") })
  }

  @Test(
    "numbers are read with the marks that their page uses",
    arguments: [
      (["€39.90", "€1,290.00", "free"], "[39.90,1290.00,null,null]"),
      (["1.200,50 €", "9,95 €"], "[1200.50,9.95,null]"),
      (["1.299 €", "12.500 €"], "[1299,12500,null]"), (["-3 °C", "12 °C"], "[-3,12,null]"),
      (["1 299 Kč", "15 Kč"], "[1299,15,null]"), (["CHF 1'299.90", "CHF 5.00"], "[1299.90,5.00,null]"),
      (["1,299", "0,5"], "[1.299,0.5,null]"), (["3", "5"], "[3,5,null]"),
    ])
  func numbers(_ texts: [String], _ numbers: String) throws {
    let made = try made(texts.count == 3 ? ["€5.00", "€6.00"] + texts : texts)
    expect(made.kind, equals: .number)
    expect(
      Value.array(texts.count == 3 ? Array(made.values.dropFirst(2)) : made.values).description,
      equals: numbers)
  }

  @Test("a title is a text, whatever digits it has")
  func title() {
    let texts = ["Lamp 1", "Lamp 2"]
    expect(FoundField(name: "title", field: "b", values: texts).kind, equals: .text)
    expect(FoundField(name: "a", field: "b", values: texts).kind, equals: .number)
  }

  @Test(
    "dates are read in the form that all of them have",
    arguments: [
      (["24.12.2026", "1.1.2027"], #"["2026-12-24T00:00:00Z","2027-01-01T00:00:00Z",null]"#),
      (["March 4, 2026", "May 15, 2026"], #"["2026-03-04T00:00:00Z","2026-05-15T00:00:00Z",null]"#),
      (["2026-01-01", "2026-01-02T03:04:05Z"], #"["2026-01-01","2026-01-02T03:04:05Z",null]"#),
    ])
  func dates(_ texts: [String], _ dates: String) throws {
    let made = try made(texts)
    expect(made.kind, equals: .date)
    expect(Value.array(made.values).description, equals: dates)
  }

  @Test("other texts stay as they are")
  func texts() throws {
    for texts in [["12 reviews", "3 reviews"], ["19€ 29€", "5€ 7€"], ["Anna", "Ben"], [""]] {
      let made = try made(texts)
      expect(made.kind, equals: .text, "\(texts)")
      expect(made.values.dropLast().compactMap(\.string), equals: texts)
    }
  }

  @Test("the options name what has to be quoted")
  func decode() {
    let fields = [
      FoundField(name: "link", field: "a@href", kind: .link), FoundField(name: "no", field: "b", kind: .text),
    ]
    expect(
      FoundField.decode("[data-id]", fields),
      equals: "{ html: { select: '[data-id]', fields: { link: 'a@href', no: b } } }")
  }
}
