import { familyDiseases, profiles, relatives, systems } from './codes.ts';
import type { Person } from './person.ts';
import type { Resource } from './resource.ts';

/** Histories of two or three relatives; some only state that nothing is known. */
export function familyHistories(person: Person): Resource[] {
  const { random } = person;
  return random.some(relatives, random.integer(2, 3)).map((relative, index): Resource => {
    const unknown = random.chance(0.1);
    const possible = familyDiseases.filter(disease => !('only' in disease) || disease.only === relative.sex);
    const conditions = random.some(possible, random.integer(1, 2)).map(({ code, display }) => ({
      code: { coding: [{ system: systems.snomed, code, display }] },
      ...(random.chance(0.6)
        ? { onsetAge: { value: random.integer(35, 80), unit: 'years', system: systems.ucum, code: 'a' } }
        : {}),
    }));
    return {
      resourceType: 'FamilyMemberHistory',
      id: `f${person.key}-${index + 1}`,
      meta: { profile: [profiles.familyMemberHistory] },
      status: unknown ? 'health-unknown' : random.pick(['completed', 'completed', 'partial']),
      ...(unknown
        ? {
            dataAbsentReason: {
              coding: [{ system: systems.absentHistory, code: 'subject-unknown', display: "Don't know" }],
            },
          }
        : {}),
      patient: { reference: person.reference },
      relationship: { coding: [{ system: systems.roleCode, code: relative.code, display: relative.display }] },
      sex: { coding: [{ system: systems.gender, code: relative.sex }] },
      ...(unknown ? {} : { condition: conditions }),
    };
  });
}
