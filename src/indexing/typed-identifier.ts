import type { IndexValue, TokenValue } from './entry.ts';
import type { Entries } from './reading.ts';
import { emitCoding, emitToken, text } from './token.ts';

/**
 * Identifiers for `:of-type`, as tuples of the codings of their type and their value, which is compared without case
 * like all identifiers. Codings without a system or a code are left out, since a search names both.
 * https://hl7.org/fhir/R4/search.html#modifiers
 */
export const typedIdentifierEntries: Entries = (type, emit, _reading, model) => {
  if (type.code !== 'Identifier') return undefined;
  return value => {
    // stored JSON
    const { type: concept, value: code } = value as { type?: { coding?: unknown } | null; value?: unknown };
    const coding = concept?.coding;
    if (!Array.isArray(coding) || text(code) === undefined) return;
    const types: TokenValue[] = [];
    const values: TokenValue[] = [];
    for (const one of coding as unknown[]) emitCoding(token => addToken(types, token), one, model);
    emitToken(token => addToken(values, token), undefined, text(code), false);
    const whole = types.filter(({ system, code: typeCode }) => system !== undefined && typeCode !== undefined);
    if (whole.length > 0) emit({ kind: 'composite', of: [whole, values] });
  };
};

function addToken(to: TokenValue[], value: IndexValue): void {
  if (value.kind === 'token') to.push(value);
}
