import { printDate } from './calendar.ts';
import { acuteDiseases, systems } from './codes.ts';
import type { Disease, Drug } from './codes.ts';
import type { Person } from './person.ts';
import type { Resource } from './resource.ts';
import type { Encountered } from './visit.ts';

/**
 * The problem list with its prescriptions, and the diagnoses of some visits. Each was recorded, and each order written,
 * on the day of an encounter by its practitioner.
 */
export function problems(person: Person, visits: readonly Encountered[]): Resource[] {
  const { random } = person;
  const made: Resource[] = [];
  const name = (letter: string): string =>
    `${letter}${person.key}-${made.filter(({ id }) => id.startsWith(letter)).length + 1}`;
  if (visits.length === 0) return made;

  for (const disease of person.diseases) {
    const visit = random.pick(visits);
    const verification = random.pick(['confirmed', 'confirmed', 'confirmed', 'confirmed', 'provisional', 'refuted']);
    const condition = chronicCondition(person, disease, visit, name('c'), verification);
    made.push(condition);
    const drug = random.chance(0.9) && disease.drugs.length > 0 ? random.pick(disease.drugs) : undefined;
    if (drug === undefined || verification === 'refuted') continue;
    const since = visits.filter(({ day }) => day >= visit.day);
    const renewals = random.some(since, 3);
    for (const [index, renewal] of renewals.entries()) {
      const last = index === renewals.length - 1;
      const status = last ? random.pick(['active', 'active', 'active', 'on-hold', 'stopped']) : 'completed';
      made.push(order(person, drug, renewal, condition, status, name('m')));
    }
  }
  for (const visit of random.some(visits, random.integer(1, 3))) {
    const disease = random.pick(acuteDiseases.filter(({ fromAge }) => fromAge <= person.age));
    const condition = acuteCondition(person, disease, visit, name('c'), visits.at(-1) ?? visit);
    made.push(condition);
    const drug = disease.drugs[0];
    if (drug === undefined) continue;
    const status = visit.status === 'arrived' ? 'active' : random.pick(['completed', 'completed', 'cancelled']);
    made.push(order(person, drug, visit, condition, status, name('m')));
  }
  return made;
}

function chronicCondition(
  person: Person,
  disease: Disease,
  visit: Encountered,
  id: string,
  verification: string,
): Resource {
  const { random } = person;
  const began = Math.max(person.birthDay + Math.ceil(disease.fromAge * 365.25), visit.day - random.integer(10, 4000));
  const onset = Math.min(began, visit.day);
  const clinical =
    verification === 'refuted'
      ? 'inactive'
      : random.pick(['active', 'active', 'active', 'active', 'active', 'recurrence', 'remission']);
  return {
    ...base(person, disease, visit, id, clinical, verification, 'problem-list-item'),
    // People remember only the month or the year of old events.
    onsetDateTime: printDate(onset).slice(0, random.pick([4, 7, 10])),
    recordedDate: printDate(visit.day),
  };
}

/** A condition that ended before the last visit is resolved; one that was found there is not. */
function acuteCondition(person: Person, disease: Disease, visit: Encountered, id: string, last: Encountered): Resource {
  const resolved = visit !== last;
  const onset = Math.max(person.birthDay, visit.day - person.random.integer(1, 9));
  return {
    ...base(person, disease, visit, id, resolved ? 'resolved' : 'active', 'confirmed', 'encounter-diagnosis'),
    onsetDateTime: printDate(onset),
    ...(resolved ? { abatementDateTime: printDate(Math.min(onset + person.random.integer(10, 20), last.day)) } : {}),
    recordedDate: printDate(visit.day),
  };
}

function base(
  person: Person,
  disease: Disease,
  visit: Encountered,
  id: string,
  clinical: string,
  verification: string,
  category: 'problem-list-item' | 'encounter-diagnosis',
): Resource {
  return {
    resourceType: 'Condition',
    id,
    clinicalStatus: { coding: [{ system: systems.conditionClinical, code: clinical }] },
    verificationStatus: { coding: [{ system: systems.conditionVerification, code: verification }] },
    category: [{ coding: [{ system: systems.conditionCategory, code: category }] }],
    code: { coding: [{ system: systems.snomed, code: disease.code, display: disease.display }] },
    subject: { reference: person.reference },
    encounter: { reference: `Encounter/${visit.encounterId}` },
    recorder: { reference: visit.practitioner },
  };
}

function order(
  person: Person,
  drug: Drug,
  visit: Encountered,
  condition: Resource,
  status: string,
  id: string,
): Resource {
  return {
    resourceType: 'MedicationRequest',
    id,
    status,
    intent: 'order',
    medicationCodeableConcept: { coding: [{ system: systems.atc, code: drug.code, display: drug.display }] },
    subject: { reference: person.reference },
    encounter: { reference: `Encounter/${visit.encounterId}` },
    authoredOn: printDate(visit.day),
    requester: { reference: visit.practitioner },
    reasonReference: [{ reference: `Condition/${condition.id}` }],
    dosageInstruction: [{ text: drug.dose }],
  };
}
