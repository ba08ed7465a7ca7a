// https://hl7.org/fhir/R4/search.html#escaping
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FhirError } from '../../src/fhir/error.ts';
import { escape, split, unescape, wrongEscape } from '../../src/search/parse/escape.ts';
import { parseSearch } from '../../src/search/parse/search.ts';
import { context, thing } from './thing.ts';

const anyText = fc.string({ unit: fc.constantFrom('a', 'B', 'é', '\\', ',', '|', '$', ' ') });

/** The status of the FhirError that it ends in; undefined where all is well; another error goes on. */
function statusOf(run: () => unknown): number | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof FhirError) return error.status;
    throw error;
  }
}

describe('escapes', () => {
  it.each([
    ['a,b', ['a', 'b']],
    ['a\\,b', ['a\\,b']],
    ['a\\\\,b', ['a\\\\', 'b']],
    ['', ['']],
    [',', ['', '']],
  ])('splits `%s`', (text, parts) => expect(split(text, ',')).toEqual(parts));

  it.each([
    ['a\\x', '\\x'],
    ['a\\', '\\'],
    ['a\\\\\\', '\\'],
    ['\\\\x', undefined],
    ['\\,\\|\\$\\\\', undefined],
  ])('finds the wrong escape in `%s`', (text, wrong) => expect(wrongEscape(text)).toBe(wrong));

  it('bring every text back', () => {
    fc.assert(
      fc.property(anyText, text => {
        expect(wrongEscape(escape(text))).toBeUndefined();
        expect(unescape(escape(text))).toBe(text);
      }),
    );
  });

  it('bring every list back', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(',' as const, '|' as const, '$' as const),
        fc.array(anyText, { minLength: 1 }),
        (separator, texts) => {
          expect(split(texts.map(escape).join(separator), separator).map(unescape)).toEqual(texts);
        },
      ),
    );
  });

  it('let every code of every system be searched', () => {
    const part = anyText.filter(text => text.trim() !== '');
    fc.assert(
      fc.property(part, part, (system, code) => {
        const { query } = parseSearch(thing, [['code', `${escape(system)}|${escape(code)}`]], context);
        expect(query).toMatchObject({ kind: 'param', test: { kind: 'token', system, code } });
      }),
    );
  });

  it('never make the parser fail in a way that it does not mean to', () => {
    const names = [...thing.parameters.keys()].flatMap(name => [
      name,
      `${name}:missing`,
      `${name}:not`,
      `${name}:exact`,
    ]);
    const value = fc.string({
      unit: fc.constantFrom('\\', ',', '|', '$', '1', '-', 'T', ':', 'g', 't', '/', 'P', ' ', 'é', '#', '.'),
    });
    fc.assert(
      fc.property(fc.constantFrom(...names, '_sort', '_count', '_elements', 'x'), value, (name, text) => {
        expect(statusOf(() => parseSearch(thing, [[name, text]], context))).toSatisfy(
          status => status === undefined || status === 400,
        );
      }),
      { numRuns: 3000 },
    );
  });
});
