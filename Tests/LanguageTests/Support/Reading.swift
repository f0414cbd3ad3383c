import Language

/// Reads a text as a pipeline's file.
func read(
  _ text: String, limits: Limits = Limits(), environment: [String: String] = [:]
) -> YAMLDocument {
  YAMLDocument(SourceFile(path: "a.yaml", text: text), limits: limits) { environment[$0] }
}

/// The problems of a text, one line each, without the path.
func complaints(_ text: String, limits: Limits = Limits(), environment: [String: String] = [:]) -> [String] {
  read(text, limits: limits, environment: environment).problems.sorted.map {
    "\($0.place.position): \($0.message)"
  }
}
