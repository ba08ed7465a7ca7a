import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestOf, parseLine, printLines } from '../../../src/store/audit/line.ts';
import type { AuditEntry } from '../../../src/store/audit/line.ts';

const optional = fc.option(fc.string({ unit: 'binary' }), { nil: undefined });
const entry: fc.Arbitrary<AuditEntry> = fc.record({
  recorded: fc.nat(),
  partition: optional,
  client: optional,
  patients: fc.array(fc.string()),
  text: fc
    .oneof(
      fc.string({ unit: 'binary', maxLength: 50 }),
      fc.string({ unit: 'binary', minLength: 2_000, maxLength: 9_000 }),
    )
    .map(text => JSON.stringify({ text })),
});

describe('lines', () => {
  it('have the records in their order, each with the digest of itself and of the line before', () => {
    fc.assert(
      fc.property(fc.array(entry), fc.nat(), (entries, n) => {
        const { lines, hash } = printLines(n, 'x'.repeat(43), entries);
        const parsed = lines.map(parseLine);
        expect(parsed.map(line => line?.entry)).toEqual(entries);
        expect(parsed.map(line => line?.n)).toEqual(entries.map((_, at) => n + at));
        let before = 'x'.repeat(43);
        for (const line of parsed) expect(line?.hash).toBe((before = digestOf(before, line?.content ?? '')));
        expect(hash).toBe(before);
      }),
    );
  });
});
