// What is told at a look is what the whole rule says.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ownedBy } from '../../src/auth/owned-by.ts';
import { isWithin } from '../../src/auth/restrict.ts';
import { matchesProbe, probesOf } from '../../src/auth/reference-probe.ts';
import { createExtract } from '../../src/indexing/extract.ts';
import { loadModel } from '../support/loaded-once.ts';
import { matches } from '../../src/search/matches.ts';

const { model } = await loadModel({ definitions: [] });
if (model === undefined) throw new Error('The shipped definitions are wrong');
const extract = createExtract(model);
const place = { id: 'demo', settings: { zone: 'UTC' } } as Parameters<typeof isWithin>[4];

const reference = fc.constantFrom(
  'Patient/p1', 'Patient/p2', 'Patient/p10', 'Patient/p1/_history/1', 'http://records.example/r4/demo/Patient/p1', 'http://else.example/Patient/p1', '#p1', 'Group/p1', 'p1', ' Patient/p1',
); // prettier-ignore
const link = fc.oneof(
  fc.record({ reference }),
  fc.record({ display: fc.constant('a "name"'), reference }),
  fc.record({ reference, type: fc.constantFrom('Patient', 'Group') }),
  fc.record({ identifier: fc.record({ value: fc.constant('Patient/p1') }), extension: fc.constant([{ url: 'urn:x', valueReference: { reference: 'Patient/p1' } }]) }), // prettier-ignore
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
        contained: fc.constantFrom([{ resourceType: 'Patient', id: 'p1' }], [{ resourceType: 'Basic', id: 'x', subject: { reference: 'Patient/p1' } }]), // prettier-ignore
        performer: fc.array(link, { maxLength: 2 }),
        note: fc.constant([{ text: '"subject":{"reference":"Patient/p1"}' }]),
      },
      { requiredKeys: ['resourceType'] },
    ),
  ),
  fc.record({ resourceType: fc.constant('Appointment'), participant: participants }),
  fc.record({ resourceType: fc.constant('FamilyMemberHistory'), patient: link }),
);

describe('a look at a record', () => {
  it('lets through no more than the rule, and the rule decides as it does on all of the record', () => {
    let seen = 0;
    fc.assert(
      fc.property(record, fc.constantFrom(undefined, undefined, ' '), (resource, space) => {
        const type = model.types.get(resource.resourceType);
        const rule = type && ownedBy({ model, base: 'http://records.example/r4/demo' }, type, 'p1');
        if (type === undefined || rule === undefined) throw new Error('Each of these belongs to somebody');
        const text = JSON.stringify(resource, undefined, space);
        const whole = { id: 'x', lastUpdated: 0, entries: extract(type, text, { id: 'demo', zone: 'UTC' }) };
        const allowed = matches(rule, whole);
        expect(isWithin(rule, type, { id: 'x', lastUpdated: 0, text }, extract, place)).toBe(allowed);
        const sights = probesOf(rule, type.name);
        expect(sights).toHaveLength(1);
        if (!matchesProbe(text, sights)) return;
        expect(allowed).toBe(true);
        seen += 1;
      }),
      { numRuns: 2000 },
    );
    expect(seen).toBeGreaterThan(30);
  });

  it('tells nothing of rules that are more than a link', () => {
    const type = model.types.get('Condition');
    const rule = type && ownedBy({ model, base: 'http://records.example/r4/demo' }, type, 'p1');
    if (type === undefined || rule === undefined) throw new Error('A Condition belongs to somebody');
    for (const more of [
      { kind: 'not', of: rule },
      { kind: 'and', of: [rule, { kind: 'id', anyOf: ['x'] }] },
      { kind: 'all' },
    ] as const)
      expect(probesOf(more, 'Condition')).toEqual([]);
    expect(probesOf({ kind: 'or', of: [rule, { kind: 'id', anyOf: [] }] }, 'Condition')).toHaveLength(1);
  });
});
