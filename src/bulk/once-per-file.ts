import { hash } from 'node:crypto';
import { stamp } from '../fhir/resource-text.ts';
import type { Partition } from '../store/port/partitions.ts';
import type { IndependentEntries } from './independent-entries.ts';
import type { Outcome } from '../interaction/write/loaded-record.ts';
import { SeenRecords } from './seen-records.ts';
import { isObject } from '../fhir/json-object.ts';

/**
 * Accepts each record of a file once: a repetition with other content is rejected, since it is unclear which is valid,
 * and each load of the file would write two versions. An equal repetition is accepted, and changes nothing.
 */
export class OncePerFile {
  readonly #partition: Partition;
  readonly #seen = new SeenRecords();

  constructor(partition: Partition) {
    this.#partition = partition;
  }

  /** The outcome of a record in the unit of this number at this place (`line 3`). */
  async check(outcome: Outcome, at: string, number: number): Promise<Outcome> {
    if (outcome.kind !== 'change' || outcome.change.kind !== 'put') return outcome;
    const { type, id, text } = outcome.change;
    const key = `${type}/${id}`;
    const contents = outcome.contents.map(({ bytes }) => hash('sha1', bytes));
    const seen = this.#seen.note(key, [text.before, text.after, ...contents].join(), number);
    if (seen === undefined || seen.content === 'same') return outcome;
    if (seen.content === 'unknown' && (await this.#isOutdated(type, id, text))) return outcome;
    const [what = ''] = at.split(' ');
    const issue = {
      severity: 'error',
      code: 'duplicate',
      text: `\`${key}\` occurs earlier in the file (${what} ${seen.unit}) with other content: only that one is loaded.`,
    } as const;
    return { kind: 'reject', issues: [issue] };
  }

  /** Notes a unit that an interrupted run has loaded, or its entry. */
  pass(bytes: Uint8Array, entries: IndependentEntries | undefined, number: number): void {
    if (entries?.plain === false) return;
    const value = parsed(bytes);
    const resource = entries === undefined ? value : isObject(value) ? value['resource'] : undefined;
    if (!isObject(resource)) return;
    const { resourceType, id } = resource;
    if (typeof resourceType === 'string' && typeof id === 'string')
      this.#seen.note(`${resourceType}/${id}`, undefined, number);
  }

  /** Whether the earlier run has rejected the first one, or loaded an equal one. */
  async #isOutdated(type: string, id: string, { before, after }: { before: string; after: string }): Promise<boolean> {
    const current = await this.#partition.read(type, id);
    return current?.text === undefined || current.text === before + stamp(current.version, current.lastUpdated) + after;
  }
}

/** Undefined for invalid JSON, which was rejected. */
function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
  } catch {
    return undefined;
  }
}
