// Random writers of a few records: each record is changed as if one request came after the other.
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Answer } from '../support/serve.ts';
import { communication, noted, serveVersioned } from '../support/versioned.ts';
import type { VersionedServer } from '../support/versioned.ts';

let server: VersionedServer;
beforeAll(async () => {
  server = await serveVersioned();
});
afterAll(() => server.close());

interface Step {
  readonly id: number;
  readonly method: 'PUT' | 'PATCH' | 'DELETE' | 'GET';
  /** By how many versions the ETag is out of date which the client sends; undefined for none. */
  readonly behind: number | undefined;
}

const step: fc.Arbitrary<Step> = fc.record({
  id: fc.nat(1),
  method: fc.constantFrom('PUT', 'PUT', 'PATCH', 'PATCH', 'DELETE', 'GET'),
  behind: fc.constantFrom(undefined, undefined, 0, 0, 1),
});

interface Done extends Step {
  readonly match: number | undefined;
  readonly note: string;
  readonly status: number;
  /** The version in the answer. */
  readonly version: number | undefined;
  /** The order of beginnings and ends. */
  readonly begun: number;
  readonly ended: number;
}

const versionIn = ({ headers }: Answer): number | undefined => {
  const version = /^W\/"(\d+)"$/.exec(headers.etag ?? '')?.[1];
  return version === undefined ? undefined : Number(version);
};

/** Clients that each send their steps one after the other; what they know of a record is its last ETag. */
async function run(world: number, clients: readonly (readonly Step[])[]): Promise<readonly Done[]> {
  const done: Done[] = [];
  let moment = 0;
  const client = async (steps: readonly Step[], at: number): Promise<void> => {
    const known = new Map<number, number>();
    for (const [index, one] of steps.entries()) {
      const id = `w${world}-${one.id}`;
      const note = `${at}.${index}`;
      const match = one.behind === undefined || !known.has(one.id) ? undefined : (known.get(one.id) ?? 0) - one.behind;
      const headers: Record<string, string> = match === undefined ? {} : { 'If-Match': `W/"${match}"` };
      const path = `/Communication/${id}`;
      const begun = moment++;
      const answer =
        one.method === 'PUT'
          ? await server.put(path, communication(id, noted(note)), headers)
          : one.method === 'PATCH'
            ? await server.patch(path, [{ op: 'add', path: '/note/-', value: { text: note } }], headers)
            : one.method === 'DELETE'
              ? await server.delete(path, headers)
              : await server.get(path);
      const version = versionIn(answer);
      done.push({ ...one, match, note, status: answer.status, version, begun, ended: moment++ });
      if (version !== undefined) known.set(one.id, version);
    }
  };
  await Promise.all(clients.map(client));
  return done;
}

interface Entry {
  readonly resource?: { readonly note: readonly { readonly text: string }[] };
}

/** The notes of a version: an update has one, a patch adds one. */
type Notes = readonly string[] | undefined;

const allowed = { PUT: [200, 201, 412], PATCH: [200, 404, 410, 412], DELETE: [204, 412], GET: [200, 404, 410] };

/** What is wrong about the answers for one record. `notes` are its versions; a deletion has none. */
function faultsOf(done: readonly Done[], notes: readonly Notes[]): readonly string[] {
  const faults: string[] = [];
  const require = (isRight: boolean, what: string): void => void (isRight || faults.push(what));
  // Each update and patch that was answered made its version, and the versions have no other author.
  const updates = done.filter(({ method, status }) => (method === 'PUT' || method === 'PATCH') && status < 300);
  for (const { method, version = 0, note } of updates) {
    const before = notes[version - 2];
    const expected = method === 'PUT' ? [note] : [...(before ?? ['a version before']), note];
    require(String(notes[version - 1]) === String(expected), `version ${version} is not ${String(expected)}`);
  }
  const contents = notes.filter(note => note !== undefined);
  require(contents.length === updates.length, `${contents.length} versions of ${updates.length} updates`);
  // Two deletions follow each other only with an update between.
  for (const [at, note] of notes.entries())
    require(note !== undefined || (at > 0 && notes[at - 1] !== undefined), `version ${at + 1} deletes nothing`);
  for (const { method, match, status, version } of done) {
    require(allowed[method].includes(status), `${method} is ${status}`);
    const isMatched = match !== undefined && status < 300 && method !== 'GET';
    require(!isMatched || version === match + 1, `version ${version} after ${match}`);
  }
  // What ended before another began is not after it.
  for (const one of done)
    for (const other of done) {
      const [before, after] = [one.version ?? 0, other.version ?? Infinity];
      require(one.ended > other.begun || before <= after, `${before} was answered before ${after} began`);
    }
  return faults;
}

let worlds = 0;

it('the versions of a record are those of the answers, in an order that all agree on', async () => {
  const property = fc.asyncProperty(
    fc.array(fc.array(step, { minLength: 2, maxLength: 6 }), { minLength: 2, maxLength: 6 }),
    async clients => {
      const world = worlds++;
      const all = await run(world, clients);
      for (const id of [0, 1]) {
        const history = await server.get(`/Communication/w${world}-${id}/_history?_sort=_lastUpdated`);
        const entries = (history.status === 404 ? [] : history.json.entry) as readonly Entry[];
        const notes = entries.map(({ resource }) => resource?.note.map(({ text }) => text));
        const done = all.filter(one => one.id === id);
        expect(faultsOf(done, notes)).toEqual([]);
      }
    },
  );
  await fc.assert(property, { numRuns: Number(process.env['CRS_TEST_ROUNDS'] ?? 25), endOnFailure: true });
}, 300_000);
