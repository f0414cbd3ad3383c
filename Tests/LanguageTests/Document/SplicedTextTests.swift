import Expectations
import Testing

@testable import Language

@Suite struct SplicedTextTests {
  private static let values = [
    "INJ": #"x" | env | ""#, "CODE": #"\(1+1)"#, "N": "3", "NEG": "-2", "FUN": "env", "LINE": "a\nb",
    "EMPTY": "",
    "PAREN": "(1)",
  ]

  private func scalar(_ text: String) throws -> Scalar {
    let document = YAMLDocument(SourceFile(path: "a", text: text)) { Self.values[$0] }
    return try #require(document.root?.scalar)
  }

  @Test(
    "a value in an expression is a value",
    arguments: [
      (#"'"${INJ}"'"#, #""x\" | env | \"""#), (#"'"${CODE}"'"#, #""\\(1+1)""#), ("'.n > ${N}'", ".n >  3 "),
      ("'${FUN}'", #" "env" "#), ("'.${FUN}'", #"."env""#), ("'.n + ${NEG}'", ".n +  -2 "),
      (#"'"\(${FUN})"'"#, #""\( "env" )""#), (#"'"\("${FUN}")"'"#, #""\("env")""#),
      ("'${LINE}'", #" "a\nb" "#),
      (#"'"\\${PAREN}"'"#, #""\\(1)""#), (#"'"\${PAREN}"'"#, #""\\(1)""#),
    ])
  func expressions(text: String, code: String) throws {
    try expect(scalar(text).asExpression.text, equals: code)
  }

  @Test(
    "a value in a template is text",
    arguments: [
      ("'a ${CODE} b'", #"a \\(1+1) b"#), ("'${INJ}'", #"x\" | env | \""#), (#"'\(${N})'"#, #"\( 3 )"#),
      (#"'\(.a) ${FUN}'"#, #"\(.a) env"#),
    ])
  func templates(text: String, code: String) throws {
    try expect(scalar(text).asTemplate.text, equals: code)
  }

  @Test("a scalar without variables stays as it is, and places are those of the file")
  func places() throws {
    try expect(scalar("'.n > 3'").asExpression.text, equals: ".n > 3")
    let code = try scalar("'${N} | foo'").asExpression
    let start = try #require(code.text.firstRange(of: "foo")?.lowerBound.utf16Offset(in: code.text))
    expect(code.place(of: start..<start + 3).range, equals: 8..<11)
  }
}
