import Expectations
import JSON
import Testing

/// A program, its input and the outputs it must have, as JSON.
struct Case: Sendable, CustomTestStringConvertible {
  let program: String
  let input: String
  let outputs: [String]

  init(_ program: String, _ input: String = "null", _ outputs: String...) {
    self.program = program
    self.input = input
    self.outputs = outputs
  }

  var testDescription: String { program }

  func check() throws {
    let environment = Environment()
    let got = try Program(program).outputs(try Value.parse(input), environment).map(\.description)
    expect(got, equals: outputs, "\(program)")
  }
}

/// The outputs of a program as JSON.
func outputs(
  _ program: String, _ input: String = "null", _ environment: Environment = Environment()
) throws -> [String] {
  try Program(program).outputs(try Value.parse(input), environment).map(\.description)
}

/// The error that a run ends in; nil where it ends well.
func failure(_ program: String, _ input: String = "null", _ environment: Environment = Environment()) throws
  -> String?
{
  do {
    _ = try outputs(program, input, environment)
    return nil
  } catch let error as EvaluationError {
    return error.description
  }
}

/// What the compiler says of a text that is no program.
func refusal(_ program: String) -> String? {
  do throws(ProgramError) {
    _ = try Program(program)
    return nil
  } catch {
    return error.description
  }
}
