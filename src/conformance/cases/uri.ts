import { escape } from '../../search/parse/escape.ts';
import { caseOf } from './case.ts';
import type { Case } from './case.ts';
import { chosen } from './chosen.ts';
import type { Source } from './source.ts';

/** URIs as written, below the one above, and above one below. */
export function uriCases({ param: { code }, sample, depth }: Source): readonly Case[] {
  const uris = sample.flatMap(({ indexed }) =>
    (indexed[0]?.entries ?? []).flatMap(({ param, value }) =>
      param === code && value.kind === 'uri' ? [value.uri] : [],
    ),
  );
  return chosen(uris, depth).flatMap(uri => {
    const parent = /^(https?:\/\/[^/]+\/.+)\/[^/]+$/.exec(uri)?.[1];
    const allowed = { optional: true };
    return [
      caseOf('search.uri', code, escape(uri)),
      ...(parent === undefined
        ? []
        : [
            caseOf('modifier.below', `${code}:below`, escape(parent), allowed),
            caseOf('modifier.above', `${code}:above`, `${escape(uri)}/x`, allowed),
          ]),
    ];
  });
}
