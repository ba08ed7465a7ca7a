const dash = 0x2d;
const colon = 0x3a;

/** A value of type `date`: a year, month or day that exists. https://hl7.org/fhir/R4/datatypes.html#date */
export function isDate(value: string): boolean {
  return isDatePart(value, value.length);
}

/**
 * A value of type `dateTime`: a date, or a day with seconds and a zone. https://hl7.org/fhir/R4/datatypes.html#dateTime
 */
export function isDateTime(value: string): boolean {
  return value.charCodeAt(10) === 0x54 ? isInstant(value) : isDate(value);
}

/** A value of type `instant`: a day with seconds and a zone. https://hl7.org/fhir/R4/datatypes.html#instant */
export function isInstant(value: string): boolean {
  if (value.charCodeAt(10) !== 0x54 || !isDatePart(value, 10)) return false;
  const zone = timeEnd(value, 11);
  return zone !== -1 && isZone(value, zone);
}

/** A value of type `time`: with seconds, without a zone. https://hl7.org/fhir/R4/datatypes.html#time */
export function isTime(value: string): boolean {
  return timeEnd(value, 0) === value.length;
}

/** True if the first `length` characters are a valid YYYY, YYYY-MM or YYYY-MM-DD. */
function isDatePart(value: string, length: number): boolean {
  const year = twoDigits(value, 0) * 100 + twoDigits(value, 2);
  if (!(year >= 1)) return false;
  if (length === 4) return true;
  const month = twoDigits(value, 5);
  if (value.charCodeAt(4) !== dash || !(month >= 1 && month <= 12)) return false;
  if (length === 7) return true;
  const day = twoDigits(value, 8);
  return length === 10 && value.charCodeAt(7) === dash && day >= 1 && day <= daysOf(year, month);
}

function daysOf(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** The position after hh:mm:ss[.f…] that begins at `start`; -1 if there is none. The second 60 is a leap second. */
function timeEnd(value: string, start: number): number {
  const hours = twoDigits(value, start);
  const minutes = twoDigits(value, start + 3);
  const seconds = twoDigits(value, start + 6);
  const punctuated = value.charCodeAt(start + 2) === colon && value.charCodeAt(start + 5) === colon;
  if (!(hours <= 23 && minutes <= 59 && seconds <= 60) || !punctuated) return -1;
  let at = start + 8;
  if (value.charCodeAt(at) !== 0x2e) return at;
  at++;
  const fraction = at;
  while (digit(value, at) >= 0) at++;
  return at > fraction ? at : -1;
}

/** True if the rest from `start` is Z or an offset from -14:00 to +14:00. */
function isZone(value: string, start: number): boolean {
  const sign = value.charCodeAt(start);
  if (sign === 0x5a) return value.length === start + 1;
  if ((sign !== 0x2b && sign !== dash) || value.length !== start + 6 || value.charCodeAt(start + 3) !== colon)
    return false;
  const hours = twoDigits(value, start + 1);
  const minutes = twoDigits(value, start + 4);
  return (hours <= 13 && minutes <= 59) || (hours === 14 && minutes === 0);
}

/** The number of two digits, NaN for anything else. */
function twoDigits(value: string, at: number): number {
  const tens = digit(value, at);
  const ones = digit(value, at + 1);
  return tens < 0 || ones < 0 ? NaN : tens * 10 + ones;
}

function digit(value: string, at: number): number {
  const code = value.charCodeAt(at) - 0x30;
  return code >= 0 && code <= 9 ? code : -1;
}
