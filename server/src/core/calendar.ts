/*
 * Calendar days as `YYYY-MM-DD`. Days compare as strings. The arithmetic counts whole days (proleptic Gregorian calendar, after Hinnant). So
 * no time zone and no clock change can shift a day.
 */

/** A calendar day: `2027-01-31`. */
export type Day = string;

/** A repeated period: every `interval_count` weeks or months. */
export interface Rhythm {
  interval: 'week' | 'month';
  interval_count: number;
}

/** The day on which a period begins. The others follow from it. */
export interface Anchor {
  /** A period begins on the first anchor day that is this day or later. */
  start: Day;
  /** The day of the month, 1 to 31, or of the week, Monday 1 to Sunday 7. A shorter month has its last day instead. */
  anchor_day: number;
}

/** A span of days. Both ends are included. */
export interface Span {
  start: Day;
  end: Day;
}

/** The years whose days are valid. */
const [yearMin, yearMax] = [1900, 9999];

interface Civil {
  year: number;
  /** 1 to 12. */
  month: number;
  day: number;
}

const daysOfMonths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Returns whether a text is a calendar day of the years 1900 to 9999. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const { year, month, day } = parse(text);
  return year >= yearMin && month >= 1 && month <= 12 && day >= 1 && day <= lengthOfMonth(year, month);
}

/** The first and the last day that the arithmetic returns. PostgreSQL knows both. */
const [firstNumber, lastNumber] = [
  numberOf({ year: 1, month: 1, day: 1 }),
  numberOf({ year: yearMax, month: 12, day: 31 }),
];

/** Formatters by time zone: making one takes as long as a hundred uses. */
const formatters = new Map<string, Intl.DateTimeFormat>();
/** More than there are zones. A formatter takes some 10 kB. */
const formattersMax = 600;

/** The last day by time zone. Each request asks for it, and a formatter takes a twentieth of a request. */
const lastDays = new Map<string, { atSeconds: number; day: Day }>();

/** Returns whether a text names a time zone (IANA), such as `Europe/London`. Offsets such as `+01:00` are no names. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    // No entry of the cache: a name can be written in many ways.
    new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/**
 * Returns the day in a time zone at a moment.
 *
 * @param nowSeconds since the Unix epoch.
 */
export function today(nowSeconds: number, timeZone: string): Day {
  const last = lastDays.get(timeZone);
  if (last?.atSeconds === nowSeconds) return last.day;
  const day = dayAt(nowSeconds, timeZone);
  if (lastDays.size >= formattersMax) lastDays.clear();
  lastDays.set(timeZone, { atSeconds: nowSeconds, day });
  return day;
}

function dayAt(nowSeconds: number, timeZone: string): Day {
  let [year, month, day] = [0, 0, 0];
  for (const { type, value } of formatterOf(timeZone).formatToParts(nowSeconds * 1000)) {
    if (type === 'year') year = Number(value);
    else if (type === 'month') month = Number(value);
    else if (type === 'day') day = Number(value);
  }
  return format({ year, month, day });
}

/** Minutes that the beginning of a day in any time zone is away from midnight in UTC, at most. */
const zonesMinutes = 15 * 60;

/** Returns when a day begins in a time zone, in seconds since the Unix epoch. Where a clock change skips midnight, it begins later. */
export function startOfDay(day: Day, timeZone: string): number {
  const midnight = numberOf(parse(day)) * 86_400;
  let [before, from] = [-zonesMinutes, zonesMinutes];
  while (from - before > 1) {
    const middle = Math.floor((before + from) / 2);
    if (dayAt(midnight + middle * 60, timeZone) >= day) from = middle;
    else before = middle;
  }
  return midnight + from * 60;
}

/** Returns the day so many days later, or earlier if negative. It stops at 0001-01-01 and 9999-12-31. */
export function addDays(day: Day, days: number): Day {
  return fromNumber(numberOf(parse(day)) + days);
}

/**
 * Returns the same day of a later month, or the last day of a shorter one. So 31 January leads to 28 February. Count from the anchor each
 * time, because a step from 28 February does not return to the 31st. It stops at 0001-01-01 and 9999-12-31.
 */
export function addMonths(anchor: Day, months: number): Day {
  return fromNumber(monthsAfter(parse(anchor), months));
}

/** Returns the number of days from one day to another. It is negative if the other is earlier. */
export function daysBetween(from: Day, to: Day): number {
  return numberOf(parse(to)) - numberOf(parse(from));
}

/** Returns the day of the week: Monday is 1, and Sunday is 7 (ISO 8601). */
export function weekday(day: Day): number {
  // Day 0 is 1970-01-01, a Thursday.
  return modulo(numberOf(parse(day)) + 3, 7) + 1;
}

/** Returns the anchor day of periods that begin on a day. */
export function anchorDayOf({ interval }: Pick<Rhythm, 'interval'>, day: Day): number {
  return interval === 'week' ? weekday(day) : parse(day).day;
}

/**
 * Returns the period that contains a day. The periods go on in both directions. Each boundary counts from the anchor, and never from the
 * boundary before. So the 31st is followed by 28 February, and that by 31 March.
 */
export function periodAt({ start, anchor_day: anchorDay }: Anchor, rhythm: Rhythm, day: Day): Span {
  const { interval, interval_count: count } = rhythm;
  const earliest = parse(start);
  const wanted = numberOf(parse(day));
  if (interval === 'week') {
    const length = 7 * count;
    const first = numberOf(earliest) + modulo(anchorDay - weekday(start), 7);
    const begin = wanted - modulo(wanted - first, length);
    return { start: fromNumber(begin), end: fromNumber(begin + length - 1) };
  }
  const anchor = { ...earliest, day: anchorDay };
  const offset = monthsAfter(anchor, 0) < numberOf(earliest) ? 1 : 0;
  const boundary = (index: number): number => monthsAfter(anchor, offset + index * count);
  const { year, month } = parse(day);
  let index = Math.floor(((year - earliest.year) * 12 + month - earliest.month - offset) / count);
  // The anchor day may come later in this month, and the period then began one step earlier.
  if (boundary(index) > wanted) index--;
  return { start: fromNumber(boundary(index)), end: fromNumber(boundary(index + 1) - 1) };
}

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(timeZone);
  if (!formatter) {
    if (formatters.size >= formattersMax) formatters.clear();
    formatter = new Intl.DateTimeFormat('en-u-ca-iso8601-nu-latn', {
      timeZone,
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
    });
    formatters.set(timeZone, formatter);
  }
  return formatter;
}

function parse(day: Day): Civil {
  return { year: Number(day.slice(0, 4)), month: Number(day.slice(5, 7)), day: Number(day.slice(8, 10)) };
}

function format({ year, month, day }: Civil): Day {
  return `${String(year).padStart(4, '0')}-${month < 10 ? '0' : ''}${month}-${day < 10 ? '0' : ''}${day}`;
}

function lengthOfMonth(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && isLeap ? 29 : daysOfMonths[month - 1]!;
}

/** Returns the number of a day, in days since 1970-01-01. The year begins in March here, so that a leap day ends it. */
function numberOf({ year, month, day }: Civil): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

function fromNumber(number: number): Day {
  const days = Math.min(Math.max(number, firstNumber), lastNumber) + 719_468;
  const era = Math.floor(days / 146_097);
  const dayOfEra = days - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  return format({
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1,
  });
}

/** Returns the number of the anchor's day, so many months later. */
function monthsAfter({ year, month, day }: Civil, months: number): number {
  const index = year * 12 + month - 1 + months;
  const [laterYear, laterMonth] = [Math.floor(index / 12), modulo(index, 12) + 1];
  const lastDay = lengthOfMonth(laterYear, laterMonth);
  return numberOf({ year: laterYear, month: laterMonth, day: Math.min(day, lastDay) });
}

function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}
