/// The tables of a state file, and the migrations from earlier formats.
///
/// 1. The format is the file's `user_version`; it changes in one transaction with the tables.
/// 2. A released migration never changes: a new format adds one.
/// 3. While outputs are in the file beside it (`OutputFile`), the version is `hasOutputs` more, so that a flow which does
///    not know that file refuses the state. Otherwise it can go on with it.
/// 4. Every format that was ever released opens (`UpgradeTests` has a file of each).
enum Schema {
  /// “flow”, as the SQLite file's `application_id`.
  static let owner: Int64 = 0x666c_6f77
  static var current: Int { migrations.count }
  static let hasOutputs = 1 << 16

  static let migrations = [
    """
    CREATE TABLE facts (
      owner TEXT NOT NULL, name TEXT NOT NULL, value NOT NULL, PRIMARY KEY (owner, name)) WITHOUT ROWID;
    CREATE TABLE nodes (
      id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, description TEXT NOT NULL, count INTEGER NOT NULL);
    CREATE TABLE keyed (
      node INTEGER NOT NULL, key BLOB NOT NULL, sequence INTEGER NOT NULL, value BLOB NOT NULL,
      PRIMARY KEY (node, key)) WITHOUT ROWID;
    CREATE INDEX keyed_order ON keyed (node, sequence) WHERE sequence > 0;
    CREATE TABLE sinks (
      name TEXT PRIMARY KEY, epoch INTEGER NOT NULL, position INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE outbox (
      sink TEXT NOT NULL, epoch INTEGER NOT NULL, position INTEGER NOT NULL, id TEXT NOT NULL,
      attempts INTEGER NOT NULL, due REAL NOT NULL, bytes BLOB NOT NULL,
      PRIMARY KEY (sink, epoch, position)) WITHOUT ROWID;
    CREATE TABLE dead (
      number INTEGER PRIMARY KEY AUTOINCREMENT, sink TEXT NOT NULL, epoch INTEGER NOT NULL,
      position INTEGER NOT NULL, id TEXT NOT NULL, attempts INTEGER NOT NULL, at REAL NOT NULL,
      reason TEXT NOT NULL, bytes BLOB NOT NULL);
    """
  ]

  /// Creates or migrates the tables; rejects a file of a later flow or of another program unchanged.
  static func prepare(
    _ database: Database, migrations: [String] = migrations, owner: Int64 = owner
  ) throws(StoreError) {
    let version = try version(of: database, newest: migrations.count, owner: owner)
    try database.prepareToWrite()
    guard version != migrations.count else { return }
    try database.transaction { () throws(StoreError) in
      try make(in: database, migrations[(version ?? 0)...], owner: owner)
    }
  }

  static func make(
    in database: Database, _ migrations: ArraySlice<String> = migrations[...], owner: Int64 = owner
  ) throws(StoreError) {
    for migration in migrations { try database.execute(migration, to: "make the tables") }
    var noted = 0
    if owner == Schema.owner, try notesOutputs(database) { noted = hasOutputs }
    try database.execute(
      "PRAGMA application_id = \(owner); PRAGMA user_version = \(migrations.endIndex + noted)")
  }

  /// The format of the tables; nil if there are none yet.
  static func version(
    of database: Database, newest: Int = current, owner: Int64 = owner
  ) throws(StoreError) -> Int? {
    let stored = Int(try database.integer("PRAGMA user_version") ?? 0)
    let version = owner == Schema.owner ? stored & ~hasOutputs : stored
    let isOurs = try database.integer("PRAGMA application_id") == owner
    let tables = try database.integer("SELECT count(*) FROM sqlite_schema") ?? 0
    guard isOurs || tables == 0 && version == 0 else {
      throw StoreError(
        database.path, .foreign,
        "a database of another program, not flow's \(owner == Schema.owner ? "state" : "web file")")
    }
    guard version <= newest else {
      throw StoreError(
        database.path, .newer,
        "written by a later flow (format \(version), this one knows up to \(newest));"
          + " run that one, or keep this state elsewhere")
    }
    return isOurs ? version : nil
  }

  /// Whether outputs may be in the file beside the database.
  static func notesOutputs(_ database: Database) throws(StoreError) -> Bool {
    (try database.integer("PRAGMA user_version") ?? 0) & Int64(hasOutputs) != 0
  }

  /// Notes whether outputs are in the file beside the database: with the transaction in which it changes.
  static func note(hasOutputs: Bool, in database: Database) throws(StoreError) {
    try database.execute("PRAGMA user_version = \(current + (hasOutputs ? Self.hasOutputs : 0))")
  }
}
