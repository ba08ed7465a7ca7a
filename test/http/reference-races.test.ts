// https://hl7.org/fhir/R4/http.html#delete: records that refer to others, while these are deleted.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { splitForStamp } from '../../src/fhir/resource-text.ts';
import { media, post } from '../support/media.ts';
import { patient } from '../support/resources.ts';
import { everything, serveVersioned } from '../support/versioned.ts';
import type { VersionedServer } from '../support/versioned.ts';

let server: VersionedServer;
beforeAll(async () => {
  server = await serveVersioned();
});
afterAll(() => server.close());

const rounds = 12;

it('a record is deleted, or referred to under the policy enforced, and never both', async () => {
  const outcomes = new Set<string>();
  for (let round = 0; round < rounds; round += 1) {
    const id = `raced-${round}`;
    const text = splitForStamp(JSON.stringify(patient(id)), id);
    await server.partition.write([{ kind: 'put', type: 'Patient', id, text }]);
    const picture = media({ subject: { reference: `Patient/${id}` } });
    const others = [0, 1, 2].map(() => post(server, 'Media', picture, server.authorized(everything)));
    const [removal, ...created] = await Promise.all([server.delete(`/Patient/${id}`), ...others]);
    const made = created.filter(({ status }) => status === 201).length;
    outcomes.add(`${removal.status}, ${made} created`);
  }
  const allowed = ['204, 0 created', '409, 3 created'];
  expect([...outcomes].filter(one => !allowed.includes(one))).toEqual([]);
});
