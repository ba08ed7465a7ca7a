import { describe, expect, it } from 'vitest';
import type { Issue } from '../../src/fhir/outcome.ts';
import { limitIssues } from '../../src/validation/report.ts';

const wrong = (count: number): readonly Issue[] =>
  Array.from({ length: count }, (_, at) => ({ severity: 'error', code: 'value', text: `${at}` }));
const cut: Issue = { severity: 'information', code: 'incomplete', text: 'There are 7 more.' };
const texts = (issues: readonly Issue[]): readonly string[] => issues.map(({ text }) => text);

describe('the first of many findings', () => {
  it.each([
    ['as many as may be', wrong(2), ['0', '1']],
    [
      'more',
      wrong(4),
      ['0', '1', 'The first 2 findings are listed; there are 2 more. Correct them and send the resource again.'],
    ],
    ['as many as may be of what was cut before, which stays said', [...wrong(2), cut], ['0', '1', cut.text]],
    [
      'more after an earlier cut, so that the number is unknown',
      [cut, ...wrong(3)],
      ['0', '1', 'The first 2 findings are listed; there are more. Correct them and send the resource again.'],
    ],
  ])('%s', (_title, issues, expected) => {
    expect(texts(limitIssues(issues, 2))).toEqual(expected);
  });
});
