const DAY = 86_400_000;

/** Days since 1970-01-01 of a date as YYYY-MM-DD. */
export function dayOf(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) / DAY;
}

/** A day as YYYY-MM-DD. */
export function printDate(day: number): string {
  return new Date(day * DAY).toISOString().slice(0, 10);
}

/** A time in Toronto with its offset: a day and minutes after midnight → `2026-03-09T09:30:00-04:00`. */
export function printDateTime(day: number, minutes: number): string {
  const clock = [Math.floor(minutes / 60), minutes % 60].map(part => String(part).padStart(2, '0')).join(':');
  return `${printDate(day)}T${clock}:00${inDaylightTime(day) ? '-04:00' : '-05:00'}`;
}

/** Monday to Friday. 1970-01-01 was a Thursday. */
export function isWeekday(day: number): boolean {
  return (day + 3) % 7 < 5;
}

/**
 * Whether Ontario observes daylight time on a day: from the second Sunday of March to the day before the first Sunday
 * of November, the rule since 2007. (The hours before 2 a.m. on the two Sundays differ; there are no visits then.)
 */
function inDaylightTime(day: number): boolean {
  const year = Number(printDate(day).slice(0, 4));
  return day >= sunday(dayOf(`${year}-03-08`)) && day < sunday(dayOf(`${year}-11-01`));
}

/** The first Sunday on or after a day. */
function sunday(day: number): number {
  return day + ((10 - (day % 7)) % 7);
}
