# The number in the text of a price, however shops write it: "$1,299.00", "1.299,00 €", "1 299,50 kr" and "CHF 1'299.90".
#
# The first number counts. Spaces and apostrophes group digits. The last point or comma is the decimal one, unless three
# digits follow it: "12,000" is twelve thousand. Three digits are decimals only behind another kind of separator, a 0, or
# more digits than a group has. Cents may follow the sign of the currency: "35€ 99". A text without a number is an error.
def amount:
  if type == "number" then .
  elif type != "string" then error("there is no amount in \(tojson)")
  else
    . as $text
    | ("(?<number>[0-9]{1,3}(?:[\\s\\u00a0\\u2009\\u202f'’][0-9]{3}(?![0-9]))+(?:[.,][0-9]+)?"
        + "|[0-9]+(?:[.,][0-9]+)*|(?<!\\p{L})[.,][0-9]+)"
        + "(?:[\\s\\u00a0\\u202f]*\\p{Sc}[\\s\\u00a0\\u202f]*(?<cents>[0-9]{2})(?!\\s*[\\p{Sc}0-9.,%]))?") as $price
    | [capture($price)][0]
    | if . == null then error("there is no amount in \($text | tojson)") else . end
    | .cents as $cents
    | (.number | capture("^(?<whole>.*)(?<mark>[.,])(?<part>[0-9]+)$") // { whole: ., mark: "", part: "" })
    | (.whole | gsub("[0-9]"; "")) as $others | (.mark as $mark | $others | contains($mark)) as $repeated
    | if (.part | length) != 3 or (.whole | test("^0*$|[0-9]{4}")) or $others != "" and ($repeated | not) then .
      else { whole: (.whole + .part), part: "" } end
    | .part |= if $cents and . == "" then $cents end
    | "0" + (.whole | gsub("[^0-9]"; "")) + if .part == "" then "" else "." + .part end
    | sub("^0+(?=[0-9])"; "") | tonumber
  end;
