import Engine
import Language

/// Reactive has an `Event` too, the one of `materialize`; here it is always what flows through a pipeline.
typealias Event = Engine.Event
