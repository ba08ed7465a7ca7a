import type { SearchParam } from '../../model/model.ts';
import { anyUnit } from '../terms.ts';
import { type Clause, none } from './clause.ts';
import { beginsWith } from './filter.ts';
import { intervalKey, termsOf } from './names.ts';

/** A resource has some entry of the parameter. There are no markers for what is missing: most lack most. */
export function present({ code, type }: SearchParam, p: string): Clause {
  const start = termsOf(p, code);
  const keys = (unit: string): string[] => [intervalKey(p, code, false, unit), intervalKey(p, code, true, unit)];
  switch (type) {
    case 'token':
    case 'reference':
    case 'uri':
      return { kind: 'check', filter: { t: { $elemMatch: beginsWith(start) } } };
    case 'string':
      return { kind: 'check', filter: { s: { $elemMatch: beginsWith(start) } } };
    case 'date':
      return { kind: 'check', filter: { d: { $elemMatch: { k: { $in: keys('') } } } } };
    case 'number':
      return { kind: 'check', filter: { n: { $elemMatch: { k: { $in: keys('') } } } } };
    case 'quantity':
      return { kind: 'check', filter: { n: { $elemMatch: { k: { $in: keys(anyUnit) } } } } };
    case 'composite':
      return { kind: 'check', filter: { c: { $elemMatch: { k: start } } } };
    case 'special':
      return none;
    default:
      return type satisfies never;
  }
}
