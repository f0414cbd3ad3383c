import JSON
import Testing

@testable import Markup

@Suite struct XMLValuesTests {
  @Test("XML becomes JSON: attributes, elements, lists, texts, names with prefixes")
  func values() throws {
    func json(_ text: String, _ form: XMLForm = XMLForm()) throws -> String {
      try form.values(of: try xml(text)).map(\.description).joined(separator: " ")
    }
    #expect(try json("<a/>") == #"{"a":""}"#)
    #expect(try json("<a> x </a>") == #"{"a":" x "}"#)
    #expect(try json("<a b='1'>x<c/>y</a>") == ##"{"a":{"@b":"1","c":"","#text":"xy"}}"##)
    #expect(try json("<a><b>1</b><c/><b>2</b></a>") == #"{"a":{"b":["1","2"],"c":""}}"#)
    #expect(try json("<a><![CDATA[<&]]>&lt;<!-- no --></a>") == #"{"a":"<&<"}"#)
    #expect(try json("<a xmlns:d='u:d'><d:b d:c='1'/></a>") == #"{"a":{"d:b":{"@d:c":"1"}}}"#)
    #expect(try json("<a xmlns:d='u:d'><d:b/></a>", XMLForm(prefixes: ["u:d": "x"])) == #"{"a":{"x:b":""}}"#)
    #expect(try json("<a>&eacute;<![CDATA[&eacute;]]>&amp;</a>") == #"{"a":"é&eacute;&"}"#)
    #expect(try json("<a><b>1</b></a>", XMLForm(lists: ["b"])) == #"{"a":{"b":["1"]}}"#)
    #expect(try json("<a><b>1</b><b>2</b></a>", XMLForm(select: Selector("b"))) == #""1" "2""#)
    #expect(
      try json("<?xml version='1.0' encoding='ISO-8859-2'?><a>x&eacute;&nbsp;&#x17c;</a>")
        == "{\"a\":\"xé\u{a0}ż\"}")
  }
}
