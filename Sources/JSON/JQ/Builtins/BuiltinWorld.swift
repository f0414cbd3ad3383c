// Builtins that use the environment, and those that end the program.

extension Builtins {
  static let world: [String: Builtin] = [
    "input/0": .zero { (_, frame) throws(Exception) in
      guard let input = try nextInput(frame.run, for: "input") else { throw Exception("break") }
      return input
    },
    "debug/0": .zero { (value, frame) throws(Exception) in
      guard let sink = frame.run.environment.debug else {
        throw frame.run.refusal("debug", "there is nowhere to write to")
      }
      sink(value)
      return value
    },
    "stderr/0": .zero { (value, frame) throws(Exception) in
      guard let sink = frame.run.environment.standardError else {
        throw frame.run.refusal("stderr", "there is nowhere to write to")
      }
      sink(value)
      return value
    },
    "env/0": .zero { (_, frame) throws(Exception) in try environmentObject(frame.run) },
    "input_filename/0": .zero { (_, frame) throws(Exception) in
      guard let name = frame.run.environment.inputFileName else {
        throw frame.run.refusal("input_filename", "there is no input stream")
      }
      return name().map { .string($0) } ?? .null
    },
    "halt/0": .zero { (_, _) throws(Exception) in throw Exception(.halt(status: 0, output: nil)) },
    "halt_error/1": .one { (value, status, _) throws(Exception) in
      guard let code = status.double else { throw typeError(value, "halt_error/1: number required") }
      throw Exception(.halt(status: Int32(clamping: saturated(code)), output: value))
    },
    "get_search_list/0": .form { (compiler, _, _) throws(ProgramError) in
      .constant(.array((compiler.modules?.searchPaths ?? []).map { .string($0) }))
    },
    "get_prog_origin/0": .form { (compiler, _, _) throws(ProgramError) in
      .constant(compiler.modules?.origin.map { .string($0) } ?? .null)
    },
    "get_jq_origin/0": .refused("programs do not learn where the command is installed"),
    "modulemeta/0": .form { (compiler, _, _) throws(ProgramError) in
      let modules = compiler.modules
      return .single { (value, frame) throws(Exception) in
        guard let path = value.string else {
          throw Exception("modulemeta input module name must be a string")
        }
        guard let modules else { throw frame.run.refusal("modulemeta", "no modules can be read") }
        return try moduleMetadata(path, modules)
      }
    },
  ]
}

// `env` and `$ENV`
func environmentObject(_ run: Run) throws(Exception) -> Value {
  guard let object = run.environment.processEnvironment else {
    throw run.refusal("env", "the process environment is not handed in")
  }
  return object
}

/// The next input; an error of the input stream is an error that a program can catch.
func nextInput(_ run: Run, for name: String) throws(Exception) -> Value? {
  guard let next = run.environment.nextInput else {
    throw run.refusal(name, "there is no input stream")
  }
  do {
    return try next()
  } catch let stop as Exception {
    throw stop
  } catch {
    throw Exception("\(error)")
  }
}
