import type { IndexValue } from '../../indexing/entry.ts';
import { escape } from '../../search/parse/escape.ts';
import { caseOf } from './case.ts';
import type { Case } from './case.ts';
import { chosen } from './chosen.ts';
import type { CaseSource } from './source.ts';

/** The components of an element together, and of two elements mixed. */
export function compositeCases({ param: { code }, sample, depth }: CaseSource): readonly Case[] {
  const tuples = sample.flatMap(({ indexed }) =>
    (indexed[0]?.entries ?? []).flatMap(({ param, value }) => {
      if (param !== code || value.kind !== 'composite') return [];
      const parts = value.of.map(([first]) => (first === undefined ? undefined : textOf(first)));
      return parts.every(part => part !== undefined) && parts.length > 1 ? [parts] : [];
    }),
  );
  const texts = chosen(tuples, depth);
  const [first, last] = [texts[0], texts.at(-1)];
  const mixed =
    first !== undefined && last !== undefined && first !== last ? [[...first.slice(0, -1), last.at(-1)]] : [];
  return [...texts, ...mixed].map(parts => caseOf('search.composite', code, parts.join('$'), { optional: true }));
}

/** A value of a component; undefined for one that has no text of its own. */
function textOf(value: IndexValue): string | undefined {
  switch (value.kind) {
    case 'token':
      if (value.code === undefined) return undefined;
      return value.system === undefined ? escape(value.code) : `${escape(value.system)}|${escape(value.code)}`;
    case 'string':
      return /^[\p{L}\p{N}]+/u.exec(value.text)?.[0];
    case 'reference':
      return value.id === undefined ? undefined : `${value.type}/${value.id}`;
    case 'uri':
      return escape(value.uri);
    case 'number':
      return String(value.low);
    case 'quantity':
      return value.low === value.high ? `ge${value.low}` : undefined;
    case 'date':
      return Math.abs(value.low) < 8e15
        ? `ge${new Date(value.low - 86_400_000).toISOString().slice(0, 10)}`
        : undefined;
    case 'words':
    case 'composite':
    case 'unsearchable':
      return undefined;
    default:
      return value satisfies never;
  }
}
