import type { Flag, Given } from '../config/settings.ts';
import { some } from '../config/values.ts';
import { isId } from '../fhir/id.ts';
import type { Config } from '../config.ts';
import type { AuditFilter } from '../audit/log/entry.ts';

/** `--until`, for the commands that are about former events alone. */
export const untilFlag = {
  flag: 'until',
  value: 'TIME',
  read: time,
  meaning: 'Before this day or moment',
} as const satisfies Flag;

/** Which events are meant, beside `--partition`. */
export const auditFlags = [
  {
    flag: 'since',
    value: 'TIME',
    read: time,
    meaning: 'From this day or moment on: `2026-11-21`, or with `T09:30:00Z`',
  },
  untilFlag,
  {
    flag: 'patient',
    value: 'ID',
    read: text => {
      if (isId(text)) return text;
      throw new Error(`is \`${text}\`, which is not an id.`);
    },
    meaning: 'Only what is about this patient',
  },
  { flag: 'client', value: 'ID', read: some, meaning: 'Only what this client did' },
] as const satisfies readonly Flag[];

/** What the flags ask for. */
export function auditFilter({ partition }: Config, own: Given<typeof auditFlags>): AuditFilter {
  const { since, until, patient, client } = own;
  return {
    ...(partition === undefined ? {} : { partition }),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
    ...(patient === undefined ? {} : { patient }),
    ...(client === undefined ? {} : { client }),
  };
}

/** What an event tells of a filter. */
export function filterDetails({ since, until, patient }: AuditFilter): Readonly<Record<string, string>> {
  const texts = { since: since && new Date(since).toISOString(), until: until && new Date(until).toISOString(), patient }; // prettier-ignore
  return Object.fromEntries(Object.entries(texts).flatMap(([name, text]) => (text === undefined ? [] : [[name, String(text)]]))); // prettier-ignore
}

/** Days are those of UTC. */
export function time(text: string): number {
  const value = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text) ? Date.parse(text) : NaN;
  if (!Number.isNaN(value)) return value;
  throw new Error(
    `is \`${text}\`, but must be a day such as \`2026-11-21\`, or a moment such as \`2026-11-21T09:30:00Z\`.`,
  );
}
