import { caseOf } from './case.ts';
import type { Case } from './case.ts';

/**
 * A value with each prefix; `as` gives its meanings. R4 defines `ge` as above the value or within it, which differs for
 * a value that begins before the searched interval and ends in it: both meanings are allowed. How far `ap` goes is the
 * server's choice. https://hl7.org/fhir/R4/search.html#prefix
 */
export function prefixCases(
  code: string,
  text: string,
  as: (value: string) => string[] = value => [value],
): readonly Case[] {
  const allowed = { optional: true };
  const either = (prefix: string, strict: string): string[] => [
    ...as(`${prefix}${text}`),
    as(`${strict}${text}`)
      .flatMap((value, at) => [value, as(`eq${text}`)[at] ?? value])
      .join(','),
  ];
  return [
    caseOf('prefix.gt', code, `gt${text}`, { as: as(`gt${text}`), ...allowed }),
    caseOf('prefix.lt', code, `lt${text}`, { as: as(`lt${text}`), ...allowed }),
    caseOf('prefix.ge', code, `ge${text}`, { as: either('ge', 'gt'), ...allowed }),
    caseOf('prefix.le', code, `le${text}`, { as: either('le', 'lt'), ...allowed }),
    caseOf('prefix.eq', code, `eq${text}`, { as: as(`eq${text}`), ...allowed }),
    caseOf('prefix.ne', code, `ne${text}`, { as: as(`ne${text}`), ...allowed }),
    caseOf('prefix.sa', code, `sa${text}`, { as: as(`sa${text}`), ...allowed }),
    caseOf('prefix.eb', code, `eb${text}`, { as: as(`eb${text}`), ...allowed }),
    caseOf('prefix.ap', code, `ap${text}`, {
      as: [...as(`ap${text}`), ...as(`eq${text}`)],
      mayFindMore: true,
      ...allowed,
    }),
  ];
}
