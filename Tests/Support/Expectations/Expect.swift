import Testing

/// Records an issue unless two values are equal.
///
/// It says what both are, where they begin to differ, and the line of the source:
///
///     expect(list.count, equals: 3)
///     try expect(file.text("x"), equals: "a\n", "after a restart")
///
/// In place of `#expect(a == b)`, whose expansion takes the compiler ten milliseconds of each of thousands, and which
/// prints both sides whole, however long they are.
package func expect<Value: Equatable>(
  _ actual: Value, equals expected: Value, _ comment: @autoclosure () -> String? = nil,
  fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
) {
  if actual == expected { return }
  let place = SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  let message = Mismatch(of: actual, and: expected).description
  record(message, comment(), at: place)
}

/// Records an issue unless there is no value.
package func expectNil<Value>(
  _ actual: Value?, _ comment: @autoclosure () -> String? = nil,
  fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
) {
  guard let actual else { return }
  let place = SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  record("\(shortened(text(of: actual))) is not nil", comment(), at: place)
}

private func record(_ message: String, _ comment: String?, at place: SourceLocation) {
  let source = sourceLine(place).map { "\($0): " } ?? ""
  Issue.record(Comment(rawValue: source + message + (comment.map { ", \($0)" } ?? "")), sourceLocation: place)
}
