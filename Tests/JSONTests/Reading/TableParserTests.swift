import Expectations
import JSON
import Testing

/// Rows of delimited text as objects.
@Suite struct TableParserTests {
  /// The header and the rows of a table, read in pieces of `piece` bytes at least.
  private func read(
    _ text: String, _ format: TableFormat = TableFormat(), _ kinds: [String: TableColumn.Kind] = [:],
    piece: Int = .max
  ) throws -> (rows: [String], flaws: [TableFlaw]) {
    let bytes = Array(text.utf8)
    return try bytes.withUnsafeBufferPointer { all in
      let header = try #require(try format.firstRow(all, isFinal: true))
      let names = header.fields.map { String(decoding: $0, as: UTF8.self) }
      let parser = TableParser(format, columns: names.map { TableColumn($0, kinds[$0] ?? .text) })
      var rows: [String] = []
      var flaws: [TableFlaw] = []
      var start = header.end
      var lines = header.lines
      var end = start
      repeat {
        end = piece == .max ? all.count : min(end + piece, all.count)
        var values: [Value] = []
        let part = UnsafeBufferPointer(rebasing: all[start..<end])
        let (done, passed) = parser.parse(part, isFinal: end == all.count, into: &values) { flaw in
          var flaw = flaw
          flaw.row += start
          flaw.line += lines
          flaws.append(flaw)
        }
        rows += values.map(\.description)
        start += done
        lines += passed
      } while end < all.count || start < all.count
      #expect(lines == bytes.count { $0 == 0x0a } || text.contains("\r"))
      return (rows, flaws)
    }
  }

  @Test(
    "fields, quotes, line breaks and escapes",
    arguments: [
      ("a,b,c\n1,2,3\n", [#"{"a":"1","b":"2","c":"3"}"#]),
      ("a,b,c\r\n1,2,3", [#"{"a":"1","b":"2","c":"3"}"#]),
      ("a,b,c\r1,2,3\r", [#"{"a":"1","b":"2","c":"3"}"#]),
      ("a,b\n1,\"ha \"\"ha\"\" ha\"\n", [#"{"a":"1","b":"ha \"ha\" ha"}"#]),
      ("a,b\n1,\"{\"\"type\"\": \"\"Point\"\"}\"\n", [#"{"a":"1","b":"{\"type\": \"Point\"}"}"#]),
      (
        "a,b\n\"Once upon \na time\",5\n7,8\n",
        [#"{"a":"Once upon \na time","b":"5"}"#, #"{"a":"7","b":"8"}"#]
      ),
      ("a,b\r\n\"Once\r\nupon\",5\r\n", [#"{"a":"Once\r\nupon","b":"5"}"#]),
      (
        "first,last,address\nJohn,Doe,\"120 any st., Anytown, WW\"\n",
        [#"{"first":"John","last":"Doe","address":"120 any st., Anytown, WW"}"#]
      ),
      ("a,b,c\n1,\"\",\"\"\n2,,\n", [#"{"a":"1","b":"","c":""}"#, #"{"a":"2","b":"","c":""}"#]),
      ("a,b\n1,ʤ\n", [#"{"a":"1","b":"ʤ"}"#]),
      ("a\n\n1\n\n\n2\n\n", [#"{"a":"1"}"#, #"{"a":"2"}"#]),
      ("a\n\"\"\n", [#"{"a":""}"#]),
      ("a,b\nsay \"hi\",\\n\n", [#"{"a":"say \"hi\"","b":"\\n"}"#]),
      ("a,b\n\u{1}\u{7f},\tx\n", [#"{"a":"\u0001\u007f","b":"\tx"}"#]),
      (
        "a\"b,c\nthis is a long field of many bytes,another one that is long enough\n",
        [#"{"a\"b":"this is a long field of many bytes","c":"another one that is long enough"}"#]
      ),
      ("a,b\n", []), ("a,b", []),
    ])
  func rows(_ text: String, _ expected: [String]) throws {
    for piece in [1, 3, 8, .max] {
      let found = try read(text, piece: piece)
      #expect(found.rows == expected && found.flaws.isEmpty, "in pieces of \(piece)")
    }
  }

  @Test("numbers and booleans are read where they are asked for, and an empty field is null")
  func kinds() throws {
    let found = try read(
      "n,b\n 1.50 ,YES\n,\n-2e3,0\n", TableFormat(), ["n": .number, "b": .boolean])
    expect(found.rows, equals: [#"{"n":1.50,"b":true}"#, #"{"n":null,"b":null}"#, #"{"n":-2E+3,"b":false}"#])
    #expect(found.flaws.isEmpty)
  }

  @Test(
    "numbers as people write them",
    arguments: [
      ("+5", "5"), (".5", "0.5"), ("-.5", "-0.5"), ("5.", "5"), ("007", "7"), ("-007.50", "-7.50"),
      ("000", "0"),
      ("+1e3", "1E+3"), ("1.e-2", "0.01"), ("+", nil), (".", nil), ("1e", nil), ("1,5", nil), ("0x1f", nil),
      ("--5", nil), ("1 000", nil), ("5x", nil), ("NaN", nil),
    ] as [(String, String?)])
  func numbers(_ text: String, _ number: String?) throws {
    let found = try read("n\n\"\(text)\"\n", TableFormat(), ["n": .number])
    expect(found.rows, equals: (number.map { [#"{"n":\#($0)}"#] } ?? []))
    expect(found.flaws.count, equals: (number == nil ? 1 : 0))
  }

  @Test("a decimal comma, and points between thousands")
  func decimalComma() throws {
    var format = TableFormat(delimiter: 0x3b)
    let plain = try read("n\n1,5\n1.234,56\n", format, ["n": .number])
    expect(
      plain.flaws.map(\.reason),
      equals: ["1,5", "1.234,56"].map {
        "“\($0)” is not a number, which the column “n” has; set decimal_comma: true"
      })
    format.hasDecimalComma = true
    let found = try read("n\n1,5\n1.234,56\n-1.234.567\n12\n,5\n1.5\n1.2345\n", format, ["n": .number])
    expect(
      found.rows,
      equals: [#"{"n":1.5}"#, #"{"n":1234.56}"#, #"{"n":-1234567}"#, #"{"n":12}"#, #"{"n":0.5}"#],
      "\(found.rows)")
    expect(found.flaws.count, equals: 2)
  }

  @Test("texts that are null in columns of numbers and booleans")
  func nulls() throws {
    var format = TableFormat()
    format.nulls = [Array("NA".utf8), Array("-999".utf8)]
    let text = "t,n,b\nNA,NA , NA\n-999,-999,no\nx,-,no\n"
    let found = try read(text, format, ["n": .number, "b": .boolean])
    expect(found.rows, equals: [#"{"t":"NA","n":null,"b":null}"#, #"{"t":"-999","n":null,"b":false}"#])
    expect(
      found.flaws.map(\.reason),
      equals: [
        "“-” is not a number, which the column “n” has; have it read as null with nulls, or the column as text"
      ])
  }

  @Test("delimiters, other quotes, no quotes, and spaces around fields")
  func formats() throws {
    try expect(
      read("a;b\n'x;y';2\n", TableFormat(delimiter: 0x3b, quote: 0x27)).rows,
      equals: [#"{"a":"x;y","b":"2"}"#])
    try expect(
      read("a\tb\n5\"\t\"x\n", TableFormat(delimiter: 0x09, quote: nil)).rows,
      equals: [
        #"{"a":"5\"","b":"\"x"}"#
      ])
    let trimmed = try read("a, b\n 1 , \"x \" \n", TableFormat(trims: true))
    expect(trimmed.rows, equals: [#"{"a":"1","b":"x "}"#])
  }

  @Test("rows of another length are errors, filled, or left out")
  func ragged() throws {
    let text = "a,b\n1\n1,2,3,\"4\"\n5,6\n"
    let strict = try read(text)
    expect(strict.rows, equals: [#"{"a":"5","b":"6"}"#])
    expect(
      strict.flaws,
      equals: [
        TableFlaw(row: 4, line: 1, column: 1, reason: "the row has 1 field instead of 2"),
        TableFlaw(row: 6, line: 2, column: 1, reason: "the row has 4 fields instead of 2"),
      ])
    let filled = try read(text, TableFormat(ragged: .fill))
    expect(
      filled.rows,
      equals: [
        #"{"a":"1","b":null}"#, #"{"a":"1","b":"2","_rest":["3","4"]}"#, #"{"a":"5","b":"6"}"#,
      ])
    let skipped = try read(text, TableFormat(ragged: .skip))
    #expect(skipped.rows == [#"{"a":"5","b":"6"}"#] && skipped.flaws.isEmpty)
  }

  @Test("an error names its line and column, and costs one row")
  func flaws() throws {
    let text = "a,n\nx,1\n\"y\"z,2\nż,no\n3,4\n\"open\n5,6\n"
    for piece in [1, 5, .max] {
      let found = try read(text, TableFormat(), ["n": .number], piece: piece)
      expect(found.rows, equals: [#"{"a":"x","n":1}"#, #"{"a":"3","n":4}"#, #"{"a":"5","n":6}"#])
      expect(
        found.flaws.map { "\($0.line + 1):\($0.column): \($0.reason)" },
        equals: [
          "3:4: “,” or the end of the line is expected after the closing quote",
          "4:3: “no” is not a number, which the column “n” has; have it read as null with nulls, or the column as text",
          "6:1: the quote that opens here is never closed",
        ])
    }
  }

  @Test("a row that is not UTF-8 is an error, at its first such byte")
  func encoding() {
    let bytes: [UInt8] = Array("1,2\n3,".utf8) + [0xe9] + Array("\n5,6\n7,".utf8) + [0xff, 0x0a]
    let parser = TableParser(TableFormat(), columns: [TableColumn("a"), TableColumn("b")])
    var values: [Value] = []
    var flaws: [TableFlaw] = []
    bytes.withUnsafeBufferPointer { text in
      _ = parser.parse(text, isFinal: true, into: &values) { flaws.append($0) }
    }
    expect(values.map(\.description), equals: [#"{"a":"1","b":"2"}"#, #"{"a":"5","b":"6"}"#])
    #expect(flaws.map(\.line) == [1, 3] && flaws.map(\.column) == [3, 3])
    expect(flaws.first?.reason, equals: "the text is not UTF-8: byte 0xe9")
  }

  @Test("rows are values like any other: they are written, kept, looked up and compared")
  func values() throws {
    let text = "id,name,id2\n" + (0..<500).map { "\($0),\"row \"\"\($0)\"\"\",\($0 * 7)\n" }.joined()
    let parser = TableParser(
      TableFormat(), columns: [TableColumn("id", .number), TableColumn("name"), TableColumn("id2")])
    var values: [Value] = []
    Array(text.utf8.drop { $0 != 0x0a }).withUnsafeBufferPointer { rows in
      _ = parser.parse(rows, isFinal: true, into: &values) { _ in }
    }
    expect(values.count, equals: 500)
    for (number, value) in values.enumerated() {
      let expected = #"{"id":\#(number),"name":"row \"\#(number)\"","id2":"\#(number * 7)"}"#
      expect(value.description, equals: expected)
      expect(value.detach().description, equals: expected)
      #expect(value == (try Value.parse(Array(expected.utf8))))
      expect(value.member("id2")?.string, equals: "\(number * 7)")
    }
  }

  @Test("any table that is written is read as it was, in pieces of any size")
  func property() throws {
    var random = Random(seed: 7)
    let alphabet: [String] = [
      "a", "b", ",", "\"", "\n", "\r\n", " ", "\\", "é", "12345678", "long enough text",
    ]
    for _ in 0..<300 {
      let width = Int(random.next() % 4) + 1
      let table = (0..<(Int(random.next() % 6) + 1)).map { _ in
        (0..<width).map { _ in
          (0..<Int(random.next() % 5)).map { _ in alphabet[Int(random.next() % UInt64(alphabet.count))] }
            .joined()
        }
      }
      let header = (0..<width).map { "c\($0)" }
      let text = ([header] + table).map { row in
        row.map { field in
          "\"" + field.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
            + "\""
        }.joined(separator: ",") + "\n"
      }.joined()
      let expected = table.map { row in
        var object = Value.emptyObject
        for (name, field) in zip(header, row) { object.setMember(Key(name), .string(field)) }
        return object.description
      }
      for piece in [1, 7, .max] {
        let found = try read(text, piece: piece)
        #expect(found.rows == expected && found.flaws.isEmpty, "\(text)")
      }
    }
  }
}

private struct Random {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state >> 3
  }
}
