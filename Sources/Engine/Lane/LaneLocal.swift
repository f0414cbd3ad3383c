/// A box for a value that is only used on one lane.
///
/// `@unchecked Sendable` with its reason: a lane's scheduler runs one piece of work at a time, each after the other
/// with the memory order that its queue gives, and the compiler cannot know that everything here is called from there.
/// The observers of steps and sinks, partitions and their tasks are unchecked for the same reason.
///
/// A debug build checks it: what a turn of one lane has used, no other lane may, and nothing else while that has a turn.
public final class LaneLocal<Value>: @unchecked Sendable {
  #if DEBUG
    @exclusivity(unchecked) private var kept: Value
    private let owner = LaneOwner()

    public init(_ value: Value) { kept = value }

    public var value: Value {
      _read {
        owner.check()
        yield kept
      }
      _modify {
        owner.check()
        yield &kept
      }
    }
  #else
    @exclusivity(unchecked) public var value: Value

    public init(_ value: Value) { self.value = value }
  #endif
}
