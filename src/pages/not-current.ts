import { isObject, objectsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import type { ElementDefinition, TypeDefinition } from '../model/element.ts';
import type { Language } from './language.ts';

/**
 * The texts of the marks of a record that is not to be used as a current one, for the person who chooses among records.
 * They are read from the modifier elements of the type, as its definition has them: `active` if it is false, other
 * flags if they are true, and codes and concepts that have one of these codes, such as the status and, of links to
 * other records, `replaced-by`. https://hl7.org/fhir/R4/conformance-rules.html#isModifier
 */
export function notCurrent(
  resource: JsonObject,
  definition: TypeDefinition | undefined,
  language: Language,
): readonly string[] {
  const modifiers = [...(definition?.elements.values() ?? [])].filter(({ modifier }) => modifier);
  const keys = modifiers.flatMap(element => keysOf(resource, element));
  return [...new Set(keys)].flatMap(key => marks.get(key)?.[language] ?? []);
}

/** The names of flags and the codes that mark a record, with their texts. */
const marks: ReadonlyMap<unknown, Readonly<Record<Language, string>>> = new Map(
  Object.entries({
    active: { en: 'Not in use', fr: 'Inactif' },
    deceased: { en: 'Deceased', fr: 'Décès consigné' },
    doNotPerform: { en: 'Not to be done', fr: 'À ne pas faire' },
    'replaced-by': { en: 'Replaced by another record', fr: 'Remplacé par un autre dossier' },
    'entered-in-error': { en: 'Entered in error', fr: 'Saisi par erreur' },
    refuted: { en: 'Refuted', fr: 'Réfuté' },
    inactive: { en: 'Inactive', fr: 'Inactif' },
    resolved: { en: 'Resolved', fr: 'Résolu' },
    remission: { en: 'In remission', fr: 'En rémission' },
    cancelled: { en: 'Cancelled', fr: 'Annulé' },
    revoked: { en: 'Revoked', fr: 'Révoqué' },
    retired: { en: 'Retired', fr: 'Retiré' },
    superseded: { en: 'Superseded', fr: 'Remplacé' },
    stopped: { en: 'Stopped', fr: 'Arrêté' },
    suspended: { en: 'Suspended', fr: 'Suspendu' },
    'not-done': { en: 'Not done', fr: 'Non effectué' },
    'not-taken': { en: 'Not taken', fr: 'Non pris' },
    aborted: { en: 'Aborted', fr: 'Interrompu' },
    abandoned: { en: 'Abandoned', fr: 'Abandonné' },
    declined: { en: 'Declined', fr: 'Refusé' },
    rejected: { en: 'Rejected', fr: 'Rejeté' },
    withdrawn: { en: 'Withdrawn', fr: 'Retiré' },
    terminated: { en: 'Terminated', fr: 'Résilié' },
    off: { en: 'Off', fr: 'Désactivé' },
  }),
);

/** The keys of marks that a modifier element has: its name as a flag, or the codes in it. */
function keysOf(resource: JsonObject, { name, types }: ElementDefinition): readonly unknown[] {
  return types.flatMap(({ code, property }) => {
    const value = resource[property];
    if (value === undefined) return [];
    if (code === 'boolean') return value === (name !== 'active') ? [name] : [];
    if (code === 'dateTime') return [name]; // as of a flag: since when it is true
    return (isObject(value) ? [value] : Array.isArray(value) ? objectsOf(value) : [{ code: value }]).flatMap(codesIn);
  });
}

/** The codes of a code, a concept, and of the parts of a backbone element. */
const codesIn = (value: JsonObject): readonly unknown[] => [
  ...Object.values(value).filter(one => typeof one === 'string'),
  ...objectsOf(value['coding']).map(({ code }) => code),
];
