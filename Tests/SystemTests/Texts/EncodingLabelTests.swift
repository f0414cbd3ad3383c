import Expectations
import Testing

@testable import System

@Suite struct EncodingLabelTests {
  @Test(
    "a label of the web means the encoding that browsers read",
    arguments: [
      ("latin1", "windows-1252"), (" ISO-8859-1\n", "windows-1252"), ("ascii", "windows-1252"),
      ("UTF8", "utf-8"),
      ("gb2312", "gbk"), ("x-sjis", "shift_jis"), ("cp932", "shift_jis"), ("ks_c_5601-1987", "euc-kr"),
      ("tis-620", "windows-874"), ("latin5", "windows-1254"), ("iso8859-2", "iso-8859-2"),
      ("utf-16", "utf-16le"),
    ])
  func labels(_ label: String, _ name: String) throws {
    expect(EncodingLabel(label)?.name, equals: name)
    #expect(TextConverter.isKnown(label.filter { !$0.isWhitespace }), "iconv does not know it")
  }

  @Test("what is no label is none, and a page of single bytes is in no UTF-16")
  func others() {
    expectNil(EncodingLabel("nosuch"))
    expectNil(EncodingLabel(""))
    expectNil(EncodingLabel("utf-7"))
    expect(EncodingLabel("utf-16be")?.inPage, equals: .utf8)
    expect(EncodingLabel("x-user-defined")?.inPage, equals: .western)
    expect(EncodingLabel("koi8-r")?.inPage.name, equals: "koi8-r")
  }
}
