import Language
import Reactive

/// A step that is made for its place in a pipeline.
enum MadeStep {
  case stateless(EventOperator)
  /// One that a `StepObserver` runs.
  case hosted(any Step)
}

extension Observable where Element == Event {
  /// The stream behind a step, which may read others at its side.
  func through(
    _ step: MadeStep, _ context: StepContext, _ errors: ErrorReporter, reading sides: [Observable] = [],
    ending: @escaping @Sendable () -> Ending
  ) -> Observable {
    switch step {
    case .stateless(let step): return applying(step, StepBooks(context, errors))
    case .hosted(let step):
      let step = LaneLocal(step)
      return Observable { [self] downstream, subscription in
        let child = subscription.child()
        let observer = StepObserver(step.value, to: downstream, in: child, context, errors, ending: ending)
        context.lane.task?.steps.insert(observer, at: 0)
        context.lane.onStart {
          context.lane.followClock()
          observer.start()
        }
        for side in sides { side.attach(SideObserver(observer), in: child) }
        attach(observer, in: child)
      }
    }
  }
}
