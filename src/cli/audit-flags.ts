import type { Flag, Given } from '../config/flag.ts';
import { some } from '../config/values.ts';
import { isId } from '../fhir/reference.ts';
import type { Config } from '../config/read.ts';
import type { AuditFilter } from '../store/audit/line.ts';

/** `--until`, for commands that need no other filter. */
export const untilFlag = {
  flag: 'until',
  value: 'TIME',
  read: time,
  meaning: 'Before this day or time',
} as const satisfies Flag;

/** The filters of events, in addition to `--partition`. */
export const auditFlags = [
  {
    flag: 'since',
    value: 'TIME',
    read: time,
    meaning: 'From this day or time on: `2026-11-21`, or with `T09:30:00Z`',
  },
  untilFlag,
  {
    flag: 'patient',
    value: 'ID',
    read: text => {
      if (isId(text)) return text;
      throw new Error(`is \`${text}\`, which is not an id.`);
    },
    meaning: 'Only events about this patient',
  },
  { flag: 'client', value: 'ID', read: some, meaning: 'Only events of this client' },
] as const satisfies readonly Flag[];

/** The filter of the flags. */
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

/** The filter in the details of an event. */
export function filterDetails({ since, until, patient }: AuditFilter): Readonly<Record<string, string>> {
  const texts = {
    since: since && new Date(since).toISOString(),
    until: until && new Date(until).toISOString(),
    patient,
  };
  return Object.fromEntries(
    Object.entries(texts).flatMap(([name, text]) => (text === undefined ? [] : [[name, String(text)]])),
  );
}

/** Days are in UTC. */
export function time(text: string): number {
  const value = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text) ? Date.parse(text) : NaN;
  if (!Number.isNaN(value)) return value;
  throw new Error(
    `is \`${text}\`, but must be a day such as \`2026-11-21\`, or a time such as \`2026-11-21T09:30:00Z\`.`,
  );
}
