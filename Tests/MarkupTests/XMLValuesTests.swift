import Expectations
import JSON
import Testing

@testable import Markup

@Suite struct XMLValuesTests {
  @Test("XML becomes JSON: attributes, elements, lists, texts, names with prefixes")
  func values() throws {
    func json(_ text: String, _ form: XMLForm = XMLForm()) throws -> String {
      try form.values(of: try xml(text)).map(\.description).joined(separator: " ")
    }
    try expect(json("<a/>"), equals: #"{"a":""}"#)
    try expect(json("<a> x </a>"), equals: #"{"a":" x "}"#)
    try expect(json("<a b='1'>x<c/>y</a>"), equals: ##"{"a":{"@b":"1","c":"","#text":"xy"}}"##)
    try expect(json("<a><b>1</b><c/><b>2</b></a>"), equals: #"{"a":{"b":["1","2"],"c":""}}"#)
    try expect(json("<a><![CDATA[<&]]>&lt;<!-- no --></a>"), equals: #"{"a":"<&<"}"#)
    try expect(json("<a xmlns:d='u:d'><d:b d:c='1'/></a>"), equals: #"{"a":{"d:b":{"@d:c":"1"}}}"#)
    try expect(
      json("<a xmlns:d='u:d'><d:b/></a>", XMLForm(prefixes: ["u:d": "x"])), equals: #"{"a":{"x:b":""}}"#)
    try expect(json("<a>&eacute;<![CDATA[&eacute;]]>&amp;</a>"), equals: #"{"a":"é&eacute;&"}"#)
    try expect(json("<a><b>1</b></a>", XMLForm(lists: ["b"])), equals: #"{"a":{"b":["1"]}}"#)
    try expect(json("<a><b>1</b><b>2</b></a>", XMLForm(select: Selector("b"))), equals: #""1" "2""#)
    try expect(
      json("<?xml version='1.0' encoding='ISO-8859-2'?><a>x&eacute;&nbsp;&#x17c;</a>"),
      equals: "{\"a\":\"xé\u{a0}ż\"}")
  }
}
