import Reactive
import ReactiveTesting
import SignUp
import Testing

@Suite struct SignUpModelTests {
  private let clock = VirtualScheduler()

  /// A form whose server takes a second for each request, and knows ada already.
  private var model: SignUpModel {
    SignUpModel(
      on: clock,
      isFree: { [clock] name in
        try await Task.sleep(for: .seconds(1), clock: clock)
        return name != "ada"
      },
      register: { [clock] name, _ in
        try await Task.sleep(for: .seconds(1), clock: clock)
        if name == "down" { throw MarbleFailure() }
      })
  }

  private func fill(_ model: SignUpModel, name: String) {
    model.name.next(name)
    model.password.next("long enough")
    model.repeated.next("long enough")
    model.hasAgreed.next(true)
  }

  @Test func theButtonIsEnabledWhenAllIsInOrder() {
    let model = model
    let enabled = clock.record(model.isEnabled)
    let busy = clock.record(model.isBusy)
    fill(model, name: "grace")
    clock.advance(by: .seconds(2))
    #expect(enabled.elements == [false, true])
    #expect(busy.elements == [false, true, false])
    model.repeated.next("different")
    #expect(enabled.elements == [false, true, false])
  }

  @Test func aNameThatIsTakenKeepsItDisabled() {
    let model = model
    let enabled = clock.record(model.isEnabled)
    let check = clock.record(model.nameCheck)
    fill(model, name: "ada")
    clock.advance(by: .seconds(2))
    #expect(enabled.elements == [false])
    #expect(check.elements == [.invalid, .running, .invalid])
  }

  @Test func onlyTheNewestNameIsAskedFor() {
    let model = model
    let check = clock.record(model.nameCheck)
    for name in ["a", "ad", "ada", "adam"] { model.name.next(name) }
    clock.advance(by: .seconds(2))
    #expect(check.elements.last == .valid)
  }

  @Test func asksTheServerOnceHoweverOftenTheButtonIsPressed() {
    let model = model
    let enabled = clock.record(model.isEnabled)
    let submission = clock.record(model.submission)
    fill(model, name: "grace")
    clock.advance(by: .seconds(2))
    model.submit.next(())
    model.submit.next(())
    #expect(enabled.elements == [false, true, false])
    clock.advance(by: .seconds(2))
    #expect(submission.elements == [.invalid, .running, .valid])
    #expect(enabled.elements == [false, true, false, true])
  }

  @Test func aServerThatIsDownIsAState() {
    let model = model
    let submission = clock.record(model.submission)
    model.name.next("down")
    model.submit.next(())
    clock.advance(by: .seconds(2))
    #expect(submission.elements == [.invalid, .running, .invalid])
  }
}
