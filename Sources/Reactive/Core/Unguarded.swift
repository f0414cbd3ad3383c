/// An unsynchronised box for the state of an operator: touched only inside the serializer that guards it, or
/// under the lock that does.
///
/// The value lies outside the object, because the place of a generic field inside one is looked up at each access in
/// code that is not specialised, which costs more than all the rest of an operator. A place may start vacant, for the
/// same reason: an optional value would be one more type to look up.
///
/// `@unchecked Sendable` with its reason: the serializer (or lock) lets one thread at a time get here, with acquire and
/// release around it. What else of this module the compiler takes on trust: `DrainLoop` and the operators that derive from it,
/// which use their variables and what hangs on them (`AnyZipLine`) inside it; `ConditionLock` and `RingBuffer`, which hold
/// memory of their own; `PausingSource`, which a room hands from thread to thread; `Broadcast`, whose memory a lock guards;
/// `Observable` and `ListMember`, base classes without variables. What derives from one of these has to say so again.
///
/// `@exclusivity(unchecked)` is for variables that are used with each element: the serializer keeps the uses apart, and the
/// check would cost as much as they do.
@usableFromInline final class Unguarded<Value: ~Copyable & Sendable>: @unchecked Sendable {
  @usableFromInline let storage: UnsafeMutablePointer<Value>

  /// Whether there is no value yet: `fill` the place before using it.
  @exclusivity(unchecked) @usableFromInline var isVacant = true

  @inlinable init(vacantFor type: Value.Type = Value.self) {
    storage = .allocate(capacity: 1)
  }

  @inlinable convenience init(_ value: consuming Value) {
    self.init()
    fill(value)
  }

  @inlinable deinit {
    clear()
    storage.deallocate()
  }

  /// By address, not by coroutine: a coroutine that is not inlined takes its frame from the heap.
  @inlinable var value: Value {
    @inline(__always) unsafeAddress { UnsafePointer(storage) }
    @inline(__always) unsafeMutableAddress { storage }
  }

  @inlinable @inline(__always)
  var address: UnsafePointer<Value> { UnsafePointer(storage) }

  /// Puts a value in, whether or not there was one.
  @inlinable func fill(_ value: consuming Value) {
    clear()
    storage.initialize(to: value)
    isVacant = false
  }

  /// Makes the place vacant.
  @inlinable func clear() {
    if isVacant { return }
    isVacant = true
    storage.deinitialize(count: 1)
  }
}

/// An object of a class that is known from where it was put away.
///
/// It is kept without its type where that has a parameter, since such a type is looked up at each use in code that is not
/// specialised, which costs more than all the rest. A debug build checks it.
@inline(__always)
func known<Object: AnyObject>(_ object: AnyObject, as type: Object.Type) -> Object {
  unsafeDowncast(object, to: type)
}
