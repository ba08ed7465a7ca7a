import type { SearchParamType } from './model.ts';

const texts = ['string', 'markdown', 'code', 'id', 'uri', 'url', 'canonical', 'oid', 'uuid'];
const uris = ['uri', 'url', 'canonical', 'oid', 'uuid'];

/** The data types in which each search type finds something, as src/indexing reads them. https://hl7.org/fhir/R4/search.html#ptypes */
const found: Readonly<Record<Exclude<SearchParamType, 'composite' | 'special'>, readonly string[]>> = {
  number: ['integer', 'positiveInt', 'unsignedInt', 'decimal', 'Range'],
  date: ['date', 'dateTime', 'instant', 'Period', 'Timing'],
  string: [...texts, 'HumanName', 'Address', 'Annotation', 'CodeableConcept', 'Coding', 'ContactPoint', 'Identifier'],
  token: ['CodeableConcept', 'Coding', 'Identifier', 'ContactPoint', 'boolean', 'code', 'string', 'id', ...uris],
  reference: ['Reference', ...uris],
  quantity: ['Quantity', 'Age', 'Count', 'Distance', 'Duration', 'Money', 'Range'],
  uri: uris,
};

/** What is inside is not known beforehand. */
const open = ['Extension', 'Resource'];

/** The data types that a search type takes where none of these is one; undefined where it finds something, or may. */
export function takesInstead(type: SearchParamType, dataTypes: ReadonlySet<string>): readonly string[] | undefined {
  if (type === 'composite' || type === 'special' || dataTypes.size === 0) return undefined;
  return [...found[type], ...open].some(name => dataTypes.has(name)) ? undefined : found[type];
}
