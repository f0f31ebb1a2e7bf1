/*
 * The lists are fixed here. The runtime's lists differ with its ICU version and contain former codes.
 */

/** ISO 3166-1 alpha-2, and `XK`: it is not in the standard, but everyone uses it for Kosovo. */
export const countryCodes: ReadonlySet<string> = words(`
  AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ
  CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR
  GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT
  JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY
  MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ
  OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST
  SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT
  ZA ZM ZW`);

/**
 * ISO 4217 in lower case, as in the API: currencies of rents. Metals, codes for testing and units of account between banks are left out.
 * Currencies that ended in recent years (`ang`, `bgn`, `cuc`) stay, because tenancies outlive them.
 */
export const currencyCodes: ReadonlySet<string> = words(`
  aed afn all amd ang aoa ars aud awg azn bam bbd bdt bgn bhd bif bmd bnd bob bov brl bsd btn bwp byn bzd
  cad cdf che chf chw clf clp cny cop cou crc cuc cup cve czk djf dkk dop dzd egp ern etb eur fjd fkp
  gbp gel ghs gip gmd gnf gtq gyd hkd hnl htg huf idr ils inr iqd irr isk jmd jod jpy kes kgs khr kmf kpw krw kwd kyd kzt
  lak lbp lkr lrd lsl lyd mad mdl mga mkd mmk mnt mop mru mur mvr mwk mxn mxv myr mzn nad ngn nio nok npr nzd
  omr pab pen pgk php pkr pln pyg qar ron rsd rub rwf sar sbd scr sdg sek sgd shp sle sos srd ssp stn svc syp szl
  thb tjs tmt tnd top try ttd twd tzs uah ugx usd usn uyi uyu uyw uzs ved ves vnd vuv wst xaf xcd xcg xof xpf
  yer zar zmw zwg`);

/** Currencies of ISO 4217 whose smallest unit is not a hundredth, by its number of digits. */
const digitsOfCurrencies: readonly [digits: number, currencies: ReadonlySet<string>][] = [
  [0, words(`bif clp djf gnf isk jpy kmf krw pyg rwf ugx uyi vnd vuv xaf xof xpf`)],
  [3, words(`bhd iqd jod kwd lyd omr tnd`)],
  [4, words(`clf uyw`)],
];

/** Returns how many digits of an amount stand after the point: 2 for `gbp`, 0 for `jpy`. Unlisted currencies have 2. */
export function currencyDigits(currency: string): number {
  return digitsOfCurrencies.find(([, currencies]) => currencies.has(currency))?.[0] ?? 2;
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
