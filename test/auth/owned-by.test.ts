// The owners that are stored with a record decide as its entries do.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ownedBy } from '../../src/auth/owned-by.ts';
import { isWithin } from '../../src/auth/restrict.ts';
import { createExtract } from '../../src/indexing/extract.ts';
import { ownersOf } from '../../src/indexing/owners.ts';
import { loadModel } from '../support/loaded-once.ts';
import { matches } from '../../src/search/matches.ts';

const { model } = await loadModel({ definitions: [] });
if (model === undefined) throw new Error('The shipped definitions are wrong');
const extract = createExtract(model);
const place = { id: 'demo', settings: { zone: 'UTC' } } as Parameters<typeof isWithin>[4];

const reference = fc.constantFrom(
  'Patient/p1',
  'Patient/p2',
  'Patient/p10',
  'Patient/p1/_history/1',
  'http://records.example/r4/demo/Patient/p1',
  'http://else.example/Patient/p1',
  '#p1',
  'Group/p1',
  'p1',
  ' Patient/p1',
);
const link = fc.oneof(
  fc.record({ reference }),
  fc.record({ display: fc.constant('a "name"'), reference }),
  fc.record({ reference, type: fc.constantFrom('Patient', 'Group') }),
  fc.record({
    identifier: fc.record({ value: fc.constant('Patient/p1') }),
    extension: fc.constant([{ url: 'urn:x', valueReference: { reference: 'Patient/p1' } }]),
  }),
);
const participants = fc.array(fc.oneof(fc.record({ actor: link }), fc.record({ type: fc.constant([]) })), {
  maxLength: 3,
});
const record = fc.oneof(
  ...['Condition', 'Encounter', 'MedicationRequest', 'Observation', 'Media'].map(resourceType =>
    fc.record(
      {
        resourceType: fc.constant(resourceType),
        subject: link,
        contained: fc.constantFrom(
          [{ resourceType: 'Patient', id: 'p1' }],
          [{ resourceType: 'Basic', id: 'x', subject: { reference: 'Patient/p1' } }],
        ),
        performer: fc.array(link, { maxLength: 2 }),
        note: fc.constant([{ text: '"subject":{"reference":"Patient/p1"}' }]),
      },
      { requiredKeys: ['resourceType'] },
    ),
  ),
  fc.record({ resourceType: fc.constant('Appointment'), participant: participants }),
  fc.record({ resourceType: fc.constant('FamilyMemberHistory'), patient: link }),
);

const base = 'http://records.example/r4/demo';

describe('a record belongs to a patient', () => {
  it('by its stored owners as by its entries, under any public URL', () => {
    let [own, others] = [0, 0];
    const bases = fc.constantFrom(base, 'http://else.example', 'http://records.example');
    fc.assert(
      fc.property(record, bases, (resource, at) => {
        const type = model.types.get(resource.resourceType);
        const rule = type && ownedBy({ model, base: at }, type, 'p1');
        if (type === undefined || rule === undefined) throw new Error('Each of these has an owner');
        const text = JSON.stringify(resource);
        const entries = extract(type, text, { id: 'demo', zone: 'UTC' });
        const allowed = matches(rule, { id: 'x', lastUpdated: 0, entries });
        const found = { id: 'x', lastUpdated: 0, text };
        expect(isWithin(rule, type, found, extract, place)).toBe(allowed);
        expect(isWithin(rule, type, { ...found, owners: ownersOf(type, entries) }, extract, place)).toBe(allowed);
        if (allowed) own += 1;
        else others += 1;
      }),
      { numRuns: 2000 },
    );
    expect(Math.min(own, others)).toBeGreaterThan(100);
  });

  it('by what is stored: its text is not read', () => {
    const type = model.types.get('Condition');
    const rule = type && ownedBy({ model, base }, type, 'p1');
    if (type === undefined || rule === undefined) throw new Error('A Condition has an owner');
    const rows: readonly (readonly [owner: string, allowed: boolean])[] = [
      ['Patient/p1', true],
      [`${base}/Patient/p1`, true],
      ['Patient/p10', false],
      ['http://else.example/Patient/p1', false],
      [`${base}/other/Patient/p1`, false],
    ];
    for (const [owner, allowed] of rows) {
      const found = { id: 'x', lastUpdated: 0, text: 'no JSON', owners: [owner] };
      expect([owner, isWithin(rule, type, found, extract, place)]).toEqual([owner, allowed]);
    }
  });
});
