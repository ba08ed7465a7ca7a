import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestOf, LinePrinter, parseLine } from '../../../src/audit/log/line.ts';
import { PrintedLines } from '../../../src/audit/log/printed.ts';
import type { AuditEntry } from '../../../src/audit/log/entry.ts';

const optional = fc.option(fc.string({ unit: 'binary' }), { nil: undefined });
const entry: fc.Arbitrary<AuditEntry> = fc.record({
  recorded: fc.nat(),
  partition: optional,
  client: optional,
  patients: fc.array(fc.string()),
  text: fc.oneof(fc.string({ unit: 'binary', maxLength: 50 }), fc.string({ unit: 'binary', minLength: 2_000, maxLength: 9_000 })).map(text => JSON.stringify({ text })), // prettier-ignore
});

describe('lines', () => {
  it('say what was given, in the order of it, wherever it waited, each with the digest of itself and of the one before', () => {
    fc.assert(
      fc.property(fc.array(entry), fc.array(entry), fc.nat(), (first, second, n) => {
        const waiting = PrintedLines.of(first);
        waiting.addAll(PrintedLines.of(second));
        const printer = new LinePrinter();
        const last = printer.print(n, waiting, 'x'.repeat(43));
        const lines = printer.lines().texts().map(parseLine); // prettier-ignore
        expect(lines.map(line => line?.entry)).toEqual([...first, ...second]);
        expect(lines.map(line => line?.n)).toEqual([...first, ...second].map((_, at) => n + at));
        let before = 'x'.repeat(43);
        for (const line of lines) expect(line?.hash).toBe((before = digestOf(before, line?.content ?? '')));
        expect(last).toBe(before);
      }),
    );
  });

  it('are others when they begin anew', () => {
    const [one, other] = fc.sample(entry, { numRuns: 2, seed: 1 }) as [AuditEntry, AuditEntry];
    const printer = new LinePrinter();
    const waiting = PrintedLines.of([one]);
    waiting.clear();
    expect(waiting.count).toBe(0);
    waiting.add(other);
    printer.print(0, PrintedLines.of([one]), '');
    printer.clear();
    printer.print(0, waiting, '');
    expect(printer.lines().texts().map(line => parseLine(line)?.entry)).toEqual([other]); // prettier-ignore
  });
});
