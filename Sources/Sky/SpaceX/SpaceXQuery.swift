// The queries of the SpaceX API: conditions as MongoDB has them, and the options of a page, as a jq program.

import JSON

/// The message with which the service refuses a query.
struct SpaceXProblem: Error {
  let message: String
}

/// A query: `{"query": {"upcoming": true}, "options": {"limit": 5, "sort": …, "select": …, "populate": […]}}`.
enum SpaceXQuery {
  /// The page of the entries for which the query holds.
  ///
  /// - Parameters:
  ///   - texts: the fields that `$text` searches
  ///   - world: the entries that replace ids, by collection and id
  static func page(_ body: Value, of entries: [Value], texts: [String], world: Value)
    throws(SpaceXProblem) -> Value
  {
    let options = body.member("options") ?? .emptyObject
    var environment = Environment()
    environment.variables = [
      "query": body.member("query") ?? .emptyObject,
      "options": options.kind == .object ? options : .emptyObject,
      "texts": .array(texts.map { .string($0) }), "world": world,
    ]
    environment.budget.steps = 100_000_000
    do {
      return try program.get().evaluator(environment).first(.array(entries)) ?? .null
    } catch {
      throw SpaceXProblem(message: "\(error)")
    }
  }

  private static let program = Result {
    try Program(text, variables: ["query", "options", "texts", "world"])
  }

  private static let text = #"""
    def parts: split(".");
    def words: [ascii_downcase | scan("[\\p{L}\\p{N}]+")];
    def pieces: [split(" ")[] | select(. != "")];

    # The values at a path, each as an array of one; an empty array for each place without one. Paths lead through each
    # element of an array.
    def values($path):
      if $path == [] then [.]
      elif type == "array" then
        ($path[0] | tonumber? // -1) as $place
        | if $place >= 0 and $place < length and $place == ($place | floor) then .[$place] | values($path[1:])
          else .[] | objects | values($path) end
      elif type == "object" and has($path[0]) then .[$path[0]] | values($path[1:])
      else [] end;

    def change($path; f):
      if $path == [] then f
      elif type == "array" then map(change($path; f))
      elif type == "object" and has($path[0]) then .[$path[0]] |= change($path[1:]; f)
      else . end;

    # A text that is compared with a number or a flag is read as one.
    def cast($wanted):
      if ($wanted | type) != "string" then $wanted
      elif type == "number" then $wanted | (tonumber? // .)
      elif type == "boolean" then $wanted | if IN("true", "false") then . == "true" else . end
      else $wanted end;

    # A missing field is equal to null; values of different kinds have no order.
    def equals($wanted): if . == [] then $wanted == null else .[0] | . == cast($wanted) end;
    def ordered($wanted; f):
      length > 0 and (.[0] | [., cast($wanted)] | (.[0] | type) == (.[1] | type) and f);

    def list($name; $operand): if ($operand | type) == "array" then $operand else error("\($name) needs an array") end;

    # Regular expressions are run as jq's, which differ little.
    def pattern($pattern; $options):
      if ($pattern | type) != "string" then error("$regex has to be a string")
      elif $options | test("^[imsx]*$") | not then error("invalid flag in regex options: \($options)")
      else
        { $pattern, flags: ($options | gsub("m"; "") | gsub("s"; "p")) }
        | . as $it | try ("" | test($it.pattern; $it.flags) | $it) catch error("Regular expression is invalid: \($pattern)")
      end;

    # Whether a field fits. An array fits as a whole or by one of its elements.
    def field($path; $wanted):
      . as $entry | [values($path)] as $places
      | ($places + [$places[] | .[0] | arrays | .[] | [.]]) as $all
      | def oneOf($operands): any($operands[]; . as $operand | any($all[]; equals($operand)));
        if ($wanted | type == "object" and (keys_unsorted[0] // "" | startswith("$"))) then
          [$wanted | to_entries[] | .key as $name | .value as $x
          | if $name == "$eq" then oneOf([$x])
            elif $name == "$ne" then oneOf([$x]) | not
            elif $name == "$in" then oneOf(list($name; $x))
            elif $name == "$nin" then oneOf(list($name; $x)) | not
            elif $name == "$all" then
              list($name; $x) != [] and all($x[]; . as $operand | any($all[]; length > 0 and equals($operand)))
            elif $name == "$not" then $entry | field($path; $x) | not
            elif $name == "$gt" then any($all[]; ordered($x; .[0] > .[1]))
            elif $name == "$gte" then any($all[]; ordered($x; .[0] >= .[1]))
            elif $name == "$lt" then any($all[]; ordered($x; .[0] < .[1]))
            elif $name == "$lte" then any($all[]; ordered($x; .[0] <= .[1]))
            elif $name == "$exists" then any($places[]; length > 0) == ($x | . != null and . != false and . != 0)
            elif $name == "$size" then
              if $x | type == "number" and . >= 0 and . == floor then any($places[]; .[0] | type == "array" and length == $x)
              else error("Failed to parse $size. Expected a non-negative integer") end
            elif $name == "$regex" then
              pattern($x; $wanted["$options"] | strings // "") as $it
              | any($all[]; .[0] | type == "string" and test($it.pattern; $it.flags))
            elif $name == "$options" then
              if $wanted | has("$regex") then true else error("$options needs a $regex") end
            else error("unknown operator: \($name)") end] | all
        else oneOf([$wanted]) end;

    # A search: one of its words must occur, all of its phrases, and no word with a minus sign.
    def found($search):
      ([.[$texts[]] | strings] | join("\n") | ascii_downcase) as $text | ($text | words) as $there
      | [$search | ascii_downcase | split("\"") | to_entries[]] as $parts
      | [$parts[] | select(.key % 2 == 1).value] as $phrases
      | [$parts[] | select(.key % 2 == 0).value | pieces[]] as $words
      | (any($words[] | select(startswith("-")) | words[]; IN($there[])) | not)
        and all($phrases[]; . as $phrase | $text | contains($phrase))
        and ($phrases != [] or any($words[] | select(startswith("-") | not) | words[]; IN($there[])));

    def holds($query):
      if ($query | type) != "object" then error("Parameter \"filter\" to find() must be an object") else . end
      | . as $entry
      | [$query | to_entries[] | .key as $name | .value as $x
        | def listed:
            if ($x | type) != "array" or $x == [] then error("\($name) must be a nonempty array") else $x[] end
            | if type != "object" then error("\($name) argument's entries must be objects") else . end
            | . as $inner | $entry | holds($inner);
          if $name == "$and" then [listed] | all
          elif $name == "$or" then [listed] | any
          elif $name == "$nor" then [listed] | any | not
          elif $name == "$text" then
            if $texts == [] then error("text index required for $text query")
            elif $x | type != "object" or (.["$search"] | type) != "string" then
              error("$search had the wrong type, expected string")
            else $entry | found($x["$search"]) end
          elif $name == "$comment" then true
          elif $name | startswith("$") then error("unknown top level operator: \($name)")
          else $entry | field(if $name == "_id" then ["id"] else $name | parts end; $x) end] | all;

    # "name -links", {"name": 1} or ["name"].
    def chosen:
      (if type == "string" then pieces
        elif type == "array" then map(strings)
        elif type == "object" then
          to_entries | map(if .value | . != null and . != false and . != 0 then .key else "-" + .key end)
        else [] end)
      | map(select(startswith("-") | not)) as $only
      | map(select(startswith("-")) | .[1:] | select(IN("id", "_id") | not)) as $left
      | if $only == [] then { left: ($left | map(parts)) }
        elif $left == [] then { only: (["id"] + $only | map(parts)) }
        else error("Cannot do exclusion on field \($left[0]) in inclusion projection") end;
    def inner($paths; $key): [$paths[] | select(.[0] == $key) | .[1:]];
    def only($paths):
      if type == "array" then map(objects | only($paths))
      else
        with_entries(
          inner($paths; .key) as $inner
          | if IN($inner[]; []) then .
            elif $inner != [] and (.value | type | IN("object", "array")) then .value |= only($inner)
            else empty end)
      end;
    def without($paths):
      if type == "array" then map(without($paths))
      elif type == "object" then
        with_entries(inner($paths; .key) as $inner | select(IN($inner[]; []) | not) | .value |= without($inner))
      else . end;
    def selected($chosen): if $chosen.only then only($chosen.only) else without($chosen.left) end;

    # "-date_utc name" or {"date_utc": "desc"}.
    def orders:
      if . == null then []
      elif type == "string" then pieces | map({ path: (ltrimstr("-") | parts), isDown: startswith("-") })
      elif type == "object" then
        to_entries | map(
          (.value | tostring | ascii_downcase) as $way
          | if $way | IN("1", "asc", "ascending", "-1", "desc", "descending") | not then
              error("Invalid sort value: { \(.key): \(.value) }") else . end
          | { path: (.key | parts), isDown: ($way | IN("-1", "desc", "descending")) })
      else error("Invalid sort() argument. Must be a string, object, or array.") end;
    # An array sorts by its least value, or by its greatest in descending order.
    def arranged($orders):
      reduce ($orders | reverse[]) as $order (.;
        def key: [values($order.path) | .[0] | if type == "array" then .[] else . end] | if $order.isDown then max else min end;
        if $order.isDown then reverse | sort_by(key) | reverse else sort_by(key) end);

    # "rocket payloads", ["rocket"], {"path": "rocket", "select": …, "populate": …}, or a list of such. Entries refer to each
    # other in circles, so that depth has a limit.
    def populations($depth):
      def named($chosen; $inner): pieces | map({ path: parts, $chosen, $inner });
      if $depth == 4 then []
      elif type == "string" then named({ left: [] }; [])
      elif type == "array" then map(populations($depth)[])
      elif type == "object" and (.path | type) == "string" then
        (.select | chosen) as $chosen | (.populate | populations($depth + 1)) as $inner | .path | named($chosen; $inner)
      else [] end;
    # An id without an entry is dropped from an array, and is null elsewhere.
    def populated($it):
      { rocket: "rockets", rockets: "rockets", launchpad: "launchpads", landpad: "landpads", payloads: "payloads",
        launch: "launches", launches: "launches", core: "cores", ships: "ships", capsule: "capsules",
        capsules: "capsules", crew: "crew", dragon: "dragons" }[$it.path[-1]] as $collection
      | def entry:
          . as $id | $world[$collection][$id] | values
          | reduce $it.inner[] as $inner (.; populated($inner)) | selected($it.chosen);
        if $collection == null then .
        else
          change($it.path;
            if type == "array" then map(if type == "string" then entry else . end)
            elif type == "string" then entry // null
            else . end)
        end;

    def integer: if type == "string" then tonumber? // null else . end | if type == "number" then trunc else null end;

    ($options.select | chosen) as $chosen | ($options.sort | orders) as $orders
    | ($options.populate | populations(0)) as $populations
    | ({} | holds($query)) as $isChecked
    | map(select(holds($query))) | arranged($orders) | length as $total
    | ($options.pagination != false) as $isPaged | ([0, ($options.limit | integer) // 10] | max) as $limit
    | ($options.offset | integer) as $skip | ($options.page | integer) as $asked
    # Without either, the answer has an offset of 0.
    | (if $skip then [0, $skip] | max elif $asked then null else 0 end) as $offset
    | ($isPaged and $limit > 0) as $isSplit
    | (if $isSplit | not then 1 elif $offset then ($offset / $limit | ceil) + 1 else [1, $asked] | max end) as $page
    | (if $isSplit then [1, ($total / $limit | ceil)] | max else 1 end) as $pages
    | ([$total, $offset // ($page - 1) * $limit] | min) as $first
    | ($isSplit and ($page > 1 or $offset > 0)) as $isFollowing | ($isSplit and $page < $pages) as $isFollowed
    | { docs: [(if $isPaged then .[$first:$first + $limit] else . end)[]
          | reduce $populations[] as $population (.; populated($population)) | selected($chosen)],
        totalDocs: $total }
      + (if $offset then { $offset } else {} end)
      + { limit: (if $isPaged then $limit else $total end), totalPages: $pages, $page,
          pagingCounter: (if $isPaged then ($page - 1) * $limit + 1 else 1 end),
          hasPrevPage: $isFollowing, hasNextPage: $isFollowed,
          prevPage: (if $isFollowing then [1, $page - 1] | max else null end),
          nextPage: (if $isFollowed then $page + 1 else null end) }
    """#
}
