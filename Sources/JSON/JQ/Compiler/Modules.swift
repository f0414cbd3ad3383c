// `import` and `include`: finding module files, reading each once, and putting their definitions into scope.

/// The module search path, and access to the modules' files.
public struct ModuleLoader: Sendable {
  /// Folders, in order; `~` and `$ORIGIN` are the caller's to expand.
  public var searchPaths: [String]
  /// The folder of the program itself, which relative search paths start from.
  public var origin: String?
  /// The contents of a file, nil where there is none.
  public var read: @Sendable (_ path: String) -> [UInt8]?

  public init(
    searchPaths: [String], origin: String? = nil, read: @escaping @Sendable (_ path: String) -> [UInt8]?
  ) {
    self.searchPaths = searchPaths
    self.origin = origin
    self.read = read
  }

  /// Modules in files.
  public static func files(
    _ searchPaths: [String], origin: String? = nil, files: FileReading = .system
  ) -> ModuleLoader {
    ModuleLoader(searchPaths: searchPaths, origin: origin, read: files.read)
  }

  /// The file that a module's relative path leads to.
  func find(_ path: String, _ directive: ImportSearch, isData: Bool) -> (path: String, text: [UInt8])? {
    let suffix = isData ? ".json" : ".jq"
    let base = path.split(separator: "/").last.map(String.init) ?? path
    for folder in directive.folders(self) {
      for candidate in [
        "\(folder)/\(path)\(suffix)", "\(folder)/\(path)/jq/main\(suffix)",
        "\(folder)/\(path)/\(base)\(suffix)",
      ] {
        if let text = read(candidate) { return (candidate, text) }
      }
    }
    return nil
  }
}

/// The folders that one `import` searches: those that it names, or else the loader's.
struct ImportSearch {
  /// `search` of the directive's metadata.
  var given: [String]?
  /// The folder of the file with the directive.
  var origin: String?

  func folders(_ loader: ModuleLoader) -> [String] {
    guard let given else { return [origin ?? "."] + loader.searchPaths }
    return given.map { folder in
      guard !folder.hasPrefix("/"), let origin else { return folder }
      return "\(origin)/\(folder)"
    }
  }
}

extension Compiler {
  /// The scope of a module's own definitions and main expression: what it imports.
  func importScope(_ module: Module, _ folder: String?) throws(ProgramError) -> Scope {
    var scope = Scope(module.source)
    for directive in module.imports {
      guard let loader = modules else {
        throw ProgramError("modules cannot be read here", in: module.source, at: directive.span)
      }
      try checkModulePath(directive, module.source)
      let metadata = try metadataValue(directive.metadata, module.source)
      let given = metadata.member("search").map {
        $0.items?.compactMap(\.string) ?? [$0.string].compactMap(\.self)
      }
      let search = ImportSearch(given: given, origin: folder)
      guard let (path, text) = loader.find(directive.path, search, isData: directive.isData) else {
        if metadata.member("optional")?.isTruthy ?? false { continue }
        throw ProgramError("module not found: \(directive.path)", in: module.source, at: directive.span)
      }
      if directive.isData, let alias = directive.alias {
        let value = try dataModule(path, text, isRaw: metadata.member("raw")?.isTruthy ?? false)
        scope = scope.adding(.variable(alias, .constant(value)))
        scope = scope.adding(.variable("\(alias)::\(alias)", .constant(value)))
      } else {
        scope = try adding(try library(path, text, directive, module.source), to: scope, as: directive.alias)
      }
    }
    return scope
  }

  private func checkModulePath(_ directive: Import, _ source: ProgramText) throws(ProgramError) {
    let path = directive.path
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    if path.contains("\\") {
      throw ProgramError(
        "Modules must be named by relative paths using '/', not '\\' (\(path))", in: source,
        at: directive.span)
    }
    if parts.contains("..") {
      throw ProgramError(
        "Relative paths to modules may not traverse to parent directories (\(path))", in: source,
        at: directive.span)
    }
    if zip(parts, parts.dropFirst()).contains(where: { $0 == $1 }) {
      throw ProgramError(
        "module names must not have equal consecutive components: \(path)", in: source, at: directive.span)
    }
  }

  /// The definitions of a library, each with its scope.
  private func library(
    _ path: String, _ text: [UInt8], _ directive: Import, _ importer: ProgramText
  ) throws(ProgramError) -> ModuleDefinitions {
    if let known = libraries[path] { return known }
    guard !loading.contains(path) else {
      throw ProgramError("circular import of \(path)", in: importer, at: directive.span)
    }
    loading.insert(path)
    defer { loading.remove(path) }
    let module = try Parser.parse(ProgramText(name: path, text: text))
    if let main = module.main {
      throw ProgramError(
        "library should only have function definitions, not a main expression", in: module.source,
        at: main.span)
    }
    var scope = try importScope(module, folder(of: path))
    var meanings: [(String, Int, FunctionMeaning)] = []
    for definition in module.definitions {
      let meaning = FunctionMeaning(.definition(definition), scope: scope, layout: rootLayout)
      meanings.append((definition.name, definition.parameters.count, meaning))
      scope = scope.adding(.function(definition.name, definition.parameters.count, meaning))
    }
    let library = ModuleDefinitions(meanings: meanings)
    libraries[path] = library
    return library
  }

  private func adding(_ library: ModuleDefinitions, to scope: Scope, as alias: String?) throws(ProgramError)
    -> Scope
  {
    var scope = scope
    for (name, arity, meaning) in library.meanings {
      scope = scope.adding(.function(alias.map { "\($0)::\(name)" } ?? name, arity, meaning))
    }
    return scope
  }

  private func dataModule(_ path: String, _ text: [UInt8], isRaw: Bool) throws(ProgramError) -> Value {
    if isRaw { return text.withUnsafeBufferPointer { .string(repairing: $0) } }
    do throws(ParseError) {
      return .array(try Value.parseAll(text))
    } catch {
      throw ProgramError("\(path): \(error.description)", source: path)
    }
  }

  /// The constant object of a directive, as the parser has checked.
  func metadataValue(_ node: SyntaxNode?, _ source: ProgramText) throws(ProgramError) -> Value {
    guard let node else { return .emptyObject }
    return try compile(node, Here(scope: Scope(source), layout: rootLayout)).constant ?? .emptyObject
  }
}

/// The definitions of a module file.
struct ModuleDefinitions {
  let meanings: [(String, Int, FunctionMeaning)]
}

/// The folder that a path leads into.
func folder(of path: String) -> String {
  guard let slash = path.lastIndex(of: "/") else { return "." }
  return slash == path.startIndex ? "/" : String(path[..<slash])
}

/// `modulemeta`: a module's metadata, what it imports and what it defines.
func moduleMetadata(_ path: String, _ loader: ModuleLoader) throws(Exception) -> Value {
  guard let (file, text) = loader.find(path, ImportSearch(given: loader.searchPaths), isData: false) else {
    throw Exception("module not found: \(path)")
  }
  do throws(ProgramError) {
    let module = try Parser.parse(ProgramText(name: file, text: text))
    let compiler = Compiler(globals: [], modules: loader)
    var result = try compiler.metadataValue(module.metadata, module.source)
    var dependencies: [Value] = []
    for directive in module.imports {
      var dependency = try compiler.metadataValue(directive.metadata, module.source)
      if let alias = directive.alias { dependency.setMember("as", .string(alias)) }
      dependency.setMember("is_data", .bool(directive.isData))
      dependency.setMember("relpath", .string(directive.path))
      dependencies.append(dependency)
    }
    result.setMember("deps", .array(dependencies))
    let names = module.definitions.map { Value.string("\($0.name)/\($0.parameters.count)") }
    result.setMember("defs", .array(names))
    return result
  } catch {
    throw Exception(error.description)
  }
}
