import type { SearchParamType } from './model.ts';

const texts = ['string', 'markdown', 'code', 'id', 'uri', 'url', 'canonical', 'oid', 'uuid'];
const uris = ['uri', 'url', 'canonical', 'oid', 'uuid'];

/**
 * The data types that each search type can index, as src/indexing implements it.
 * https://hl7.org/fhir/R4/search.html#ptypes
 */
const found: Readonly<Record<Exclude<SearchParamType, 'composite' | 'special'>, readonly string[]>> = {
  number: ['integer', 'positiveInt', 'unsignedInt', 'decimal', 'Range'],
  date: ['date', 'dateTime', 'instant', 'Period', 'Timing'],
  string: [...texts, 'HumanName', 'Address', 'Annotation', 'CodeableConcept', 'Coding', 'ContactPoint', 'Identifier'],
  token: ['CodeableConcept', 'Coding', 'Identifier', 'ContactPoint', 'boolean', 'code', 'string', 'id', ...uris],
  reference: ['Reference', ...uris],
  quantity: ['Quantity', 'Age', 'Count', 'Distance', 'Duration', 'Money', 'Range', 'SampledData'],
  uri: uris,
};

/** Types whose content is not known in advance. */
const open = ['Extension', 'Resource'];

/** The data types that a search type can index if it can index none of these; undefined otherwise. */
export function takesInstead(type: SearchParamType, dataTypes: ReadonlySet<string>): readonly string[] | undefined {
  if (type === 'composite' || type === 'special' || dataTypes.size === 0) return undefined;
  return [...found[type], ...open].some(name => dataTypes.has(name)) ? undefined : found[type];
}
