import { asString, isObject, objectsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import type { ElementDefinition, TypeDefinition } from '../../model/element.ts';
import type { Markup } from '../../pages/html.ts';
import { notCurrent } from '../../pages/not-current.ts';
import { badge } from '../../pages/parts.ts';
import { fiveWsOf } from '../definition/notes.ts';
import { conceptText } from './values/coding.ts';
import { namesText } from './values/person.ts';
import type { RecordView } from './view.ts';

/** What the title of a record needs. */
export type TitleView = Pick<RecordView, 'model' | 'system'>;

/**
 * A text by which people recognise a record; undefined if it has none. In this order: the name of a person; what the
 * record is about ("five Ws": what); its title, name or description; its class; the reason for it; its type. Derived
 * from the definition of its type. https://hl7.org/fhir/R4/fivews.html
 */
export function recordTitle(resource: JsonObject, view: TitleView): string | undefined {
  const type = view.model.definitions.get(String(resource['resourceType']));
  for (const element of type === undefined ? [] : candidatesOf(type)) {
    const text = textOf(resource, element, view);
    if (text !== undefined && text !== '') return text;
  }
  return undefined;
}

/** The texts that say that a record is not a current one, for the person who chooses among records. */
export const marksOf = (resource: JsonObject, { model, language }: Pick<RecordView, 'model' | 'language'>) =>
  notCurrent(resource, model.definitions.get(String(resource['resourceType'])), language);

/** The marks of a record beside its title. */
export const printMarks = (marks: readonly string[]): Markup => marks.map(mark => badge(mark));

const known = new WeakMap<TypeDefinition, readonly ElementDefinition[]>();

/** The elements that may have the title, the best first. */
function candidatesOf(type: TypeDefinition): readonly ElementDefinition[] {
  const cached = known.get(type);
  if (cached !== undefined) return cached;
  const elements = [...type.elements.values()];
  const candidates = [
    ...elements.filter(({ types }) => types.some(({ code }) => code === 'HumanName')),
    ...fiveWsOf(type, 'what'),
    ...elements.filter(({ name }) => names.has(name)),
    ...fiveWsOf(type, 'class')
      .filter(isConcept)
      .toSorted((a, b) => weight(a) - weight(b)),
    ...fiveWsOf(type, 'why'),
    ...elements.filter(one => isConcept(one) && /(?:type|category)$/i.test(one.name)),
    ...elements.filter(isConcept),
  ];
  known.set(type, candidates);
  return candidates;
}

const names: ReadonlySet<string> = new Set(['title', 'name', 'description']);

const isConcept = ({ types }: ElementDefinition): boolean => types.some(({ code }) => code === 'CodeableConcept');

/** A repeated class says more than one that each record must have. */
const weight = ({ min }: ElementDefinition): number => min;

/** The text of the first value of an element; a reference by its display. */
function textOf(resource: JsonObject, { types }: ElementDefinition, view: TitleView): string | undefined {
  for (const { property, code } of types) {
    const value = resource[property];
    if (code === 'HumanName')
      return namesText(Array.isArray(value) ? objectsOf(value) : isObject(value) ? [value] : []);
    const [first] = Array.isArray(value) ? objectsOf(value) : [value];
    if (typeof first === 'string') return code === 'string' || code === 'markdown' ? first : undefined;
    if (!isObject(first)) continue;
    if (code === 'Reference') return asString(first['display']);
    if (code === 'CodeableConcept' || code === 'Coding') return conceptText(first, view);
  }
  return undefined;
}
