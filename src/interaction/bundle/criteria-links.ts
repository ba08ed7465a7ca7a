import { FhirError, fhirError } from '../../fhir/error.ts';
import type { Model, ResourceType } from '../../model/model.ts';
import { escape, split, unescape } from '../../search/parse/escape.ts';
import { parsePairs } from '../../search/parse/pairs.ts';
import type { QueryPair } from '../../search/request.ts';
import { shorten } from '../../validation/report.ts';
import { ifNoneExistSource, queryOf } from '../criteria.ts';
import type { SentRequest } from '../interaction.ts';
import { targetOf } from './head.ts';

/** The record of an entry as `Type/id`, by a fullUrl; undefined if no entry has it. */
export type RecordOf = (fullUrl: string) => Promise<string | undefined>;

/** The criteria in the request of an entry. */
type CriteriaRequest = Pick<SentRequest, 'resourceType' | 'parameters' | 'headers' | 'base'>;

/** Whose links are replaced. */
export interface CriteriaPlace {
  readonly model: Pick<Model, 'types'>;
  readonly type: string;
  /** The fullUrl of the entry, the base of relative references. */
  readonly fullUrl: string | undefined;
  readonly recordOf: RecordOf;
}

/**
 * The request of an entry with the records of others in its criteria, where they name the fullUrl of one. Throws
 * FhirError 400 for a `urn:uuid` or `urn:oid` of no entry. https://hl7.org/fhir/R4/http.html#trules
 */
export async function linkCriteria<Request extends CriteriaRequest>(
  request: Request,
  place: Omit<CriteriaPlace, 'type'>,
): Promise<Request> {
  const { parameters, headers, resourceType: type = '' } = request;
  const of = { ...place, type };
  const pairs = await linkPairs(parameters, of);
  const noneExist = headers['if-none-exist'];
  const condition = noneExist === undefined ? undefined : await linkCondition(noneExist, request, of);
  if (pairs === parameters && condition === noneExist) return request;
  return {
    ...request,
    parameters: pairs,
    headers: condition === undefined ? headers : { ...headers, 'if-none-exist': condition },
  };
}

/** The text of `ifNoneExist` with the records of entries; a malformed one stays for the create, which refuses it. */
async function linkCondition(given: string, { base }: CriteriaRequest, place: CriteriaPlace): Promise<string> {
  let pairs: readonly QueryPair[];
  try {
    pairs = parsePairs(queryOf(given, { name: place.type }, base));
  } catch (error) {
    if (error instanceof FhirError) return given;
    throw error;
  }
  try {
    const linked = await linkPairs(pairs, place);
    return linked === pairs ? given : printPairs(linked);
  } catch (error) {
    if (!(error instanceof FhirError)) throw error;
    const { expression } = ifNoneExistSource;
    throw new FhirError(
      error.status,
      error.issues.map(issue => ({ ...issue, expression })),
    );
  }
}

/** The query string of pairs. */
export const printPairs = (pairs: readonly QueryPair[]): string =>
  new URLSearchParams(pairs.map(([name, value]) => [name, value])).toString();

/** Criteria with the records of entries; the same list if they name none. Throws as `linkCriteria`. */
export async function linkPairs(pairs: readonly QueryPair[], place: CriteriaPlace): Promise<readonly QueryPair[]> {
  const linked: QueryPair[] = [];
  let isSame = true;
  for (const [name, value] of pairs) {
    const text = await linkValue(name, value, place);
    if (text !== value) isSame = false;
    linked.push([name, text]);
  }
  return isSame ? pairs : linked;
}

async function linkValue(name: string, value: string, place: CriteriaPlace): Promise<string> {
  const type = place.model.types.get(place.type);
  if (type === undefined || !mayLead.test(value)) return value;
  if (name === '_filter') return linkFilter(value, type, place);
  const form = formOf(type, name, place.model);
  if (form === undefined) return value;
  const parts: string[] = [];
  for (const part of split(value, ',')) {
    const record = await recordNamed(unescape(part), name, place);
    parts.push(record === undefined ? part : escape(form === 'id' ? idIn(record) : record));
  }
  return parts.join(',');
}

/** The comparisons of a `_filter`. https://hl7.org/fhir/R4/search_filter.html */
async function linkFilter(value: string, type: ResourceType, place: CriteriaPlace): Promise<string> {
  let linked = '';
  let from = 0;
  for (const found of value.matchAll(/([\w.:-]+)( (?:eq|ne|re) )("?)([^\s"()]+)\3/g)) {
    const [whole, path = '', operator = '', quote = '', text = ''] = found;
    const form = formOf(type, path, place.model);
    const record = form === undefined ? undefined : await recordNamed(text, '_filter', place);
    if (record === undefined) continue;
    const written = form === 'id' ? idIn(record) : record;
    linked += value.slice(from, found.index) + path + operator + quote + written + quote;
    from = found.index + whole.length;
  }
  return linked + value.slice(from);
}

const idIn = (record: string): string => record.slice(record.indexOf('/') + 1);

/** The texts that may name an entry. */
const mayLead = /:|[A-Z][A-Za-z]*\//;

async function recordNamed(text: string, name: string, { fullUrl, recordOf }: CriteriaPlace) {
  const record = await targetOf(text, fullUrl, recordOf);
  if (record === undefined && /^urn:(?:uuid|oid):/.test(text)) throw noEntry(text, name);
  return record;
}

/**
 * Whether the values of a parameter are references, or ids alone: `subject`, `subject:Patient`, `_id`, and the last
 * step of a chain or a reverse chain. Undefined for others: an identifier may be equal to a fullUrl by chance.
 */
function formOf(type: ResourceType, name: string, model: Pick<Model, 'types'>): 'reference' | 'id' | undefined {
  if (name.startsWith('_has:')) {
    const [, from = '', , ...rest] = name.split(':');
    const other = model.types.get(from);
    return other && formOf(other, rest.join(':'), model);
  }
  const dot = type.parameters.has(name) ? -1 : name.indexOf('.');
  const [code = '', modifier] = (dot === -1 ? name : name.slice(0, dot)).split(':');
  const param = type.parameters.get(code);
  if (dot === -1) {
    if (code === '_id' && modifier === undefined) return 'id';
    if (param?.type !== 'reference') return undefined;
    if (modifier === undefined || modifier === 'not') return 'reference';
    return /^[A-Z]/.test(modifier) ? 'id' : undefined;
  }
  if (param?.type !== 'reference') return undefined;
  const rest = name.slice(dot + 1);
  const targets = modifier === undefined ? param.targets : [modifier];
  const types = targets.length === 0 ? [...model.types.values()] : targets.map(target => model.types.get(target));
  return types
    .filter(target => target !== undefined)
    .map(target => formOf(target, rest, model))
    .find(form => form !== undefined);
}

const noEntry = (text: string, name: string): FhirError =>
  fhirError(
    400,
    'not-found',
    `The criterion \`${name}\` names \`${shorten(text)}\`, which is the fullUrl of no entry that writes a record. ` +
      'Name the fullUrl of one, or write `Type/id`.',
    `http.${name}`,
  );

/** Entries whose criteria name each other. */
export const inCircle = (): FhirError =>
  fhirError(
    400,
    'business-rule',
    'The criteria of entries name each other in a circle, so that none can be searched first: send two transactions.',
  );
