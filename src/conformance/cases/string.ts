import { withoutCaseAndAccents } from '../readings.ts';
import { escape } from '../../search/parse/escape.ts';
import { caseOf } from './case.ts';
import type { Case } from './case.ts';
import { chosen } from './chosen.ts';
import type { Source } from './source.ts';

/** Words of the texts: in another case, without accents, whole, and in part. */
export function stringCases({ param: { code }, sample, depth }: Source): readonly Case[] {
  const texts = sample.flatMap(({ indexed }) =>
    (indexed[0]?.entries ?? []).flatMap(({ param, value }) =>
      param === code && value.kind === 'string' && /^[\p{L}\p{N}]{2}/u.test(value.text) ? [value.text] : [],
    ),
  );
  return chosen(texts, depth).flatMap(text => {
    const word = /^[\p{L}\p{N}\p{M}]+/u.exec(text)?.[0] ?? text;
    const start = word.slice(0, Math.max(2, Math.ceil(word.length / 2)));
    const part = word.slice(1);
    const shown = text.length > 200 ? [] : [text];
    return [
      caseOf('search.string', code, word),
      caseOf('search.string', code, start.toUpperCase()),
      caseOf('search.string', code, withoutCaseAndAccents(start)),
      ...shown.map(one => caseOf('modifier.exact', `${code}:exact`, escape(one), { optional: true })),
      caseOf('modifier.exact', `${code}:exact`, start, { optional: true }),
      ...(part.length < 2 ? [] : [caseOf('modifier.contains', `${code}:contains`, part, { optional: true })]),
    ];
  });
}
