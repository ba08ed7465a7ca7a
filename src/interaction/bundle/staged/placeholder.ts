import { randomInt } from 'node:crypto';
import { printInstant } from '../../../fhir/resource-text.ts';
import type { CursorContent, Cursors } from '../../../search/cursor.ts';
import type { FhirResponse } from '../../interaction.ts';
import type { Times } from './write-staged.ts';

const DAY = 86_400_000;

/**
 * The `lastUpdated` of versions that are not stored yet, in milliseconds since 1970 UTC: on the day after tomorrow, at
 * a random time, so that no other record has it.
 */
export const placeholderFrom = (now: number): number => Math.floor(now) + DAY + randomInt(DAY);

/** An answer with the times of the stored versions instead of placeholders. */
export function withTimes(answer: FhirResponse, times: Times, tokens: StagedTokens): FhirResponse {
  if (times.size === 0) return answer;
  const { body, lastModified } = answer;
  const time = lastModified === undefined ? undefined : times.get(lastModified);
  return {
    ...answer,
    ...(time === undefined ? {} : { lastModified: time }),
    ...(body === undefined ? {} : { body: tokens.withTimes(withTimesIn(body, times), times) }),
  };
}

function withTimesIn(body: string, times: Times): string {
  return body.replace(stamped, (whole, instant: string) => {
    const time = times.get(Date.parse(instant));
    return time === undefined ? whole : `"lastUpdated":"${printInstant(time)}"`;
  });
}

/** The time of a version, as `stamp` prints it (fhir/resource-text.ts). */
const stamped = /"lastUpdated":"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)"/g;

/** The page tokens in the answers of a transaction: a page may end at a version that is not stored yet. */
export class StagedTokens {
  /** The cursors of the transaction. */
  readonly cursors: Cursors;
  readonly #stored: Cursors;
  readonly #sealed = new Map<string, CursorContent>();

  constructor(stored: Cursors) {
    const seal = (content: CursorContent): string => {
      const token = stored.seal(content);
      this.#sealed.set(token, content);
      return token;
    };
    this.#stored = stored;
    this.cursors = { ...stored, seal };
  }

  /** The text with tokens that continue behind the stored versions. */
  withTimes(body: string, times: Times): string {
    if (this.#sealed.size === 0) return body;
    return body.replace(tokenInLink, token => {
      const content = this.#sealed.get(token);
      if (content === undefined) return token;
      const { keys, id } = content.position;
      const inTime = keys.map(key => (typeof key === 'number' ? (times.get(key) ?? key) : key));
      return this.#stored.seal({ ...content, position: { keys: inTime, id } });
    });
  }
}

const tokenInLink = /(?<=[?&]_page_token=)[\w-]+/g;
