# How a launch went: upcoming, success, failed, or unknown for one that was flown without a recorded outcome.
def spacex_outcome:
  if .upcoming then "upcoming" elif .success == true then "success" elif .success == false then "failed"
  else "unknown" end;

# The date as far as it is known: a year, a quarter, a month, a day, or a day and time.
def spacex_date:
  .date_utc as $date
  | if $date == null then null
    elif .date_precision == "year" then $date[:4]
    elif .date_precision == "half" then "\($date[:4]) H\(if $date[5:7] <= "06" then 1 else 2 end)"
    elif .date_precision == "quarter" then "\($date[:4]) Q\((($date[5:7] | tonumber) + 2) / 3 | floor)"
    elif .date_precision == "month" then $date[:7]
    elif .date_precision == "day" then $date[:10]
    else "\($date[:10]) \($date[11:16])" end;

# Whether any of the cores had flown before: true, false, or null where that is not known.
def spacex_reused:
  [.cores[]?.reused]
  | if any(. == true) then true elif length == 0 or any(. == null) then null else false end;

# What a launch looks like in our pipelines; its rocket must have been put in the place of its id.
def spacex_row:
  { name, date: spacex_date, outcome: spacex_outcome, rocket: (.rocket | if type == "object" then .name else . end),
    type: (.rocket | objects.type) // null, reused: spacex_reused, patch: .links.patch.small,
    id, at: .date_utc, precision: .date_precision, about: .details, video: .links.webcast, article: .links.article,
    patch_large: .links.patch.large };

# A length in metres or feet, or a weight in kilograms or pounds, of what the service gives in both; `$unit` is m, ft, kg
# or lb. Null where it is not known.
def spacex_measure($unit):
  if type != "object" then null
  else { m: .meters, ft: .feet, kg: .kg, lb: .lb }[$unit] | if . == null then null else "\(.) \($unit)" end end;

# How a launch went, as a sign.
def spacex_sign: { success: "✓", failed: "✗", upcoming: "…", unknown: "?" }[spacex_outcome];

# A stage, in a few words; what is not known is n/a.
def spacex_stage:
  "\(.engines // "n/a") \(if .engines == 1 then "engine" else "engines" end), \(.fuel_amount_tons // "n/a") t of fuel, burns \(.burn_time_sec // "n/a") s";

# A rocket with its figures, in the units that are asked for: { height, diameter, mass, payload }, each m or ft, kg or lb.
def spacex_rocket($units):
  ($units // {}) as $units
  | { id, name, type, active, company,
      first_flight: (.first_flight | if . == null then null else strptime("%Y-%m-%d") | mktime | strftime("%d %B, %Y") end),
      country, cost: (.cost_per_launch | if . == null then null else "$\(. / 100000 | round / 10)M" end),
      height: (.height | spacex_measure($units.height // "m")), diameter: (.diameter | spacex_measure($units.diameter // "m")),
      mass: (.mass | spacex_measure($units.mass // "kg")),
      payload: ([.payload_weights[]? | select(.id == "leo")][0] | spacex_measure($units.payload // "kg")),
      first_stage: (.first_stage | spacex_stage), second_stage: (.second_stage | spacex_stage),
      figures: ([.height, .diameter, .mass, ([.payload_weights[]? | select(.id == "leo")][0])]
        | map(if type != "object" then null elif .meters != null then { m: .meters, ft: .feet }
              elif .kg != null then { kg, lb } else null end)),
      pictures: (.flickr_images // []), about: .description, link: .wikipedia };

# The lines of a rocket and its launches, for people; `$number` chooses one of its pictures.
def spacex_rocket_lines($number):
  .name // "n/a",
  ({ Height: .height, Diameter: .diameter, Mass: .mass, "To low orbit": .payload, "First launch": .first_flight,
     Country: .country, "A launch": .cost, "First stage": .first_stage, "Second stage": .second_stage,
     Picture: (if .pictures == [] then null else .pictures[$number % (.pictures | length)] end), Read: .link }
    | to_entries[] | "  \(.key + ":" | . + " " * (13 - length)) \(.value // "n/a")"),
  "  Launches:     \(.launches | length)",
  (.launches[] | "    \(.sign) \(.date // "n/a")  \(.name // "n/a")"),
  "";
