import { hash } from 'node:crypto';
import { stamp } from '../fhir/resource-text.ts';
import type { Partition } from '../store/partitions.ts';
import type { IndependentEntries } from './independent-entries.ts';
import type { Outcome } from '../interaction/write/loaded-record.ts';
import { SeenRecords } from './seen-records.ts';
import { isObject } from '../fhir/json-object.ts';

/**
 * Lets each record of a file pass once: one that stands there again with other content is rejected, since nobody knows which of
 * them is meant, and each load of the file would make two versions. The same again is let through, and changes nothing.
 */
export class OncePerFile {
  readonly #partition: Partition;
  readonly #seen = new SeenRecords();

  constructor(partition: Partition) {
    this.#partition = partition;
  }

  /** What becomes of a record, which is in the unit of this number at this place (`line 3`). */
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
      text: `\`${key}\` is in the file before (${what} ${seen.unit}) with other content: only that is loaded.`,
    } as const;
    return { kind: 'reject', issues: [issue] };
  }

  /** Notes a unit that an interrupted run has loaded, an entry where it is one. */
  pass(bytes: Uint8Array, entries: IndependentEntries | undefined, number: number): void {
    if (entries?.plain === false) return;
    const value = parsed(bytes);
    const resource = entries === undefined ? value : isObject(value) ? value['resource'] : undefined;
    if (!isObject(resource)) return;
    const { resourceType, id } = resource;
    if (typeof resourceType === 'string' && typeof id === 'string')
      this.#seen.note(`${resourceType}/${id}`, undefined, number);
  }

  /** Whether the run before has rejected the one that was there before, or loaded the same. */
  async #isOutdated(type: string, id: string, { before, after }: { before: string; after: string }): Promise<boolean> {
    const current = await this.#partition.read(type, id);
    return current?.text === undefined || current.text === before + stamp(current.version, current.lastUpdated) + after;
  }
}

/** Undefined for what is no JSON: it was rejected. */
function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
  } catch {
    return undefined;
  }
}
