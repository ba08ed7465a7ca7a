// What `validation-policy` and `incomplete` make of what is found: the table of policies in src/validation/README.md.
import { describe, expect, it } from 'vitest';
import type { IssueCode, IssueSeverity } from '../../src/fhir/outcome.ts';
import type { Attachment } from '../../src/model/model.ts';
import { severityOfRule, policyOf, severityFor } from '../../src/validation/policy.ts';
import type { Occasion, Policy } from '../../src/validation/policy.ts';

const own = 'https://example.org/own';
const attachment = { path: 'Media.content.data' } as Attachment; // the part that the severity depends on
const type = (validationPolicy: Policy | undefined, more: object = {}) => ({
  validationPolicy,
  profile: `${own}|1.0.0`,
  attachment: undefined,
  ...more,
});
const finding = (code: IssueCode, severity: IssueSeverity = 'error', profile?: string, rule = 'a rule') => ({
  code,
  severity,
  text: 'Wrong.',
  rule,
  ...(profile === undefined ? {} : { profile }),
});
const place = (incomplete = false, expression = 'Media.subject') => ({ expression, incomplete });

const claimed = 'https://example.org/claimed';
const cases = {
  'an invariant of R4': [finding('invariant'), place()],
  'a binding of R4': [finding('code-invalid'), place()],
  'what a claimed profile asks': [finding('required', 'error', claimed), place()],
  'what an incomplete one asks': [finding('required', 'error', claimed), place(true)],
  "the own profile's structure": [finding('required', 'error', own), place()],
  "an incomplete own profile's structure": [finding('value', 'error', own), place(true)],
  "an own profile's invariant": [finding('invariant', 'error', own), place()],
  "an own profile's binding": [finding('code-invalid', 'error', own), place()],
  "an incomplete own profile's invariant": [finding('invariant', 'error', own), place(true)],
  'a warning of R4': [finding('invariant', 'warning'), place()],
  'a note': [finding('informational', 'information'), place()],
  'too much to look at': [finding('too-costly', 'warning'), place()],
  'a unit that UCUM does not have': [finding('code-invalid', 'error', undefined, 'unit'), place()],
} as const;

/** Severities under: create without a policy, off, warn, enforce; load the same. `-`: not reported. */
const table: readonly (readonly [keyof typeof cases, string, string])[] = [
  ['an invariant of R4', 'error - warning error', 'warning - warning error'],
  ['a binding of R4', 'error - warning error', 'warning - warning error'],
  ['what a claimed profile asks', 'error - warning error', 'warning - warning error'],
  ['what an incomplete one asks', 'warning - warning warning', 'warning - warning warning'],
  ["the own profile's structure", 'error error error error', 'error error error error'],
  ["an incomplete own profile's structure", 'error error error error', 'error error error error'],
  ["an own profile's invariant", 'error - warning error', 'warning - warning error'],
  ["an own profile's binding", 'error - warning error', 'warning - warning error'],
  ["an incomplete own profile's invariant", 'warning - warning warning', 'warning - warning warning'],
  ['a warning of R4', 'warning - warning warning', '- - - -'],
  ['a note', 'information - information information', '- - - -'],
  ['too much to look at', 'error - warning error', 'warning - warning error'],
  ['a unit that UCUM does not have', 'warning - warning warning', '- - - -'],
];

describe('the policies: none, off, warn, enforce', () => {
  const under = (name: keyof typeof cases, occasion: Occasion): string =>
    ([undefined, 'off', 'warn', 'enforce'] as const)
      .map(policy => severityFor(type(policy), { occasion })(...cases[name]) ?? '-')
      .join(' ');

  it.each(table)('%s: %s on create, %s on load', (name, create, load) => {
    expect([under(name, 'create'), under(name, 'load')]).toEqual([create, load]);
  });

  it('are enforce on create and warn on load where none is declared', () => {
    expect([policyOf(type(undefined), 'create'), policyOf(type(undefined), 'load')]).toEqual(['enforce', 'warn']);
    expect(policyOf(type('off'), 'create')).toBe('off');
  });
});

describe('what is kept apart', () => {
  const lacking = [finding('required', 'error', own), place(false, 'Media.content[0].data')] as const;
  it('lacks in a record without being wrong', () => {
    const media = type(undefined, { attachment });
    expect(severityFor(media, { occasion: 'load', keptApart: true })(...lacking)).toBeUndefined();
    expect(severityFor(media, { occasion: 'load' })(...lacking)).toBe('error');
    expect(severityOfRule(media, true)(...lacking)).toBeUndefined();
    expect(severityOfRule(media, false)(...lacking)).toBe('error');
  });

  it('excuses nothing else', () => {
    const elsewhere = [finding('required', 'error', own), place(false, 'Media.content.contentType')] as const;
    expect(severityFor(type('off', { attachment }), { occasion: 'load', keptApart: true })(...elsewhere)).toBe('error');
  });
});
