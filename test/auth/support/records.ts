import * as fc from 'fast-check';

/** Random records of a few patients, from small vocabularies, so that random searches often find some. */

export type Resource = { readonly resourceType: string; readonly id: string } & Readonly<Record<string, unknown>>;

/** A record with all its versions, the last one being what it is now. */
export interface Recorded {
  readonly versions: readonly Resource[];
  readonly deleted: boolean;
}

export const patients = ['p0', 'p1', 'p2', 'p3'];
export const doctors = ['Practitioner/dr', 'Practitioner/other'];
export const clients = ['c1', 'c2'];
export const codes = ['a', 'b'];

const pick = fc.constantFrom;
const coded = (code: string) => ({ coding: [{ system: 'http://codes.example', code }] });
const to = (patient: string) => ({ reference: `Patient/${patient}` });

const inside = (code: string, id: string) => ({
  resourceType: 'Observation',
  id: `in-${id}`,
  status: 'final',
  code: coded(code),
});
const narrative = (code: string, other: string) => {
  const text = code === 'a' || code === 'female' ? 'Chest pain' : 'Pain in the chest, and more pain';
  return { status: 'generated', div: `<div xmlns="http://www.w3.org/1999/xhtml">${text}, ${other}</div>` };
};

/** What a record of each type says, by the patient whom it belongs to. */
const makers: Readonly<Record<string, (id: string, owner: string, code: string, other: string) => Resource>> = {
  Observation: (id, owner, code, other) => ({
    resourceType: 'Observation',
    id,
    status: 'final',
    category: [coded(code)],
    code: coded(code),
    subject: to(owner),
    performer: [to(other)], // gives nothing
    effectiveDateTime: code === 'a' ? '2024-01-01' : '2025-06-01T10:00:00Z',
  }),
  Appointment: (id, owner, code, other) => ({
    resourceType: 'Appointment',
    id,
    status: code === 'a' ? 'booked' : 'arrived',
    start: '2025-01-01T10:00:00Z',
    end: '2025-01-01T11:00:00Z',
    participant: [...new Set([owner, other])].map(one => ({ actor: to(one), status: 'accepted' })),
  }),
  Condition: (id, owner, code, other) => ({
    resourceType: 'Condition',
    id,
    meta: { tag: [{ system: 'urn:tag', code: `${owner}-${id}` }] },
    text: narrative(code, other),
    code: coded(code),
    subject: to(owner),
    encounter: { reference: `Encounter/enc${id.slice(3)}` },
    contained: [inside(code, id)],
    asserter: to(other), // gives nothing
    recordedDate: code === 'a' ? '2024' : '2025-02-03',
  }),
  MedicationRequest: (id, owner, code) => ({
    resourceType: 'MedicationRequest',
    id,
    status: code === 'a' ? 'active' : 'stopped',
    intent: 'order',
    medicationCodeableConcept: coded(code),
    subject: to(owner),
  }),
  FamilyMemberHistory: (id, owner, code) => ({
    resourceType: 'FamilyMemberHistory',
    id,
    status: code === 'a' ? 'partial' : 'completed',
    patient: to(owner),
    relationship: coded(code),
  }),
  Encounter: (id, owner, code) => ({
    resourceType: 'Encounter',
    id,
    status: code === 'a' ? 'planned' : 'finished',
    class: { code: 'AMB' },
    location: [{ location: { reference: `Location/loc${id.slice(3)}` } }],
    partOf: { reference: `Encounter/enc${(Number(id.slice(3)) + (code === 'a' ? 1 : 2)) % 4}` },
    subject: code === 'a' ? to(owner) : { reference: `Patient/${owner}`, display: 'somebody' },
  }),
  Communication: (id, owner, code, other) => ({
    resourceType: 'Communication',
    id,
    text: narrative(code, other),
    status: code === 'a' ? 'completed' : 'in-progress',
    identifier: [{ system: 'urn:client', value: code === 'a' ? 'c1' : 'c2' }],
    subject: to(owner),
    recipient: [to(other)], // gives nothing
  }),
  Location: (id, _, code) => ({
    resourceType: 'Location',
    id,
    identifier: [{ system: 'urn:client', value: code === 'a' ? 'c1' : 'c2' }],
    contained: [inside(code, id), inside('b', 'x')],
    position: { latitude: 43 + Number(id.slice(3)) / 10, longitude: -79 },
    partOf: { reference: `Location/loc${(Number(id.slice(3)) + 1) % 4}` },
  }),
  List: (id, owner, code, other) => ({
    resourceType: 'List',
    id,
    status: 'current',
    mode: 'changes',
    subject: to(owner),
    entry: ['Condition/con0', 'Condition/con1', 'Observation/obs0', 'Communication/com0', `Patient/${other}`].map(
      (reference, at) => ({ item: { reference }, ...(at === 1 ? { deleted: code === 'a' } : {}) }),
    ),
  }),
};

const ownedOf = (types: readonly string[]): fc.Arbitrary<Recorded> =>
  fc
    .record({
      type: pick(...types),
      number: fc.nat(3),
      owners: fc.array(pick(...patients), { minLength: 1, maxLength: 2 }),
      other: pick(...patients),
      code: pick(...codes),
      deleted: fc.nat(5).map(dice => dice === 0),
    })
    .map(({ type, number, owners, other, code, deleted }): Recorded => {
      const id = `${type.slice(0, 3).toLowerCase()}${number}`;
      // The versions differ in whom they belong to.
      return {
        versions: owners.map(owner => makers[type]?.(id, owner, code, other)).filter(one => one !== undefined),
        deleted,
      };
    });

const persons = fc
  .tuple(
    ...patients.map(() =>
      fc.record({
        doctor: pick(...doctors, undefined),
        code: pick('female', 'male'),
        is: pick('here', 'here', 'here', 'deleted', 'absent'),
      }),
    ),
  ) // prettier-ignore
  .map(all =>
    all.flatMap(({ doctor, code, is }, index): Recorded[] => {
      if (is === 'absent') return [];
      const generalPractitioner = doctor === undefined ? {} : { generalPractitioner: [{ reference: doctor }] };
      const link = [{ other: to(patients[(index + 1) % patients.length] ?? ''), type: 'seealso' }]; // gives nothing
      const version = {
        resourceType: 'Patient',
        id: patients[index] ?? '',
        text: narrative(code, doctor ?? ''),
        gender: code,
        name: [{ family: 'Roy' }],
        link,
        ...generalPractitioner,
      };
      return [{ versions: [version], deleted: is === 'deleted' }];
    }),
  );

const known: readonly Recorded[] = ['dr', 'other'].map(id => ({
  versions: [{ resourceType: 'Practitioner', id, name: [{ family: id }] }],
  deleted: false,
}));

/** What is in the store: each record once; those that belong to somebody are of these types. */
export const anyRecords = (types: readonly string[] = Object.keys(makers)): fc.Arbitrary<readonly Recorded[]> =>
  fc.tuple(persons, fc.array(ownedOf(types), { minLength: 4, maxLength: 16 })).map(([people, more]) => {
    const all = [...known, ...people, ...more];
    return [...new Map(all.map(one => [`${one.versions[0]?.resourceType}/${one.versions[0]?.id}`, one])).values()];
  });
