import { badValue } from '../../fhir/error.ts';
import { parseInstantRange } from '../../fhir/instant-range.ts';
import { didYouMean } from '../../fhir/suggest.ts';
import type { ResourceType } from '../../model/model.ts';
import { withPlus } from '../../search/parse/date.ts';
import { parseCount } from '../../search/parse/result-parameters.ts';
import type { QueryPair, SearchRequest } from '../../search/request.ts';
import type { HistoryScope } from '../../store/port/transfer.ts';
import { controls } from '../controls.ts';
import type { Handling } from '../interaction.ts';

/** A parsed request for versions, with the properties of a page that a search has too. */
export interface HistoryRequest
  extends Pick<HistoryScope, 'order' | 'from' | 'to'>, Pick<SearchRequest, 'count' | 'after' | 'self' | 'used' | 'at'> {
  /**
   * Versions that another had replaced at this time are left out, and so are tombstones of before it, in milliseconds
   * since 1970 UTC.
   */
  readonly currentAt: number | undefined;
}

/** The context on which the meaning of the parameters depends. */
export interface HistoryContext {
  /** The types whose versions are requested, at least one. */
  readonly types: readonly ResourceType[];
  /** IANA zone in which times without an offset are read. */
  readonly zone: string;
  readonly handling: Handling;
  /** Milliseconds since 1970 UTC. */
  readonly now: number;
}

/**
 * The parameters of a history: `_count`, `_since`, `_at` and `_sort`, which are combined by AND. Throws FhirError 400.
 * https://hl7.org/fhir/R4/http.html#history
 */
export function parseHistory(pairs: readonly QueryPair[], context: HistoryContext): HistoryRequest {
  const { types, zone, handling, now } = context;
  const given = controls(pairs, ['_count', '_since', '_at', '_sort'], handling);
  const time = (name: string) => {
    const text = given.get(name);
    return text === undefined ? undefined : parseTime(name, text, zone);
  };
  const [since, at] = [time('_since')?.low, time('_at')];
  const count = given.get('_count');
  const number = Math.min(
    ...types.map(type => (count === undefined ? type.pageSize.default : parseCount(count, type))),
  );
  if (number === 0) throw badValue('_count', '`_count=0` is not supported here, since versions are not counted.');
  const used = [...given].map(([name, value]): QueryPair => [name, name === '_count' ? `${number}` : value]);
  return {
    order: parseOrder(given.get('_sort') ?? '-_lastUpdated'),
    count: number,
    from: since === undefined ? undefined : Math.ceil(since),
    to: at === undefined ? undefined : Math.ceil(at.high) - 1,
    currentAt: at?.low,
    after: undefined,
    self: used,
    used,
    at: now,
  };
}

function parseTime(name: string, text: string, zone: string): { readonly low: number; readonly high: number } {
  const range = parseInstantRange(withPlus(text), zone);
  if (range !== undefined) return range;
  const example = '`2026-01-02T03:04:05Z`';
  throw badValue(name, `\`${text}\` is not a value for \`${name}\`: write a date or a time such as ${example}.`);
}

function parseOrder(text: string): HistoryScope['order'] {
  if (text === '-_lastUpdated') return 'newest';
  if (text === '_lastUpdated') return 'oldest';
  const hint = didYouMean(text.replace('-', ''), ['_lastUpdated']);
  throw badValue(
    '_sort',
    `Versions cannot be sorted by \`${text}\`.${hint} Use \`_lastUpdated\`, with \`-\` before it for newest first.`,
  );
}
