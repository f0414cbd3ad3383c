extension Value {
  /// The JSON Patch (RFC 6902) that turns a value into a later one; each old value is asserted by a `test`.
  ///
  ///     Value.patch(from: {"a":1,"b":[1,2]}, to: {"a":2,"b":[1]})
  ///     // [{"op":"test","path":"/a","value":1},{"op":"replace","path":"/a","value":2},
  ///     //  {"op":"test","path":"/b/1","value":2},{"op":"remove","path":"/b/1"}]
  public static func patch(from before: Value, to after: Value) -> Value {
    var operations: [Value] = []
    var removals: [[Value]] = []
    for difference in differences(from: before, to: after) {
      let path = Value.string(difference.path.description)
      func operation(_ name: String, _ value: Value) -> Value {
        .object(patchShapes.value, [.string(name), path, value])
      }
      switch (difference.before, difference.after) {
      case (let before?, let after?): operations += [operation("test", before), operation("replace", after)]
      case (nil, let after?): operations.append(operation("add", after))
      case (let before?, nil):
        removals.append([operation("test", before), .object(patchShapes.bare, [.string("remove"), path])])
      case (nil, nil): break
      }
    }
    // The last elements of a list first, and after all else, so that no path moves before it is used.
    return .array(operations + removals.reversed().joined())
  }
}

private let patchShapes = (
  value: Shape(["op", "path", "value"], isShared: true), bare: Shape(["op", "path"], isShared: true)
)
