import Language

/// The examples of `changes`, which its documentation shows and its tests run.
enum ChangesExamples {
  static let all: [NodeSpec.Example] = [
    .init(
      "a slip", "changes: { key: .id }",
      input: """
        0s {"id": "a", "net": "May"}
        0s poll
        6h {"id": "a", "net": "June"}
        6h {"id": "b", "net": "July"}
        6h poll
        12h {"id": "b", "net": "July"}
        12h poll
        """,
      output: """
        6h {"type":"changed","key":"a","at":"1970-01-01T06:00:00Z","before":{"id":"a","net":"May"},"after":{"id":"a","net":"June"},"diff":[{"path":"/net","before":"May","after":"June"}]}
        6h {"type":"added","key":"b","at":"1970-01-01T06:00:00Z","before":null,"after":{"id":"b","net":"July"},"diff":[]}
        12h {"type":"removed","key":"a","at":"1970-01-01T12:00:00Z","before":{"id":"a","net":"June"},"after":null,"diff":[]}
        """),
    .init(
      "only some fields", "changes: { key: .id, watch: [.net, .status] }",
      input: """
        0s {"id": "a", "net": 1, "views": 5}
        0s poll
        1h {"id": "a", "net": 1, "views": 6}
        1h poll
        2h {"id": "a", "net": 2, "views": 7}
        2h poll
        """,
      output: """
        2h {"type":"changed","key":"a","at":"1970-01-01T02:00:00Z","before":{"id":"a","net":1,"views":6},"after":{"id":"a","net":2,"views":7},"diff":[{"path":"/net","before":1,"after":2}]}
        """),
    .init(
      "all but some fields, from the first poll on", "changes: { key: .id, ignore: [.views], first: emit }",
      input: """
        0s {"id": "a", "views": 5}
        0s poll
        1h {"id": "a", "views": 6}
        1h poll
        """,
      output: """
        0s {"type":"added","key":"a","at":"1970-01-01T00:00:00Z","before":null,"after":{"id":"a","views":5},"diff":[]}
        """),
    .init(
      "lists whose elements have keys of their own", "changes: { key: .id, arrays_by: url }",
      input: """
        0s {"id": 1, "videos": [{"url": "x", "live": false}]}
        1s {"id": 1, "videos": [{"url": "y"}, {"url": "x", "live": true}]}
        """,
      output: """
        0s {"type":"added","key":1,"at":"1970-01-01T00:00:00Z","before":null,"after":{"id":1,"videos":[{"url":"x","live":false}]},"diff":[]}
        1s {"type":"changed","key":1,"at":"1970-01-01T00:00:01Z","before":{"id":1,"videos":[{"url":"x","live":false}]},"after":{"id":1,"videos":[{"url":"y"},{"url":"x","live":true}]},"diff":[{"path":"/videos/1/live","before":false,"after":true},{"path":"/videos/0","after":{"url":"y"}}]}
        """),
    .init(
      "only what is new", "changes: { key: .id, types: [added] }",
      input: """
        0s {"id": 1, "n": 1}
        1s {"id": 1, "n": 2}
        """,
      output: """
        0s {"type":"added","key":1,"at":"1970-01-01T00:00:00Z","before":null,"after":{"id":1,"n":1},"diff":[]}
        """),
    .init(
      "texts line by line, but for a counter and white space",
      "changes: { key: .id, text: { ignore: '[0-9]+ views', collapse: true } }",
      input: #"""
        0s {"id": 1, "page": "Terms\nno smoking\n5 views"}
        0s poll
        1h {"id": 1, "page": "Terms\nno  smoking\n6 views"}
        1h poll
        2h {"id": 1, "page": "Terms\nno dogs\n6 views"}
        2h poll
        """#,
      output: #"""
        2h {"type":"changed","key":1,"at":"1970-01-01T02:00:00Z","before":{"id":1,"page":"Terms\nno  smoking\n6 views"},"after":{"id":1,"page":"Terms\nno dogs\n6 views"},"diff":[{"path":"/page","before":"Terms\nno  smoking\n6 views","after":"Terms\nno dogs\n6 views","lines":"@@ -1,3 +1,3 @@\n Terms\n-no  smoking\n+no dogs\n 6 views"}]}
        """#),
    .init(
      "as patches", "changes: { key: .id, as: patch }",
      input: """
        0s {"id": 1, "n": 1, "list": [1, 2]}
        0s poll
        1h {"id": 1, "n": 2, "list": [1]}
        """,
      output: """
        1h {"type":"changed","key":1,"at":"1970-01-01T01:00:00Z","patch":[{"op":"test","path":"/n","value":1},{"op":"replace","path":"/n","value":2},{"op":"test","path":"/list/1","value":2},{"op":"remove","path":"/list/1"}]}
        """),
    .init(
      "the last of several rows with one key", "changes: { key: .id, duplicates: last }",
      input: """
        0s {"id": 1, "n": 1}
        0s {"id": 1, "n": 2}
        0s poll
        1h {"id": 1, "n": 1}
        1h {"id": 1, "n": 3}
        1h poll
        """,
      output: """
        1h {"type":"changed","key":1,"at":"1970-01-01T01:00:00Z","before":{"id":1,"n":2},"after":{"id":1,"n":3},"diff":[{"path":"/n","before":2,"after":3}]}
        """),
    .init(
      "at its limit", "changes: { key: ., bound: 1 }",
      input: """
        0s 1
        1s 2
        """,
      output: """
        0s {"type":"added","key":1,"at":"1970-01-01T00:00:00Z","before":null,"after":1,"diff":[]}
        """),
    .init(
      "beyond the horizon nothing is added or removed", "changes: { key: .id, remember: 30d }",
      input: """
        0s {"id": "a", "place": 1}
        0s {"id": "b", "place": 5}
        0s poll truncated .place
        6h {"id": "a", "place": 1}
        6h {"id": "c", "place": 4}
        6h poll truncated .place
        12h {"id": "a", "place": 1, "n": 2}
        12h {"id": "b", "place": 5, "n": 2}
        12h {"id": "d", "place": 6}
        12h poll truncated .place
        """,
      output: """
        6h {"type":"added","key":"c","at":"1970-01-01T06:00:00Z","before":null,"after":{"id":"c","place":4},"diff":[]}
        12h {"type":"changed","key":"a","at":"1970-01-01T12:00:00Z","before":{"id":"a","place":1},"after":{"id":"a","place":1,"n":2},"diff":[{"path":"/n","after":2}]}
        12h {"type":"changed","key":"b","at":"1970-01-01T12:00:00Z","before":{"id":"b","place":5},"after":{"id":"b","place":5,"n":2},"diff":[{"path":"/n","after":2}]}
        12h {"type":"removed","key":"c","at":"1970-01-01T12:00:00Z","before":{"id":"c","place":4},"after":null,"diff":[]}
        """),
    .init(
      "a list whose rows move", "changes: .id",
      input: """
        0s {"id": "a", "net": 1}
        0s {"id": "b", "net": 5}
        0s poll truncated .net moves
        6h {"id": "a", "net": 2}
        6h {"id": "c", "net": 4}
        6h poll truncated .net moves
        12h {"id": "a", "net": 2}
        12h {"id": "b", "net": 3}
        12h poll truncated .net moves
        """,
      output: """
        6h {"type":"changed","key":"a","at":"1970-01-01T06:00:00Z","before":{"id":"a","net":1},"after":{"id":"a","net":2},"diff":[{"path":"/net","before":1,"after":2}]}
        12h {"type":"changed","key":"b","at":"1970-01-01T12:00:00Z","before":{"id":"b","net":5},"after":{"id":"b","net":3},"diff":[{"path":"/net","before":5,"after":3}]}
        """),
    .init(
      "a removal that two polls must confirm", "changes: { key: ., removed_after: 2 }",
      input: """
        0s 1
        0s 2
        0s poll
        1h 2
        1h poll
        2h 1
        2h poll
        3h 1
        3h poll
        """,
      output: """
        3h {"type":"removed","key":2,"at":"1970-01-01T03:00:00Z","before":2,"after":null,"diff":[]}
        """),
    .init(
      "a sudden loss that the next poll does not confirm",
      "changes: { key: ., sudden_loss: { share: 50%, rows: 2 } }",
      input: """
        0s 1
        0s 2
        0s 3
        0s poll
        1h 7
        1h poll
        2h 1
        2h 2
        2h poll
        """,
      output: """
        2h {"type":"removed","key":3,"at":"1970-01-01T02:00:00Z","before":3,"after":null,"diff":[]}
        """),
    .init(
      "differences too small to report, until they add up",
      "changes: { key: .id, tolerance: { .net: 10m, .price: 1% } }",
      input: """
        0s {"id": 1, "net": "2026-01-01T00:00:00Z", "price": 200}
        0s poll
        1h {"id": 1, "net": "2026-01-01T00:07:00Z", "price": 201}
        1h poll
        2h {"id": 1, "net": "2026-01-01T00:14:00Z", "price": 201}
        2h poll
        """,
      output: """
        2h {"type":"changed","key":1,"at":"1970-01-01T02:00:00Z","before":{"id":1,"net":"2026-01-01T00:00:00Z","price":200},"after":{"id":1,"net":"2026-01-01T00:14:00Z","price":201},"diff":[{"path":"/net","before":"2026-01-01T00:00:00Z","after":"2026-01-01T00:14:00Z"},{"path":"/price","before":200,"after":201}]}
        """),
  ]
}
