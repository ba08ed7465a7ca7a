import { describe, expect, it } from 'vitest';
import { count } from '../../src/cli/print.ts';
import { createProgress, printSeconds } from '../../src/cli/progress.ts';

interface Output {
  readonly isTTY: boolean;
  readonly columns: number;
  text: string;
  write(text: string): void;
}

function terminal(isTTY: boolean, columns = 100): Output {
  return {
    isTTY,
    columns,
    text: '',
    write(text) {
      this.text += text;
    },
  };
}

describe('progress', () => {
  it('moves a bar on a terminal, with rate and time left', () => {
    let now = 0;
    const out = terminal(true);
    const progress = createProgress('records', out, () => now);
    progress.update(0, 2000, 'a.ndjson');
    now = 50;
    progress.update(100, 2000, 'a.ndjson');
    now = 1000;
    progress.update(500, 2000, 'a.ndjson');
    progress.end();
    expect(out.text.split('\r\u001B[K')).toEqual([
      '',
      '[........................]  0 %  0 of 2,000 records  0/s  a.ndjson',
      '[######..................]  25 %  500 of 2,000 records  500/s  3 s left  a.ndjson',
      '[######..................]  25 %  500 of 2,000 records  500/s  3 s left  a.ndjson\n',
    ]);
  });

  it.each([
    [100, 'short.ndjson', 'short.ndjson'],
    [100, '/srv/exports/2026-11-22/a-clinic-with-a-name/Observation.ndjson', '/srv/exports…a-name/Observation.ndjson'],
    [100, `/srv/${'𝒜'.repeat(22)}/Observation.ndjson`, '/srv/𝒜𝒜𝒜𝒜𝒜𝒜𝒜…𝒜𝒜𝒜𝒜𝒜𝒜/Observation.ndjson'],
    [100, 'a\u001B[2Jb\r\nc.ndjson', 'a\ufffd[2Jb\ufffd\ufffdc.ndjson'],
    [70, '/srv/exports/Observation.ndjson', '/s…djson'],
    [69, '/srv/exports/Observation.ndjson', undefined],
    [0, '/srv/exports/2026/Observation.ndjson', '/srv/…ation.ndjson'], // it does not say, so that there are 80
  ])('on a terminal of %s columns shows %j as %j', (columns, path, shown) => {
    const out = terminal(true, columns);
    createProgress('records', out, () => 0).update(500, 2000, path);
    const figures = '[######..................]  25 %  500 of 2,000 records  0/s';
    expect(out.text).toBe(`\r\u001B[K${figures}${shown === undefined ? '' : `  ${shown}`}`);
    expect(Array.from(out.text).length - '\r\u001B[K'.length).toBeLessThan(columns || 80);
  });

  it('cuts the figures where there is room for no more', () => {
    const out = terminal(true, 20);
    createProgress('records', out, () => 0).update(500, 2000, 'a.ndjson');
    expect(out.text).toBe('\r\u001B[K[######............');
  });

  it('writes a plain line every five seconds elsewhere, and the last state', () => {
    let now = 0;
    const out = terminal(false);
    const progress = createProgress('records', out, () => now);
    for (; now <= 12_000; now += 1000) progress.update(now, undefined);
    progress.end();
    expect(out.text).toBe('5,000 records  1,000/s\n10,000 records  1,000/s\n12,000 records  923/s\n');
  });

  it('writes nothing where nothing happened', () => {
    const out = terminal(true);
    createProgress('records', out, () => 0).end();
    expect(out.text).toBe('');
  });

  it('prints figures for people', () => {
    expect(count(1_234_567)).toBe('1,234,567');
    expect([0.2, 59, 75, 3600].map(printSeconds)).toEqual(['1 s', '59 s', '1 min 15 s', '60 min 0 s']);
  });
});
