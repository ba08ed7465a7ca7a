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
  return [...new Set(modifiers.flatMap(element => marksIn(resource, element)))].map(mark => mark[language]);
}

type Mark = Readonly<Record<Language, string>>;

/** The marks by the names of flags. */
const flags: ReadonlyMap<unknown, Mark> = new Map(
  Object.entries({
    active: { en: 'Not in use', fr: 'Inactif' },
    deceased: { en: 'Deceased', fr: 'Décès consigné' },
    doNotPerform: { en: 'Not to be done', fr: 'À ne pas faire' },
  }),
);

/** The marks by codes. */
const codes: ReadonlyMap<unknown, Mark> = new Map(
  Object.entries({
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

/** The marks of a modifier element: of a flag by its name, else of the codes in it. */
function marksIn(resource: JsonObject, { name, types }: ElementDefinition): readonly Mark[] {
  return types.flatMap(({ code, property }) => {
    const value = resource[property];
    if (value === undefined) return [];
    if (code === 'boolean') return value === (name !== 'active') ? (flags.get(name) ?? []) : [];
    if (code === 'dateTime') return flags.get(name) ?? []; // of a flag: since when it is true
    return (isObject(value) ? [value] : Array.isArray(value) ? objectsOf(value) : [{ code: value }])
      .flatMap(codesIn)
      .flatMap(one => codes.get(one) ?? []);
  });
}

/** The codes of a code, a concept, and of the parts of a backbone element. */
const codesIn = (value: JsonObject): readonly unknown[] => [
  ...Object.values(value).filter(one => typeof one === 'string'),
  ...objectsOf(value['coding']).map(({ code }) => code),
];
