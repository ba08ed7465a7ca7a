// https://hl7.org/fhir/R4/http.html#transaction: transactions, single writes and reads at the same time.
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Answer } from '../support/serve.ts';
import {
  deleteEntry,
  getEntry,
  identified,
  partOf,
  postEntry,
  putEntry,
  sendEntries,
  statusesOf,
} from '../support/transaction.ts';
import { communication, noted, serveVersioned } from '../support/versioned.ts';
import type { VersionedServer } from '../support/versioned.ts';

let server: VersionedServer;
beforeAll(async () => {
  // A hundred at once read the clock thousands of times, and have a minute.
  server = await serveVersioned({ step: 1 });
}, 60_000);
afterAll(() => server.close());

const send = (entries: readonly object[]): Promise<Answer> => sendEntries(server, entries);
const found = async (value: string): Promise<readonly { id: string; note?: { text: string }[] }[]> =>
  ((await server.get(`/Communication?identifier=${value}&_count=100`)).json.entry ?? []).map(
    ({ resource }: { resource: object }) => resource,
  );

it('thirty at once that create unless one matches make one record, and all lead to it', async () => {
  const answers = await Promise.all(
    Array.from({ length: 30 }, () =>
      send([
        postEntry(identified('thirty'), 'urn:uuid:1', { ifNoneExist: 'identifier=thirty' }),
        postEntry(identified('part', partOf('urn:uuid:1'))),
      ]),
    ),
  );
  const [only, ...others] = await found('thirty');
  expect(others).toEqual([]);
  expect(answers.map(statusesOf).filter(one => JSON.stringify(one) === '[201,201]')).toHaveLength(1);
  expect(answers.map(statusesOf).filter(one => JSON.stringify(one) === '[200,201]')).toHaveLength(29);
  const targets = answers.map(({ json }) => json.entry[1].resource.partOf[0].reference);
  expect(new Set(targets)).toEqual(new Set([`Communication/${only?.id}`]));
});

it('of twenty that name the version of a record one is carried out', async () => {
  await server.put('/Communication/turn', communication('turn'));
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      send([putEntry(communication('turn', noted(`${at}`)), { ifMatch: 'W/"1"' }), postEntry(identified('turn'))]),
    ),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 412)).toHaveLength(19);
  expect(await found('turn')).toHaveLength(1);
});

it('those that delete a record and those that refer to it are both decided by what is there', async () => {
  await server.put('/Communication/target', communication('target'));
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, at) =>
      at === 5
        ? send([deleteEntry('Communication/target'), postEntry(identified('after'))])
        : send([putEntry(communication('target', noted(`${at}`))), getEntry('Communication/target')]),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
});

it('a hundred that write the same records are all carried out', async () => {
  const ids = ['same-1', 'same-2'];
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, at) => send(ids.map(id => putEntry(communication(id, noted(`${at}`)))))),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  for (const id of ids) expect((await server.get(`/Communication/${id}`)).headers.etag).toBe('W/"100"');
}, 60_000);

interface Step {
  readonly kind: 'transaction' | 'read' | 'single';
  readonly records: readonly number[];
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('transaction', 'transaction', 'read', 'read', 'single'),
  records: fc.uniqueArray(fc.nat(3), { minLength: 2, maxLength: 4 }),
});

let worlds = 0;

/**
 * Each transaction writes its own note to all records of the world; single updates write to one record. The versions
 * of all records then have the transactions in the same order, and no read sees a part of one.
 */
it('each read sees all of a transaction or nothing, and all records have them in one order', async () => {
  const property = fc.asyncProperty(
    fc.array(fc.array(step, { minLength: 1, maxLength: 5 }), { minLength: 2, maxLength: 6 }),
    async clients => {
      const world = `w${worlds++}`;
      const ids = [0, 1, 2, 3].map(at => `${world}-${at}`);
      const record = (id: string, note: string) =>
        communication(id, { identifier: [{ value: world }], ...noted(note) });
      expect(statusesOf(await send(ids.map(id => putEntry(record(id, 'start')))))).toEqual([201, 201, 201, 201]);
      const faults: string[] = [];
      const done: string[] = [];
      const client = async (steps: readonly Step[], at: number): Promise<void> => {
        for (const [index, { kind, records }] of steps.entries()) {
          const note = `t${at}.${index}`;
          if (kind === 'transaction') {
            const entries = [
              ...records.map(one => record(ids[one] ?? '', note)),
              identified(`${world}-made`, noted(note)),
            ];
            const puts = entries.map(one => ('id' in one ? putEntry(one) : postEntry(one)));
            const { status } = await send(puts);
            if (status === 200) done.push(note);
            else if (status !== 409) faults.push(`a transaction was answered ${status}`);
          } else if (kind === 'single') {
            await server.put(`/Communication/${ids[records[0] ?? 0]}`, record(ids[records[0] ?? 0] ?? '', `s${note}`));
          } else {
            const made = (await found(`${world}-made`)).flatMap(one => one.note?.[0]?.text ?? []);
            const seen = (await found(world)).flatMap(one => one.note?.[0]?.text ?? []);
            // What a transaction wrote to the records was created with them.
            const later = new Set((await found(`${world}-made`)).flatMap(one => one.note?.[0]?.text ?? []));
            for (const one of seen) if (one.startsWith('t') && !later.has(one)) faults.push(`${one} is there in part`);
            if (made.some(one => !later.has(one))) faults.push('a record has gone');
          }
        }
      };
      await Promise.all(clients.map(client));
      expect(faults).toEqual([]);
      const histories = await Promise.all(ids.map(id => notesOf(id)));
      for (const note of done) expect(histories.flat().filter(one => one === note).length).toBeGreaterThan(1);
      expect(new Set(histories.flat().filter(one => one.startsWith('t')))).toEqual(new Set(done));
      expect(orderFaults(histories)).toEqual([]);
      const made = (await found(`${world}-made`)).map(one => one.note?.[0]?.text ?? '');
      expect(made.toSorted()).toEqual(done.toSorted());
    },
  );
  await fc.assert(property, { numRuns: Number(process.env['CRS_TEST_ROUNDS'] ?? 12), endOnFailure: true });
}, 300_000);

/** The notes of the versions of a record, oldest first. */
async function notesOf(id: string): Promise<readonly string[]> {
  const { json } = await server.get(`/Communication/${id}/_history?_sort=_lastUpdated&_count=100`);
  return json.entry.map(({ resource }: { resource: { note: { text: string }[] } }) => resource.note[0]?.text);
}

/** Two transactions that two records have in different orders. */
function orderFaults(histories: readonly (readonly string[])[]): readonly string[] {
  const before = new Set<string>();
  for (const notes of histories) {
    const own = notes.filter(note => note.startsWith('t'));
    for (const [at, one] of own.entries()) for (const other of own.slice(at + 1)) before.add(`${one} ${other}`);
  }
  return [...before].filter(pair => before.has(pair.split(' ').toReversed().join(' ')));
}
