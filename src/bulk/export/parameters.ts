import { ownerType } from '../../auth/owned-by.ts';
import { scopeInsufficient } from '../../auth/refusals.ts';
import { restriction } from '../../auth/restrict.ts';
import { badValue, fhirError } from '../../fhir/error.ts';
import { parseInstantRange } from '../../fhir/instant-range.ts';
import { asString, isObject } from '../../fhir/json-object.ts';
import { belowBase, parseReference } from '../../fhir/reference.ts';
import { didYouMean } from '../../fhir/suggest.ts';
import type { Engine, FhirRequest } from '../../interaction/interaction.ts';
import type { Arguments } from '../../interaction/operation/arguments.ts';
import type { ResourceType } from '../../model/model.ts';
import type { Query } from '../../search/ast.ts';
import { isCriterion } from '../../search/parse/criterion.ts';
import { isIgnored } from '../../search/parse/ignorable.ts';
import { parsePairs } from '../../search/parse/pairs.ts';
import { parseElements } from '../../search/parse/result-parameters.ts';
import { parseSearch } from '../../search/parse/search.ts';
import type { QueryPair } from '../../search/request.ts';
import { isNone } from '../../search/simplify.ts';
import type { Partition } from '../../store/port/partitions.ts';
import type { ExportTask } from './task.ts';

/** What the parameters of a kick-off say. */
export type ExportRequest = Pick<
  ExportTask,
  'since' | 'types' | 'isNamed' | 'filters' | 'elements' | 'patients' | 'provenance' | 'ignored'
>;

type KickOff = Pick<FhirRequest, 'access' | 'base' | 'handling'> & Pick<ExportTask, 'level'>;

/** https://hl7.org/fhir/uv/bulkdata/STU2/export.html#query-parameters */
const formats = ['application/fhir+ndjson', 'application/ndjson', 'ndjson'];

/** Parameters of later versions that change the answer: ignored, they would mislead the client that sends them. */
const ofLaterVersions = ['_until', 'organizeOutputBy', 'allowPartialManifests'];

/**
 * The parameters of a kick-off. `others` are those that the operation does not have: refused, or named in `error` under
 * lenient handling. Throws FhirError 400, and 403 for a type without a scope.
 */
export function parseExport(
  engine: Engine,
  request: KickOff,
  partition: Partition,
  given: Arguments,
  others: readonly QueryPair[],
): ExportRequest {
  const ignored = others.map(([name]) => {
    if (ofLaterVersions.includes(name) || !isIgnored(name, { handling: request.handling })) throw unknown(name);
    return `The parameter \`${name}\` is not supported and was ignored.`;
  });
  const format = given.text('_outputFormat');
  if (format !== undefined && !formats.includes(format))
    throw badValue('_outputFormat', `\`${format}\` is not supported: exports are \`${formats.join('`, `')}\`.`);
  const types = typesOf(engine, request, listed(given, '_type'));
  const filters = filtersOf(engine, request, partition, types, given.texts('_typeFilter'));
  return {
    since: sinceOf(given.text('_since'), partition.settings.zone),
    types: types.map(({ name }) => name),
    isNamed: given.all('_type').length > 0,
    filters,
    elements: elementsOf(engine, types, listed(given, '_elements')),
    patients: patientsOf(engine, request, given.all('patient')),
    provenance: provenanceOf(engine, request, listed(given, 'includeAssociatedData')),
    ignored,
  };
}

const unknown = (name: string) =>
  fhirError(
    400,
    'not-supported',
    `\`$export\` has no parameter \`${name}\`.${didYouMean(name, known)} Use \`${known.join('`, `')}\`.`,
    /^[\w.-]+$/.test(name) ? `http.${name}` : undefined,
  );

const known = ['_outputFormat', '_since', '_type', '_elements', '_typeFilter', 'patient', 'includeAssociatedData'];

/** A repeated parameter is as good as its values separated by commas. */
const listed = (given: Arguments, name: string): readonly string[] =>
  given.texts(name).flatMap(text =>
    text
      .split(',')
      .map(one => one.trim())
      .filter(one => one !== ''),
  );

/** Times of the store are whole milliseconds: what changed after the instant changed after its millisecond. */
function sinceOf(text: string | undefined, zone: string): number | undefined {
  if (text === undefined) return undefined;
  return Math.floor(parseInstantRange(text, zone)?.low ?? 0);
}

/** The exported types, which the caller may read: those that are named, or all that the level has. */
function typesOf(
  { model }: Engine,
  { access, base, level }: KickOff,
  names: readonly string[],
): readonly ResourceType[] {
  const mayRead = (type: ResourceType): boolean => !isNone(restriction(access, type, 'r'));
  const isInside = (type: ResourceType): boolean =>
    level === 'system' || type.name === ownerType(model) || type.compartmentLinks.has(ownerType(model) ?? '');
  if (names.length === 0) {
    const open = [...model.types.values()].filter(mayRead);
    if (open.some(isInside)) return open;
    throw scopeInsufficient(base, 'The token has no scope for any type that would be exported.', ['system/*.rs']);
  }
  const types = Array.from(new Set(names), name => {
    const type = model.types.get(name);
    if (type === undefined)
      throw badValue(
        '_type',
        `\`${name}\` in \`_type\` is no type that is supported here.${didYouMean(name, model.types.keys())}`,
      );
    if (!mayRead(type))
      throw scopeInsufficient(base, `The token has no scope to read ${name}.`, [`system/${name}.rs`], 'http._type');
    return type;
  });
  if (types.some(isInside)) return types;
  const text = `No record of ${names.join(', ')} belongs to a patient: export them at system level, or name others.`;
  throw badValue('_type', text);
}

/** A comma separates filters only where a type follows: elsewhere it is part of a value. */
const betweenFilters = /,(?=[A-Z][A-Za-z]*\?)/;

/** The searches of `_typeFilter`, by type. Each is parsed here, so that nothing widens later. */
function filtersOf(
  engine: Engine,
  { base }: KickOff,
  partition: Partition,
  types: readonly ResourceType[],
  texts: readonly string[],
): ExportTask['filters'] {
  const found: Record<string, string[]> = {};
  for (const text of texts.flatMap(one => one.split(betweenFilters))) {
    const [name = '', ...rest] = text.trim().split('?');
    const type = types.find(one => one.name === name);
    if (type === undefined || rest.length === 0) {
      const text = `\`${name}\` in \`_typeFilter\` is no exported type with a search, as in \`Type?name=value\`.`;
      throw badValue('_typeFilter', text);
    }
    const search = rest.join('?');
    parseFilter(engine, { base, zone: partition.settings.zone, now: engine.now() }, type, search);
    found[name] = [...(found[name] ?? []), search];
  }
  return found;
}

/** The query of a filter. Throws FhirError 400 for one that is not valid, or says more than which records match. */
export function parseFilter(
  { model }: Pick<Engine, 'model'>,
  place: { readonly base: string; readonly zone: string; readonly now: number },
  type: ResourceType,
  search: string,
): Query {
  const pairs = parsePairs(search);
  const result = pairs.find(([name]) => !isCriterion(name));
  if (result !== undefined || pairs.length === 0) {
    const what = result === undefined ? 'is empty' : `has \`${result[0]}\`, which does not say which records match`;
    throw badValue('_typeFilter', `The filter \`${type.name}?${search}\` ${what}.`);
  }
  return parseSearch(type, pairs, { ...place, model, handling: 'strict' }).query;
}

function elementsOf(
  { model }: Engine,
  types: readonly ResourceType[],
  texts: readonly string[],
): ExportTask['elements'] {
  if (texts.length === 0) return undefined;
  return texts.flatMap(text => {
    const [first = '', ...rest] = text.split('.');
    const type = model.types.get(first);
    const name = type === undefined ? text : rest.join('.');
    const of = type === undefined ? types : [type];
    return parseElements(name, of).map(one => ({ type: type?.name, name: one }));
  });
}

function patientsOf(
  { model }: Engine,
  { level, base }: KickOff,
  values: readonly unknown[],
): readonly string[] | undefined {
  if (values.length === 0) return undefined;
  if (level === 'system') throw badValue('patient', '`patient` is for exports of patients and of a Group.');
  const owner = ownerType(model);
  return values.map(value => {
    const text = isObject(value) ? (asString(value['reference']) ?? '') : '';
    const parsed = parseReference(text);
    const found = parsed?.kind === 'relative' ? parsed : belowBase(base, text);
    if (found?.type === owner && found !== undefined) return found.id;
    throw badValue(
      'patient',
      `\`${text}\` is no reference to a ${owner ?? 'patient'} of this server: write \`${owner ?? 'Type'}/id\`.`,
    );
  });
}

function provenanceOf(
  { model }: Engine,
  { access, base }: KickOff,
  names: readonly string[],
): ExportTask['provenance'] {
  const wrong = names.find(name => !Object.hasOwn(associated, name));
  if (wrong !== undefined)
    throw badValue(
      'includeAssociatedData',
      `\`${wrong}\` is not supported: use \`${Object.keys(associated).join('` or `')}\`.`,
    );
  if (names.length === 0) return 'usual';
  const type = model.types.get('Provenance');
  if (type === undefined || isNone(restriction(access, type, 'r')))
    throw scopeInsufficient(
      base,
      'The token has no scope to read Provenance.',
      ['system/Provenance.rs'],
      'http.includeAssociatedData',
    );
  return names.includes('RelevantProvenanceResources') ? 'relevant' : 'latest';
}

const associated = { LatestProvenanceResources: 'latest', RelevantProvenanceResources: 'relevant' } as const;
