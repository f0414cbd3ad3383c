/// What `flow eval --help` says.
enum EvalHelp {
  static let text = """
    flow eval FILTER [FILE…]    run a jq filter over JSON

    Reads JSON values from the files, or from standard input, and writes what the filter makes of each. The language
    and the options are those of jq 1.8.

      flow eval .name launches.jsonl
      flow eval -r '.results[] | [.id, .name] | @tsv' page.json
      flow eval -c 'select(.status.abbrev == "Go") | {id, net}' launches.jsonl
      flow eval -n 'reduce inputs as $x ({}; .[$x.status.abbrev] += 1)' launches.jsonl
      flow eval -n --arg name Falcon '"Next: \\($name)"'

    Input
      -n, --null-input        null as the only input; `input` and `inputs` read the values
      -s, --slurp             all values as one array
      -R, --raw-input         each line as a text; with -s everything as one text
          --seq               values are separated by RS (RFC 7464), in output too
          --stream            events [path, leaf] instead of values
          --stream-errors     the same, a mistake in the input being an event too

    Output
      -c, --compact-output    one line a value
          --tab               indent by tabs
          --indent N          indent by N spaces, 0 to 7
      -r, --raw-output        texts without quotes
      -j, --join-output       the same, and no line break after them
          --raw-output0       the same, and NUL after each
      -a, --ascii-output      everything beyond ASCII as \\u escapes
      -S, --sort-keys         members sorted by name
      -C, --color-output      colours even where the output is no terminal; $JQ_COLORS sets them
      -M, --monochrome-output no colours
          --unbuffered        write each output at once
      -e, --exit-status       exit 1 when the last output is false or null, 4 when there is none

    Program
      -f, --from-file         FILTER is a file that holds the program
      -L, --library-path DIR  where modules are looked for
          --arg NAME TEXT     $NAME is a text
          --argjson NAME JSON $NAME is a value
          --slurpfile NAME F  $NAME is an array of the values in a file
          --rawfile NAME F    $NAME is the text of a file
          --args, --jsonargs  what follows FILTER are texts, or values: $ARGS.positional
          --max-memory SIZE   what the program may hold, as 8GiB, or 0 for no limit; else a quarter of the memory
                          there is, at most 2GiB
      --                  no options after this

    Exit status: 0 done, 2 wrong use or a file that could not be read, 3 no program, 5 an error while running.

    """
}
