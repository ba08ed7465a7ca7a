import { foldString } from '../../indexing/normalize.ts';
import { anyUnit, inAnySystem, isCanonicalKey } from '../keys/terms.ts';
import type { Clause, TupleClause, ValueClause } from './clause.ts';
import { anyOf, beginsWith, ends, escaped } from './conditions.ts';
import { underLead } from './lower.ts';

/** The condition that a tuple has the values of all components. */
export function tupleCondition({ index, of }: TupleClause): object {
  const parts = of.map((part, at) => componentCondition(part, `c${at}`));
  return { $elemMatch: Object.assign({ k: index.start }, ...parts) as object }; // Object.assign returns any
}

function componentCondition(clause: ValueClause, name: string): object {
  switch (clause.kind) {
    case 'terms':
      return { [`${name}.t`]: anyOf(clause.values) };
    case 'prefix':
      return { [`${name}.t`]: clause.prefix === '' ? { $exists: true } : { $elemMatch: beginsWith(clause.prefix) } };
    case 'string':
      return { [`${name}.s`]: { $elemMatch: stringCondition(clause) } };
    case 'range': {
      const { key, prefix, low, high } = clause;
      return { [`${name}.n`]: { $elemMatch: { k: prefix ? beginsWith(key) : key, ...ends(low, high) } } };
    }
    default:
      return clause satisfies never;
  }
}

function stringCondition({ how, text }: Extract<ValueClause, { kind: 'string' }>): object {
  switch (how) {
    case 'exact':
      return { text };
    case 'starts':
      return { folded: beginsWith(text) };
    case 'contains':
      return { folded: { $regex: escaped(text) } };
    default:
      return how satisfies never;
  }
}

/**
 * The index terms that find tuples (entries.ts): for a token in the first component the code, whatever its system,
 * before the value of the second, and for a position nothing before its longitude. They find every match, and more.
 * Undefined if no index helps.
 */
export function tupleSource({ index, of: [first, second] }: TupleClause): Clause | undefined {
  const leads = index.noLead ? [''] : first?.kind === 'terms' ? first.values.map(inAnySystem) : [];
  const found = second && sourceClause(second);
  if (found === undefined || leads.length === 0) return undefined;
  const parts: ValueClause[] = [];
  for (const lead of leads) {
    if (lead === undefined) return undefined;
    parts.push({ ...found, index: underLead(index, lead, found.index) });
  }
  return { kind: 'or', of: parts };
}

function sourceClause(clause: ValueClause): ValueClause | undefined {
  switch (clause.kind) {
    case 'terms':
      return clause;
    case 'prefix':
      return undefined;
    case 'string':
      return clause.how === 'exact' ? { ...clause, how: 'starts', text: foldString(clause.text) } : clause;
    case 'range':
      return { ...clause, key: clause.key === '' || isCanonicalKey(clause.key) ? clause.key : anyUnit, prefix: false };
    default:
      return clause satisfies never;
  }
}
