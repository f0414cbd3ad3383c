/// The help of `flow eval`.
enum EvalHelp {
  static let text = """
    flow eval FILTER [FILE…]    run a jq filter over JSON

    Reads JSON values from the files or from standard input and writes the results of the filter. The language and the \
    options are those of jq 1.8.

      flow eval .name launches.jsonl
      flow eval -r '.results[] | [.id, .name] | @tsv' page.json
      flow eval -c 'select(.status.abbrev == "Go") | {id, net}' launches.jsonl
      flow eval -n 'reduce inputs as $x ({}; .[$x.status.abbrev] += 1)' launches.jsonl
      flow eval -r --decode csv .name launches.csv
      flow eval -n --arg name Falcon '"Next: \\($name)"'

    Input
      -n, --null-input        run once with null as input; `input` and `inputs` read the values
      -s, --slurp             all values as one array
      -R, --raw-input         read lines as strings; with -s all input as one string
          --seq               separate values by RS (RFC 7464), in output too
          --decode FORMAT     read CSV, feeds, pages or another format of `flow docs decoders`: csv, or
                              '{ csv: { delimiter: ";" } }'
          --stream            read events [path, leaf] instead of values
          --stream-errors     the same, with errors in the input as events

    Output
      -c, --compact-output    one line per value
          --tab               indent by tabs
          --indent N          indent by N spaces, 0 to 7
      -r, --raw-output        print strings without quotes
      -j, --join-output       the same, without line breaks
          --raw-output0       the same, with NUL after each
      -a, --ascii-output      escape everything beyond ASCII as \\u
      -S, --sort-keys         members sorted by name
      -C, --color-output      always use colours; $JQ_COLORS sets them
      -M, --monochrome-output never use colours
          --unbuffered        write each output at once
      -e, --exit-status       exit with 1 if the last output is false or null, 4 if there is none

    Program
      -f, --from-file         read the program from the file FILTER
      -L, --library-path DIR  search modules in this folder
          --arg NAME TEXT     set $NAME to a string
          --argjson NAME JSON set $NAME to a JSON value
          --slurpfile NAME F  set $NAME to an array of the values in a file
          --rawfile NAME F    set $NAME to the text of a file
          --args, --jsonargs  treat the other arguments as strings, or values: $ARGS.positional
          --max-memory SIZE   memory limit such as 8GiB, or 0 for none (default: a quarter of the memory,
                          at most 2GiB)
      --                  no options after this

    Exit status: 0 success, 2 wrong usage or unreadable file, 3 syntax error, 5 run-time error.

    """
}
