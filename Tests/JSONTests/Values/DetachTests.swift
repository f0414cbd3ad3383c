import Expectations
import Testing

@testable import JSON

/// The state of a fold that keeps a little of each input must not keep all the text alive.
@Suite struct DetachTests {
  /// The number of chunks still alive after a fold over a stream, or of values of their own if each has waited before.
  func chunksHeld(
    afterWaiting: Bool = false, _ fold: (inout Value, Value) -> Void
  ) throws -> (state: Value, chunks: Int) {
    let text = (0..<4000).map { #"{"id":"id \#($0)","n":\#($0).5,"more":["text of some length",{"a":1}]}"# }
    let reader = Reader(chunkSize: 8192, source: pieces(Array(text.joined(separator: "\n").utf8), 8192))
    var state = Value.null
    var chunks: [Held] = []
    while let read = try reader.next() {
      let value = afterWaiting ? read.detach() : read
      if case .view(let document, _) = value, chunks.last?.document !== document {
        chunks.append(Held(document))
      }
      fold(&state, value)
    }
    return (state, Set(chunks.compactMap { $0.document.map { ObjectIdentifier($0) } }).count)
  }

  private struct Held {
    weak var document: TapeDocument?
    init(_ document: TapeDocument) { self.document = document }
  }

  @Test func anObjectOfTexts() throws {
    let (state, chunks) = try chunksHeld { state, value in
      guard let id = value.member("id"), let key = Key(id) else { return }
      state.setMember(key, value.member("n") ?? .null)
    }
    #expect(state.count == 4000 && state.member("id 77")?.description == "77.5")
    #expect(chunks < 10)
  }

  @Test func anArrayOfSmallObjects() throws {
    let shape = Shape(["id", "more"])
    let (state, chunks) = try chunksHeld { state, value in
      state.append(.object(shape, [value.member("id") ?? .null, value.member("more") ?? .null]))
    }
    expect(
      state.element(3999)?.description, equals: #"{"id":"id 3999","more":["text of some length",{"a":1}]}"#)
    #expect(chunks < 10)
  }

  @Test("a small text of an event that waited does not keep the event, and a large part is not copied")
  func partsOfWhatWaited() throws {
    let texts = try chunksHeld(afterWaiting: true) { state, value in
      guard let id = value.member("id"), let key = Key(id) else { return }
      state.setMember(key, id)
    }
    #expect(texts.state.member("id 3999") == Value.string("id 3999"))
    // A container keeps its first parts as they are.
    expect(texts.chunks, equals: Value.stateSize)
    let objects = try chunksHeld(afterWaiting: true) { state, value in
      state.append(.record([("of", value.member("id") ?? .null)]))
    }
    expect(objects.state.element(3999)?.description, equals: #"{"of":"id 3999"}"#)
    expect(objects.chunks, equals: Value.stateSize)
    let large = try chunksHeld(afterWaiting: true) { state, value in
      state.append(value.member("more") ?? .null)
    }
    expect(large.chunks, equals: 4000)
  }

  @Test func wholeInputsByKey() throws {
    let (state, chunks) = try chunksHeld { state, value in
      guard let id = value.member("id"), let key = Key(id) else { return }
      state.setMember(key, value)
    }
    expect(state.member("id 3000")?.member("n")?.description, equals: "3000.5")
    #expect(chunks < 10)
  }

  @Test func valuesMakeUpTheirDocumentsFromHalfOfThemOn() throws {
    let text = (0..<400).map { #"{"id":"id \#($0)","n":\#($0)}"# }.joined(separator: "\n")
    let reader = Reader(chunkSize: text.utf8.count + 1, source: pieces(Array(text.utf8), 1 << 20))
    var values: [Value] = []
    while let value = try reader.next() { values.append(value) }
    #expect(Value.makeUpDocuments(values))
    #expect(Value.makeUpDocuments(values + [.null, .number(1)]))
    #expect(Value.makeUpDocuments(Array(values.prefix(250))))
    #expect(!Value.makeUpDocuments(Array(values.prefix(150))))
    #expect(Value.makeUpDocuments(values.prefix(2).map { $0.detach() }))
    #expect(!Value.makeUpDocuments([.array([values[0]])]))
    #expect(Value.makeUpDocuments([]))
  }

  @Test("a line that came by itself into the memory for many does not keep that")
  func aLoneLine() throws {
    let line = Array(#"{"id":"a","n":1.50}"#.utf8)
    var text = TextBuffer(capacity: 1 << 18)
    _ = text.memory.update(fromContentsOf: line)
    var values: [Value] = []
    _ = ChunkParser(size: 1 << 18)
      .parse(&text, 0..<line.count, of: line.count, eachOnItsLine: true, into: &values)
    guard case .view(let document, _) = try #require(values.first) else { return #expect(Bool(false)) }
    #expect(document.rawCapacity >= 1 << 18 && !Value.makeUpDocuments(values))
    guard case .view(let kept, _) = values[0].detach() else { return #expect(Bool(false)) }
    #expect(kept.rawCapacity == line.count)
    guard case .view(let again, _) = Value.view(kept, 0).detach() else { return #expect(Bool(false)) }
    #expect(again === kept)
  }
}
