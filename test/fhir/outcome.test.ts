// https://hl7.org/fhir/R4/operationoutcome.html
import { describe, expect, it } from 'vitest';
import { operationOutcome } from '../../src/fhir/outcome.ts';

const printed = (text: string, expression?: string) => {
  const about = expression === undefined ? {} : { expression };
  const [issue] = operationOutcome([{ severity: 'error', code: 'value', text, ...about }]).issue;
  return issue;
};

describe('an issue', () => {
  it.each([
    ['a short text', 'Use `a` or `b`.', 'Use `a` or `b`.'],
    ['a quoted value of 200 characters', `\`${'v'.repeat(200)}\` is bad.`, `\`${'v'.repeat(200)}\` is bad.`],
    [
      'a long quoted value',
      `\`name=${'v'.repeat(900_000)}\` is no date: write \`2026\`.`,
      `\`name=${'v'.repeat(195)}… (900,005 characters)\` is no date: write \`2026\`.`,
    ],
    ['long prose between quoted values', `\`a\` ${'word '.repeat(100)}\`b\``, `\`a\` ${'word '.repeat(100)}\`b\``],
    [
      'half a character',
      `\`${'v'.repeat(199)}\u{1f600}${'v'.repeat(9)}\``,
      `\`${'v'.repeat(199)}\ufffd… (210 characters)\``,
    ],
  ])('has %s', (_title, text, expected) => expect(printed(text)?.diagnostics).toBe(expected));

  it('has no text and no expression without an end, whatever is in them', () => {
    const long = 'x` '.repeat(300_000);
    const issue = printed(`\`${long}\` is not valid.`, `http.${long}`);
    expect(issue?.diagnostics?.length).toBeLessThan(21_000);
    expect(issue?.expression?.[0]?.length).toBeLessThan(1_100);
  });
});
