import { badValue } from '../../../fhir/error.ts';
import { parseInstantRange } from '../../../fhir/instant-range.ts';
import { didYouMean } from '../../../fhir/suggest.ts';
import type { Model, ResourceType } from '../../../model/model.ts';
import { parseCount } from '../../../search/parse/result-parameters.ts';
import type { PagedRequest } from '../../../search/parse/page.ts';
import type { QueryPair } from '../../../search/request.ts';
import type { Arguments } from '../arguments.ts';

/** A parsed call of `$everything`, or a page of one. */
export interface EverythingRequest extends PagedRequest {
  readonly count: number;
  /** The types of the answer, from `_type`; undefined for all. */
  readonly names: ReadonlySet<string> | undefined;
  /** The earliest time of the last update, in milliseconds since 1970 UTC. */
  readonly since: number | undefined;
  /** The dates of care, as written; undefined for no limit. */
  readonly start: string | undefined;
  readonly end: string | undefined;
}

/** The arguments of a call as the parameters of a URL, which page tokens contain. */
export const pairsOf = (given: Arguments): readonly QueryPair[] => [
  ...['start', 'end', '_since'].flatMap(name => given.texts(name).map((text): QueryPair => [name, text])),
  ...(given.all('_type').length === 0 ? [] : [['_type', given.texts('_type').join(',')] as const]),
  ...given.all('_count').map((count): QueryPair => ['_count', String(count)]),
];

/**
 * Parses these parameters. Throws FhirError 400 for a type that is not declared, and for a count of no records. `now`
 * in milliseconds since 1970 UTC; times without an offset are those of `zone`.
 * https://hl7.org/fhir/R4/patient-operation-everything.html
 */
export function parseEverything(
  pairs: readonly QueryPair[],
  { model, type, zone, now }: { readonly model: Model; readonly type: ResourceType; zone: string; now: number },
): EverythingRequest {
  const given = new Map(pairs);
  const since = given.get('_since');
  const names = given.get('_type');
  const count = given.get('_count');
  const most = count === undefined ? type.pageSize.default : parseCount(count, type);
  if (most === 0) throw badValue('_count', '`_count=0` is not supported here, since records are not counted.');
  const used = pairs.map(([name, text]): QueryPair => [name, name === '_count' ? String(most) : text]);
  return {
    count: most,
    names: names === undefined ? undefined : typeNames(names, model),
    since: since === undefined ? undefined : Math.ceil(parseInstantRange(since, zone)?.low ?? 0),
    start: given.get('start'),
    end: given.get('end'),
    after: undefined,
    self: used,
    used,
    at: now,
  };
}

/** One or more lists of types, separated by commas. */
function typeNames(text: string, { types }: Model): ReadonlySet<string> {
  const names = text.split(',');
  const unknown = names.find(name => !types.has(name));
  if (unknown === undefined) return new Set(names);
  const hint = didYouMean(unknown, types.keys());
  throw badValue('_type', `\`${unknown}\` in \`_type\` is no type that is supported here.${hint}`);
}
