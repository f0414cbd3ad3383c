// The four rockets with the figures that the real service has of them; ids, photographs and success rates are added.

import JSON

extension SpaceXAssets {
  /// A question mark for each figure, which are in a row of `rocketFigures` in this order.
  private static let rocket = """
    {"height":{"meters":?,"feet":?},"diameter":{"meters":?,"feet":?},"mass":{"kg":?,"lb":?},\
    "first_stage":{"thrust_sea_level":{"kN":?,"lbf":?},"thrust_vacuum":{"kN":?,"lbf":?},"reusable":?,\
    "engines":?,"fuel_amount_tons":?,"burn_time_sec":?},"second_stage":{"thrust":{"kN":?,"lbf":?},\
    "payloads":{"composite_fairing":{"height":{"meters":?,"feet":?},"diameter":{"meters":?,"feet":?}},\
    "option_1":?},"reusable":?,"engines":?,"fuel_amount_tons":?,"burn_time_sec":?},\
    "engines":{"isp":{"sea_level":?,"vacuum":?},"thrust_sea_level":{"kN":?,"lbf":?},"thrust_vacuum":{"kN":?,\
    "lbf":?},"number":?,"type":?,"version":?,"layout":?,"engine_loss_max":?,"propellant_1":"liquid oxygen",\
    "propellant_2":?,"thrust_to_weight":?},"landing_legs":{"number":?,"material":?},"payload_weights":?,\
    "flickr_images":[],"name":?,"type":"rocket","active":?,"stages":2,"boosters":?,"cost_per_launch":?,\
    "success_rate_pct":?,"first_flight":?,"country":?,"company":"SpaceX","wikipedia":?,"description":?}
    """

  private static let rocketFigures = #"""
    22.25|73|1.68|5.5|30146|66460|420|94000|480|110000|false|1|44.3|169|31|7000|3.5|11.5|1.5|4.9|\#
    "composite fairing"|false|1|3.38|378|267|304|420|94000|480|110000|1|"merlin"|"1C"|"single"|0|\#
    "RP-1 kerosene"|96|0|null|[{"id":"leo","name":"Low Earth Orbit","kg":450,"lb":992}]|"Falcon 1"|false|0|\#
    6700000|40|"2006-03-24"|"Republic of the Marshall Islands"|"https://en.wikipedia.org/wiki/Falcon_1"|\#
    "A small rocket of two stages, which flew from 2006 to 2009 and was not used again."
    70|229.6|3.7|12|549054|1207920|7607|1710000|8227|1849500|true|9|385|162|934|210000|13.1|43|5.2|17.1|\#
    "dragon"|false|1|90|397|288|312|845|190000|914|205500|9|"merlin"|"1D+"|"octaweb"|2|"RP-1 kerosene"|180.1|4|\#
    "carbon fiber"|[{"id":"leo","name":"Low Earth Orbit","kg":22800,"lb":50265},{"id":"gto",\#
    "name":"Geosynchronous Transfer Orbit","kg":8300,"lb":18300},{"id":"mars","name":"Mars Orbit","kg":4020,\#
    "lb":8860}]|"Falcon 9"|true|0|50000000|98|"2010-06-04"|"United States"|\#
    "https://en.wikipedia.org/wiki/Falcon_9"|"A rocket of two stages for satellites and people,\#
     whose first stage lands and flies again."
    70|229.6|12.2|39.9|1420788|3125735|22819|5130000|24681|5548500|true|27|1155|162|934|210000|13.1|43|5.2|\#
    17.1|"dragon"|false|1|90|397|288|312|845|190000|914|205500|27|"merlin"|"1D+"|"octaweb"|6|"RP-1 kerosene"|\#
    180.1|12|"carbon fiber"|[{"id":"leo","name":"Low Earth Orbit","kg":63800,"lb":140660},{"id":"gto",\#
    "name":"Geosynchronous Transfer Orbit","kg":26700,"lb":58860},{"id":"mars","name":"Mars Orbit","kg":16800,\#
    "lb":37040},{"id":"pluto","name":"Pluto Orbit","kg":3500,"lb":7720}]|"Falcon Heavy"|true|2|90000000|100|\#
    "2018-02-06"|"United States"|"https://en.wikipedia.org/wiki/Falcon_Heavy"|\#
    "Three first stages side by side below one second stage, for what is too heavy for one."
    118|387|9|30|1335000|2943000|128000|28775544|138000|31023634|true|37|3300|null|1957|440000|null|null|null|\#
    null|"Spaceship"|true|6|1200|null|330|380|1780|400000|1960|440000|37|"raptor"|""|null|null|\#
    "liquid methane"|107|6|"stainless steel"|[{"id":"leo","name":"Low Earth Orbit","kg":150000,"lb":330000},\#
    {"id":"mars","name":"Mars Orbit","kg":100000,"lb":220000},{"id":"moon","name":"Moon Orbit","kg":100000,\#
    "lb":220000}]|"Starship"|false|0|7000000|0|"2021-12-01"|"United States"|\#
    "https://en.wikipedia.org/wiki/SpaceX_Starship"|\#
    "Two stages of steel that are both to land and to fly again; it has yet to reach an orbit."
    """#

  static let rockets: [Value] = rocketFigures.split(separator: "\n").map { row in
    let figures = row.split(separator: "|").map(String.init) + [""]
    return value(zip(rocket.split(separator: "?"), figures).map { $0 + $1 }.joined())
  }
}
