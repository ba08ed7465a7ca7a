import { randomInt } from 'node:crypto';
import { printInstant } from '../../../fhir/resource-text.ts';
import type { FhirResponse } from '../../interaction.ts';
import type { Times } from './write-staged.ts';

const DAY = 86_400_000;

/**
 * A `lastUpdated` for versions that are not stored yet, in milliseconds since 1970 UTC: on the day after tomorrow, at a
 * random time, so that no other record has it.
 */
export const placeholderFrom = (now: number): number => Math.floor(now) + DAY + randomInt(DAY);

/** An answer with the times of the stored versions instead of placeholders. */
export function withTimes(answer: FhirResponse, times: Times): FhirResponse {
  if (times.size === 0) return answer;
  const { body, lastModified } = answer;
  const time = lastModified === undefined ? undefined : times.get(lastModified);
  return {
    ...answer,
    ...(time === undefined ? {} : { lastModified: time }),
    ...(body === undefined ? {} : { body: withTimesIn(body, times) }),
  };
}

function withTimesIn(body: string, times: Times): string {
  return body.replace(stamped, (whole, instant: string) => {
    const time = times.get(Date.parse(instant));
    return time === undefined ? whole : `"lastUpdated":"${printInstant(time)}"`;
  });
}

/** As `stamp` prints it (fhir/resource-text.ts). */
const stamped = /"lastUpdated":"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)"/g;
