/// Files as people write them, and as they should not.
let samples = [
  """
  name: new-launches
  vars:
    provider: null
    limit: ${LIMIT:-40}
  sources:
    upcoming: &base
      launch_library: { list: upcoming, provider: $vars.provider }
      every: 6h   # comment
    previous: { <<: *base, every: 1d }
  steps:
    - map: |
        .results[]
          | { id, "naïve": .net }

        | select(.id)
    - filter: >-
        .status
        != "TBD"

          and .x

        and true
    - map: 'it''s \\(.a)

        folded'
    - map: "tab\\t \\u00e9 \\
        joined
        next\\n"
  sinks:
    log: { jsonl: { path: "out/é.jsonl" } }
  """,
  "- &a [1, 2.5, ~, true, no, 0x1F]\n- ? {a: b}\n  : *a\n- !!str 5\n- *a\n...\n",
  "a: |2-\n   x\n  y\nb: |+\n\n  z\n\n\nc: >\n  a\n  b\n\r\n  c\r\n",
]
