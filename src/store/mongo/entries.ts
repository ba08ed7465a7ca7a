import type { CompositeValue, IndexEntry, IndexValue, ReferenceValue } from '../../indexing/entry.ts';
import type { ResourceType, SearchParam } from '../../model/model.ts';
import { sortValue } from '../../search/sort-value.ts';
import {
  absoluteTerms,
  anyTypeTerm,
  anyUnit,
  codeTerm,
  isCanonicalKey,
  lowEnds,
  pairTerm,
  pairTerms,
  quantityRanges,
  unsearchable,
  valueTerms,
  valuesOf,
} from '../keys/terms.ts';
import { dateWidth } from '../keys/interval.ts';
import { orderKey, sortText, textOrderKey } from '../keys/order-key.ts';
import { sortEnds } from '../plan/sort.ts';
import type { IndexFields, IntervalEntry, TupleEntry, TuplePart } from './layout.ts';
import {
  createdField,
  everyTerm,
  exactTerm,
  intervalKey,
  orderField,
  pairsOf,
  termsOf,
  updatedField,
  wideTerm,
} from './names.ts';

/** The times of a version that is no tombstone, in milliseconds since 1970 UTC. */
export interface Times {
  /** Its lastUpdated. */
  readonly updated: number;
  /** When its record was created (store/record/versions.ts). */
  readonly created: number;
}

/** The fields of a tombstone. */
export const noFields: IndexFields = { t: [], s: [], d: [], n: [], c: [], o: {} };

/**
 * The fields by which a document is found and sorted. `p` is the key of its partition. Entries of parameters that the
 * type does not index are left out.
 */
export function indexFields(
  type: ResourceType,
  p: string,
  id: string,
  { updated, created }: Times,
  entries: readonly IndexEntry[],
): IndexFields {
  const fields: Fields = { p, t: new Set([everyTerm(p)]), s: new Set(), w: [], d: new Map(), n: new Map(), c: [] };
  const values = valuesOf(entries);
  const o: Record<string, string> = { [updatedField]: orderKey(updated, id) };
  if (type.sortDate === undefined) o[createdField] = orderKey(created, id);
  for (const param of type.indexed.values()) {
    const known = values.get(param.code) ?? [];
    for (const value of known) addValue(fields, param, value);
    if (param.type === 'date') addOrder(o, param, known, id);
    else if (type.sortIndexes.has(param.code)) addSortText(o, param, entries, id);
  }
  for (const { owner, token } of type.pairs) {
    const start = pairsOf(p, owner.code, token.code);
    for (const term of pairTerms(values, owner.code, token.code)) fields.t.add(start + term);
  }
  return {
    t: [...fields.t],
    s: [...fields.s],
    ...(fields.w.length > 0 ? { w: fields.w } : {}),
    d: [...fields.d.values()],
    n: [...fields.n.values()],
    c: fields.c,
    o,
  };
}

interface Fields {
  readonly p: string;
  readonly t: Set<string>;
  readonly s: Set<string>;
  readonly w: string[];
  readonly d: Map<string, IntervalEntry>;
  readonly n: Map<string, IntervalEntry>;
  readonly c: TupleEntry[];
}

type Single = CompositeValue['of'][number][number];

function addValue(fields: Fields, param: SearchParam, value: IndexValue): void {
  const { p } = fields;
  const { code } = param;
  switch (value.kind) {
    case 'token':
    case 'uri':
      addTerms(fields, code, valueTerms(value));
      return;
    case 'reference':
      addTerms(fields, code, param.targets.length === 0 ? withAnyType(value) : valueTerms(value));
      return;
    case 'string':
      fields.s.add(termsOf(p, code) + value.folded);
      addTerms(fields, code, [exactTerm(value.text)]);
      return;
    case 'words':
      fields.w.push(termsOf(p, code) + value.text);
      addTerms(fields, code, valueTerms(value));
      return;
    case 'date':
      if (addInterval(fields.d, fields, code, value, dateWidth)) fields.t.add(wideTerm(p, code));
      return;
    case 'number':
      addInterval(fields.n, fields, code, value, 0);
      return;
    case 'quantity':
      for (const range of quantityRanges(value)) addInterval(fields.n, fields, code, range, 0, range.key);
      return;
    case 'composite':
      addTuple(fields, param, value);
      return;
    case 'unsearchable':
      addTerms(fields, code, [unsearchable]);
      return;
    default:
      value satisfies never;
  }
}

function addTerms({ p, t }: Fields, code: string, terms: readonly string[]): void {
  const start = termsOf(p, code);
  for (const term of terms) t.add(start + term);
}

/** Returns whether it is a wide one. */
function addInterval(
  to: Map<string, IntervalEntry>,
  { p }: Fields,
  code: string,
  { low, high }: { readonly low: number; readonly high: number },
  width: number,
  unit = '',
): boolean {
  const wide = high - low > width;
  const k = intervalKey(p, code, wide, unit);
  to.set(`${low} ${high} ${k}`, { k, lo: low, hi: high });
  return wide;
}

/**
 * A whole tuple, for the exact check, and its index terms: the first component's code, before each value of the second.
 * A tuple may have many codings, so that their systems are left to the check. A latitude has no terms, so that
 * positions have those of their longitude alone.
 */
function addTuple(fields: Fields, { code, special }: SearchParam, { of }: CompositeValue): void {
  fields.c.push({
    k: termsOf(fields.p, code),
    ...Object.fromEntries(of.map((part, at) => [`c${at}`, tuplePart(part)])),
  });
  const [first = [], second = []] = of;
  const start = termsOf(fields.p, code);
  const leads = special?.kind === 'near' ? [''] : first.flatMap(leadTerms);
  for (const lead of new Set(leads))
    for (const value of second) {
      const terms = value.kind === 'reference' ? withAnyType(value) : valueTerms(value);
      for (const term of terms) fields.t.add(start + pairTerm(lead, term));
      const unit = pairTerm(lead, '');
      if (value.kind === 'string') fields.s.add(start + pairTerm(lead, value.folded));
      if (value.kind === 'date') addInterval(fields.d, fields, code, value, dateWidth, unit);
      if (value.kind === 'number') addInterval(fields.n, fields, code, value, 0, unit);
      if (value.kind === 'quantity')
        for (const range of quantityRanges(value))
          if (range.key === anyUnit || isCanonicalKey(range.key))
            addInterval(fields.n, fields, code, range, 0, unit + range.key);
    }
}

/** The index terms of the first component of a tuple: the code of a token; none for values without terms. */
function leadTerms(value: Single): readonly string[] {
  if (value.kind === 'token') return value.code === undefined ? [] : [codeTerm(value.code, value.caseSensitive)];
  return value.kind === 'reference' ? withAnyType(value) : valueTerms(value);
}

function withAnyType(value: ReferenceValue): readonly string[] {
  return [...valueTerms(value), ...(value.id === undefined ? absoluteTerms(value) : [anyTypeTerm(value.id)])];
}

function tuplePart(values: readonly Single[]): TuplePart {
  const t = new Set(values.flatMap(valueTerms));
  for (const value of values) if (value.kind === 'reference') for (const term of withAnyType(value)) t.add(term);
  const s = values.flatMap(value => (value.kind === 'string' ? [{ folded: value.folded, text: value.text }] : []));
  const n = values.flatMap((value): readonly IntervalEntry[] => {
    if (value.kind === 'quantity')
      return quantityRanges(value).map(({ key, low, high }) => ({ k: key, lo: low, hi: high }));
    return value.kind === 'date' || value.kind === 'number' ? [{ k: '', lo: value.low, hi: value.high }] : [];
  });
  return {
    ...(t.size === 0 ? {} : { t: [...t] }),
    ...(s.length === 0 ? {} : { s }),
    ...(n.length === 0 ? {} : { n }),
  };
}

/**
 * https://hl7.org/fhir/R4/search.html#sort: of several values the highest counts in a descending order, the lowest in
 * an ascending one.
 */
function addOrder(o: Record<string, string>, param: SearchParam, values: readonly IndexValue[], id: string): void {
  const lows = lowEnds(values);
  const key = (choose: (...of: number[]) => number): string =>
    orderKey(lows.length === 0 ? undefined : choose(...lows), id);
  o[orderField(param.code)] = key(Math.max);
  if (!param.single) o[orderField(param.code, true)] = key(Math.min);
}

/** The order keys of a sort index. */
function addSortText(o: Record<string, string>, param: SearchParam, entries: readonly IndexEntry[], id: string): void {
  for (const end of sortEnds(param)) {
    const value = sortValue(param.code, entries, end !== 'lowest');
    o[orderField(param.code, end === 'lowest')] = textOrderKey(value === null ? undefined : sortText(value), id);
  }
}
