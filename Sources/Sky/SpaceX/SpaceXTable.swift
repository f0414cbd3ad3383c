// The launches of the SpaceX API as a table of our own invention. It stands still, as the real data has since October 2022;
// what is null or empty is so exactly as often as it was counted there.
//
// Rows end with a semicolon. The columns of a row:
//   name | date, as exact as it is known | rocket (1, 9, H), pad and outcome (+ - ? and . for upcoming)
//   | cores: number (? unknown), use if unknown (n new, u used), landing (s ship, l land, o ocean), landpad, outcome
//   | fairings (- none, ? unknown, n new, r reused, f recovered, l lost) | ships | c capsule, w first of the crew, p payloads
//   | what is known: a article, w wikipedia, k press kit, c l m r threads (campaign, launch, media, recovery), s static fire,
//     n window, d details, i id in Launch Library, v video, p patch, and a number of photos

extension SpaceXFlight {
  static let table = """
    Trial 1|2006-03-24 22:30|1k-|0|n||p2|awclrnvp1;Trial 2|2007-02-24 16:16|1k-|1|n||p1|awclrsndvp5;\
    Trial 3|2008-01-13 01:53|1k-|2|n||p2|wklmrsdvp3;Trial 4|2008-11-12 01:57|1k+|3|n||p1|acrsndvp;\
    Trial 5|2009-03-27 11:24|1k+|4|n||p1|awkcrsdvp9;Trial 6|2010-06-04 18:45|9c+|5|-||p1|awclmsdvp2;\
    Quillon 1|2010-09-03 13:03|9c+|6|?||p2|awcmrdvp2;Halcyon 1|2012-02-03 09:41|9c+|7|n||p2|awcndvp3;\
    NRX 1|2012-09-30 12:26|9c+|8|n||p2|awkclndvp9;Geodesy 1|2013-02-12 09:53|9c+|9o+|n||p1|wclrvp4;\
    Telvar 1|2013-06-17 18:51|9c+|10o-|?||p2|awclmrsnvp2;Ostara 1|2013-11-23 12:23|9c+|11|n||p0|awlmrdvp3;\
    Courier-1|2014-02-08 19:28|9c+|12l0+|-||c0p1|kclrnvp8;Farsight 1|2014-03-14 11:44|9v+|13o+|?||p1|wclsvp;\
    Aurelia 1|2014-06-17 14:56|9c+|14o+|?||p0|kclmsnvp;Courier-2|2014-07-27 12:02|9c+|15o+|-||c1p1|wkclmrsdvp9;\
    Nimbrel 1|2014-09-24 03:07|9c+|16o-|n|0 6 8|p1|almrsndvp3;\
    Sestra 1|2014-12-15 23:02|9c+|17o-|?|2 3 9|p1|awkclmrdvp4;\
    Courier-3|2015-01-12 09:16|9c+|18s4+|-||c2p1|awkclmndvp3;Halcyon 2|2015-03-12 03:20|9c+|19s5-|?|1 4|p0|aclsndvp;\
    Sandpiper 1|2015-05-13 05:22|9c+|20s5-|n||p1|awkclmrsvp7;Courier-4|2015-06-26 04:06|9c+|21s4+|-|10|c0p1|awlndvp4;\
    Bluewater 1|2015-08-31 06:32|9v+|22s5+|?||p1|wklmsdvp3;Telvar 2|2015-09-24 00:56|9c+|23s3-|n||p1|wlrsndvp8;\
    Courier-5|2015-12-20 20:50|9c-|24s5-|-|1 2 11|c3p1|wclmsndvp9;\
    Tamarin 1|2016-01-16 02:41|9c+|25l0+|n|2 3|p1|awclrdvp4;Corvina 1|2016-02-23 09:59|9c+|26s3+|n||p1|aclmndvp5;\
    Courier-6|2016-03-29 20:22|9c+|27|-|8|c4p1|aclmrsndvp;Courier-7|2016-05-23 07:56|9c+|28s4-|-|7|c1p1|wkclmrdvp;\
    Quillon 2|2016-07-15 17:07|9c+|29|n||p2|awclndvp;Farsight 2|2016-07-31 06:14|9c+|30|?||p2|awkclmsndvp9;\
    Orvika 1|2016-09-23 05:47|9v+|31s4+|n||p1|clmrsvp;Tamarin 2|2016-10-21 10:24|9c+|32l0-|n|9 10|p1|awkclmsvp9;\
    Sestra 2|2016-12-17 08:08|9c-|33l0-|n||p1|wkclmrndvp9;Sestra 3|2017-01-17 05:14|9a+|34l0+|?|5|p1|awkclmsvp3;\
    Geodesy 2|2017-02-02 12:56|9a+|35|n||p1|wclrsnvp5;Nimbrel 2|2017-02-26 20:00|9c+|31|n||p1|awklrnvp5;\
    Tamarin 3|2017-03-11 11:03|9c+|12l0+|?||p1|awcmrndvp4;Sandpiper 2|2017-04-05 16:13|9v+|36|n||p2|awkclndvp4;\
    Meridian 1|2017-04-23 07:40|9v+|18|n|3 5 11|p1|awclmrsndvp5;Corvina 2|2017-05-14 12:37|9c+|37|?||p0|awclmdvp2;\
    Lodestar 1|2017-06-09 22:02|9c+|38s4+|n||p2|awkclmsdvp5;Geodesy 3|2017-06-21 05:44|9c+|39s4+|n|6|p0|wklrndvp3;\
    Orvika 2|2017-07-15 18:56|9v+|40|n|4 6|p2|wkclmrsndvp;Halcyon 3|2017-07-28 12:55|9c+|22s5+|?||p2|awclmsnvp;\
    NRX 2|2017-08-21 11:43|9a+|41s4+|n|3|p0|awclrdvp1;Quillon 3|2017-09-14 11:08|9a+|42s5+|n||p1|awmsdvp;\
    Corvina 3|2017-10-01 22:46|9v+|43|n|6 9 10|p0|awkcsdvp;Courier-8|2017-10-14 22:13|9a+|44s5+|-|9|c5p1|wclmrsnvp8;\
    Quillon 4|2017-11-01 14:30|9v+|45|n|2 10|p2|klsnvp6;Geodesy 4|2017-11-24 06:02|9v+|38s3+|?|1|p1|klmrndvp2;\
    Meridian 2|2017-12-25 07:33|9v+|46s5+|n|2 10|p1|awclmrnvp5;\
    Lodestar 2|2018-01-17 15:13|9c+|39s3+|n||p2|awclrsndvp5;Corvina 4|2018-01-29 05:56|9v+|47s3+|n|5 11|p1|awcmsndvp;\
    Telvar 3|2018-02-06 20:45|Ha+|48s5+ 49l0+ 46l1+|n||p2|awcrndvp;\
    Corvina 5|2018-02-26 06:27|9v+|26s5+|n||p1|awkclrnvp6;Bluewater 2|2018-03-17 05:38|9c+|22s4+|n|10|p2|awkclrsndvp;\
    Ostara 2|2018-04-09 23:44|9v+|46|?||p1|wkclsndvp;Tamarin 4|2018-04-17 23:58|9c+|50s4+|?||p1|aclrdvp6;\
    Orvika 3|2018-05-05 20:18|9c+|51|?|1 3 7|p1|wcldvp3;Nimbrel 3|2018-05-27 20:35|9c+|42s3-|n|2 7 9|p1|awclsdvp9;\
    Nimbrel 4|2018-06-11 06:24|9c+|52s3+|r|3 4 7|p1|awkclmsnvp;Halcyon 4|2018-06-30 22:10|9v+|53l2-|l|2|p1|akmdvp9;\
    Courier-9|2018-07-15 04:42|9c+|41l0+|-|1 5|c2p1|awkclmnvp2;Courier-10|2018-07-31 20:32|9c+|44|-||c6p1|wkclmrndvp2;\
    Nimbrel 5|2018-08-15 20:19|9c+|54l0+|f||p1|awkclmrsndvp4;\
    Sandpiper 3|2018-09-04 15:17|9c+|55s5+|r|4|p1|awclmsndvp1;\
    Courier-11|2018-09-27 20:06|9a+|22s5+|-|2 3 7|c5p1|aclmrdvp8;\
    Bluewater 3|2018-10-09 14:10|9a+|56s4-|l|1|p1|awclrsvp5;Halcyon 5|2018-10-21 20:15|9a+|41s5+|?|5|p1|awkclsdvp;\
    Tamarin 5|2018-11-19 15:04|9v+|50l2+|f|0 4 8|p1|awcmsdvp7;Ostara 3|2018-11-29 10:37|9v+|57s4+|f|0|p1|awcmrsvp2;\
    Sandpiper 4|2018-12-17 08:24|9c+|25s3+|r|5 9 11|p1|awkclsndvp;\
    Farsight 3|2019-01-15 16:44|9a+|54s3+|?|0 5 8|p1|awclmrsdvp5;NRX 3|2019-02-05 04:02|9a+|58l0+|r|3 11|p2|awclvp4;\
    Tamarin 6|2019-03-10 15:12|9a+|59s4+|?|1 6|p0|awclrsvp7;\
    Halcyon 6|2019-04-13 01:49|Ha+|55s5+ 60l0+ 39l1+|?|5 9 10|p1|awlmrdvp7;\
    Tamarin 7|2019-05-13 05:28|9a+|61s5+|?|10|p1|awlmrsndvp2;\
    Starling 1-2 (v1.0)|2019-06-09 23:35|9v+|25s5+|?||p2|akclrdvp7;\
    Orvika 4|2019-06-19 17:22|Ha+|47s5+ 60l0+ 55l1+|?||p1|awclmrndvp;\
    Courier-12|2019-07-27 15:17|9a+|49l0+|-|0 5|c2p1|aclmrsvp7;Telvar 4|2019-09-04 19:08|9c+|62s5+|r|5|p2|awclndvp;\
    Courier-13|2019-09-25 04:44|9c+|38s4+|-|3 6|c7p1|wkclmrsdvp1;\
    Telvar 5|2019-10-12 08:45|9a+|63s4+|r|10|p1|aclrsdvp6;\
    Starling 1-3 (v1.0)|2019-11-14 11:53|9a+|22s3+|r|4 6 9|p1|awkcsndvp6;\
    Starling 1-4 (v1.0)|2019-12-04 23:48|9v+|64s5+|n|2 7 11|p1|awlmrsnvp6;\
    Starling 1-5 (v1.0)|2020-01-14 05:37|9v+|63s4+|r||p2|awkclmsndvp;\
    Starling 1-6 (v1.0)|2020-01-26 16:41|9c+|26s5+|?|5|p1|akclmrndvp;\
    Starling 1-7 (v1.0)|2020-02-11 17:53|9c+|49s4+|r|3 9|p1|awclrdvp6;\
    Starling 1-8 (v1.0)|2020-02-19 16:26|9a+|55s3+|r|0 5 6|p1|awlmsndvp;\
    Starling 1-9 (v1.0)|2020-03-05 23:26|9c+|26s3+|f|6 8|p1|awcrsndvp;\
    Starling 1-10 (v1.0)|2020-03-22 13:18|9v+|52s3?|n|0|p1|awkclrsvp4;\
    Courier-14|2020-03-28 20:02|9a+|60s5+|-|1 9|c8p1|awlsndvp3;\
    Pilgrim-1|2020-04-10 08:43|9a+|47s3+|-||c3w21p1|awkclrsdvp;Nimbrel 6|2020-04-24 14:51|9c+|65s4+|r||p1|kclsnvp6;\
    Ostara 4|2020-05-08 08:31|9c+|61l0+|l|0 3 5|p1|awkclsnvp7;\
    Starling 1-11 (v1.0)|2020-05-26 08:39|9a+|54|f||p2|clrsnvp4;\
    Starling 1-12 (v1.0)|2020-06-14 03:57|9v+|62s5+|?|5 9|p1|awcldvp8;\
    Starling 1-13 (v1.0)|2020-06-24 12:24|9v+|38s5+|f|4 7|p1|awclrsdvp1;\
    Starling 1-14 (v1.0)|2020-07-07 17:29|9v+|64s5+|f|1 6 8|p2|awkcsdvp7;\
    Pilgrim-2|2020-07-16 00:05|9a+|60s4+|-|10|c7w4p1|awklnvp;\
    Aurelia 2|2020-08-08 09:05|9c+|39s5+|f|2 6 11|p1|awkclvp8;\
    Starling 1-15 (v1.0)|2020-08-14 11:58|9v+|21s3+|n||p2|awclmrsndvp5;\
    Starling 1-16 (v1.0)|2020-08-31 07:24|9c+|66s4+|l|4 7|p2|wkclmrsndvp7;\
    Starling 1-17 (v1.0)|2020-09-12 03:39|9a+|67s5+|f||p1|awlrndvp;\
    Aurelia 3|2020-10-02 05:22|9c+|58l0+|?|0 4|p1|wkclndvp5;\
    Starling 1-18 (v1.0)|2020-10-08 08:28|9c+|49s3+|r|7 8|p1|akclmsndvp2;\
    Starling 1-19 (v1.0)|2020-10-23 17:14|9a+|68s4-|r|5 7 11|p1|awlrsnvp3;\
    Tidewatch 1|2020-11-13 03:17|9c+|34s3+|?||p1|awkclsnvp;\
    Starling 1-20 (v1.0)|2020-11-25 04:26|9c+|69s3+|l|1 6 10|p1|awkclsdvp;\
    Starling 1-21 (v1.0)|2020-12-05 12:36|9c+|25s5+|r|3 5 6|p1|awkclmrndivp5;\
    Starling 1-22 (v1.0)|2020-12-19 07:12|9c+|61s5+|f|0 1 11|p2|awkclmsivp1;\
    Caravan-1|2021-01-09 02:01|9a+|65s3+|?||p1|wkclmrsndivp;\
    Pilgrim-3|2021-01-20 09:29|9a+|70s5+|-|6 9|c9w17p1|awmsdivp6;Quillon 5|2021-02-05 22:06|9a+|48|r|3|p1|awkldvp;\
    Nimbrel 7|2021-02-11 10:00|9a+|59l0+|?||p1|wklsdvp7;Aurelia 4|2021-02-20 13:26|9c+|71s5+|?|1 9 10|p1|awclndivp4;\
    Starling 1-23 (v1.0)|2021-03-11 09:16|9c+|60s4+|?|0|p2|awkclmrsndvp7;\
    Starling 1-24 (v1.0)|2021-03-22 19:45|9c+|47s5+|r|3 7|p1|awkclsndivp;\
    Bluewater 4|2021-03-26 13:56|9a+|21l0+|r|6|p1|awcrsnivp9;\
    Starling 2-1 (v1.0)|2021-04-27 18:03|9c+|50s3+|?|6 7 11|p1|wkclrvp4;\
    Bluewater 5|2021-04-15 06:30|9v+|41s5+|?||p1|awkclmrsivp4;\
    Pilgrim-4|2021-05-09 00:41|9a+|60s5+|-|0 2 8|c7w2p1|awkclsnvp2;\
    Starling 2-2 (v1.0)|2021-05-16 14:40|9a+|47s4+|?||p1|awlrivp1;\
    Ostara 5|2021-05-29 17:18|9c+|58s4+|?|1|p1|awkclsndivp6;\
    Starling 2-3 (v1.0)|2021-06-10 21:26|9v+|67s4+|?|1 4 5|p1|wklmdivp;\
    Starling 2-4 (v1.0)|2021-06-15 14:03|9a+|39s5+|f|8 10|p1|awkcdivp6;\
    Starling 2-5 (v1.0)|2021-06-29 10:19|9v+|72s5+|?|5 6|p1|wkclmsnivp2;\
    Starling 2-6 (v1.0)|2021-07-11 11:52|9c+|61s4+|r|2 5|p1|awclndivp;\
    Courier-15|2021-07-27 21:57|9c+|38s4+|-|6 8 9|c7p1|aclrsndivp2;\
    Nimbrel 8|2021-08-02 00:25|9a+|12|l|11|p1|awkclmrnivp;\
    Starling 2-7 (v1.0)|2021-08-19 06:21|9c+|63s3+|?|0|p1|awcvp9;\
    Nimbrel 9|2021-08-24 01:48|9v+|57s3+|f|1 7 9|p1|aclrdivp;\
    Starling 2-8 (v1.0)|2021-09-09 19:51|9a+|64s5+|l|6 7|p1|aclmrdivp1;\
    Starling 2-9 (v1.0)|2021-09-25 03:12|9c+|60s5+|?|7|p2|awkclrsdivp;\
    Caravan-2|2021-09-27 22:04|9a+|39s5+|?|5 6 11|p1|awclmrdivp6;\
    Starling 2-10 (v1.0)|2021-10-16 02:23|9v+|69s5+|?||p1|wlsndvp3;\
    Starling 2-11 (v1.0)|2021-10-20 22:44|9c+|34s4+|?||p1|awlmndivp;\
    Starling 2-12 (v1.0)|2021-11-05 00:35|9c+|63s4?|?||p1|aclmsdivp3;\
    Pilgrim-5|2021-11-21 06:28|9a+|25s4+|-|1 9|c10w19p1|wclndivp3;\
    Starling 2-13 (v1.0)|2021-12-02 23:53|9c+|73s4+|?|1 6|p1|awclsdivp6;\
    Farsight 4|2021-12-13 10:19|9c+|62s5+|?|4 8 9|p0|awclmsndvp5;\
    Starling 2-14 (v1.0)|2021-12-19 03:31|9c+|69s5+|?|2|p1|awkcmrndivp1;\
    Courier-16|2022-01-06 03:34|9c+|34s3+|-|2 6 8|c5p1|wklrsdivp;\
    Starling 2-15 (v1.0)|2022-01-15 17:54|9c+|70s3+|l|1 6 8|p1|awkclrndivp7;\
    Starling 2-16 (v1.0)|2022-01-21 17:27|9a+|61s4+|r|3 9 10|p2|awklmsnivp7;\
    Starling 2-17 (v1.5)|2022-01-25 14:02|9a+|41s5+|?|0 1 5|p1|awkclndivp;\
    Starling 2-18 (v1.5)|2022-02-03 02:33|9c+|21s5+|r|2|p1|awklsdivp;\
    Starling 2-19 (v1.5)|2022-02-09 13:53|9a+|57s4+|r|2 8 10|p1|awclmrsndvp;\
    Ostara 6|2022-02-11 17:02|9a+|34s5+|n|3 4|p2|wkclmrsdvp2;\
    Starling 2-20 (v1.5)|2022-02-20 03:05|9c+|39s5+|?|2 9|p1|wklrndvp;\
    Pilgrim-6|2022-02-28 08:55|9a+|52s4+|-|2 6 8|c9w7p1|awkclrdivp6;\
    Courier-17|2022-03-06 03:14|9c+|22l0+|-|3 5 10|c11p1|almrndvp9;\
    NRX 4|2022-03-08 23:28|9c+|41l0+|?|10|p1|akclmsndivp4;Courier-18|2022-03-18 20:02|9c+|49|-||c6p1|clsndivp1;\
    Starling 2-21 (v1.5)|2022-03-21 19:33|9c+|69s3+|r|2 3|p1|awclmrsnivp;\
    Courier-19|2022-03-27 16:31|9c?|?u|-|0 7 10|c12p1|awkclsdivp1;\
    Sandpiper 5|2022-04-03 16:04|9a+|55s5+|?|0 1|p1|wkclmrsndivp9;\
    Caravan-3|2022-04-12 11:27|9v+|63l2+|n|3|p1|awclsndvp;\
    Courier-20|2022-04-13 22:58|9c+|66s5+|-|1 11|c13p1|aclrsivp4;Sestra 4|2022-04-20 05:01|9c+|21s5+|?||p0|awcsndivp7;\
    Sestra 5|2022-04-29 00:34|9a+|70s4+|?|8|p1|awclmsnivp;\
    Courier-21|2022-05-06 23:04|9c+|61s4+|-|0 4 8|c8p1|akclmsndivp2;\
    Pilgrim-7|2022-05-11 23:55|9a+|74s4+|-|6 9 11|c12w19p1|awkclrsdivp3;\
    Starling 2-22 (v1.5)|2022-05-18 00:35|9c+|26s4+|n||p0|awcsdivp2;\
    Courier-22|2022-05-21 14:52|9a+|73s4+|-|10|c12p1|awklmnivp6;\
    Courier-23|2022-05-29 19:32|9c+|69l0+|-|2 11|c14p1|wclmsndivp3;\
    Aurelia 5|2022-06-05 05:35|9c+|39l0+|r|2 6|p1|awkclnivp;\
    Starling 2-23 (v1.5)|2022-06-10 01:53|9v+|61s3+|?|6|p1|wclsndvp5;\
    Aurelia 6|2022-06-17 01:21|9a+|75s4+|f|7 8|p1|awklrsnivp;\
    Starling 2-24 (v1.5)|2022-06-22 05:55|9c+|60s5+|?|2 7|p1|awkclmsndivp5;\
    Starling 3-1 (v1.5)|2022-06-28 23:57|9a+|34s3+|r|9|p1|wklsnivp6;\
    Courier-24|2022-07-05 18:53|9c+|38l0+|-|11|c15p1|awrsndivp1;\
    Starling 3-2 (v1.5)|2022-07-14 14:08|9c+|61s5+|?||p1|awsndivp7;\
    Courier-25|2022-07-20 06:35|9a+|74l0+|-|1 7 11|c13p1|akclsnivp;\
    Starling 3-3 (v1.5)|2022-07-26 05:55|9v+|26s5+|n|0 2|p1|wkclmsdivp6;\
    Starling 3-4 (v1.5)|2022-07-30 17:43|9c+|22s4+|r|8|p0|awklmrsdvp8;\
    Starling 3-5 (v1.5)|2022-08-08 20:29|9v+|39s3+|?||p1|aclsnivp2;\
    Courier-26|2022-08-10 08:48|9a+|76s3+|-|0 2|c10p1|awkclrsndivp4;\
    Starling 3-6 (v1.5)|2022-08-19 20:53|9c+|58s3+|l||p1|awclmrsndivp9;\
    Geodesy 5|2022-08-23 01:43|9c+|38s5+|n||p1|wclmrndivp1;Caravan-4|2022-08-30 07:23|9c+|64s5+|n|4 6 9|p1|awkclsnivp;\
    Starling 3-7 (v1.5)|2022-09-05 11:29|9c+|69s5+|?||p1|wclrsndivp9;\
    Tamarin 8|2022-09-14 12:24|9c+|67l0+|?|3 6|p1|awclmrsndivp;\
    Courier-27|2022-09-20 09:15|9c+|63s4+|-||c16p1|alsndvp6;\
    Pilgrim-8|2022-09-22 21:18|9a+|77s4+|-||c16w17p1|wclmrsndivp7;\
    Starling 3-8 (v1.5)|2022-10-04 00:49|9a+|75s3+|r||p1|awkclmsndivp6;Lodestar 3|2022-10-08 08:26|9a.|67|?||p1|lsniv;\
    Starling 3-9 (v1.5)|2022-10-15 03:05|9c.|71|?||p1|cn;Starling 3-10 (v1.5)|2022-10-21 03:59|9c.|75|?||p1|ci;\
    Starling 3-11 (v1.5)|2022-10-27 18:12|9a.|73|?||p1|p;Geodesy 6|2022-11-02 11:30|9c.|?n|?||p1|;\
    Corvina 6|2022-11-07|Ha.|? ? ?n|?||p1|;Sestra 6|2022-11-15|9c.|?n|?||p2|;\
    Starling 3-12 (v1.5)|2022-11-20|9v.|?n|?||p2|;Starling 3-13 (v1.5)|2022-11-26|9v.|?n|?||p1|i;\
    Starling 3-14 (v1.5)|2022-12-03|9c.|?n|?||p1|i;Lodestar 4|2022-12|9c.|?n|?||p1|i;\
    Starling 3-15 (v1.5)|2022-12|9a.|?n|?||p1|i;Starling 3-16 (v1.5)|2022-12|9c.|?|?||p1|i;\
    Farsight 5|2022-12|Ha.|?n ? ?|?||p1|ip;Quillon 6|2023-01|9a.|?n|?||p1|;\
    Starling 3-17 (v1.5)|2023-01|9c.|?n|?||p2|i;Starling 3-18 (v1.5)|2023-01|9a.|?|?||p1|i;\
    Caravan-5|2023-01|9a.|?n|?||p1|i
    """
}
