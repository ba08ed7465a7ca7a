// The pages are in English and in Canadian French.
import { describe, expect, it } from 'vitest';
import { exportTexts } from '../../src/explorer/exports/texts.ts';
import { texts as interfaceTexts } from '../../src/explorer/interface/texts.ts';
import { texts as resultsTexts } from '../../src/explorer/results/texts.ts';
import { texts as sessionTexts } from '../../src/explorer/session/texts.ts';
import { texts as shellTexts } from '../../src/explorer/shell/texts.ts';
import { startTexts } from '../../src/explorer/start/texts.ts';

const rooms = {
  shell: shellTexts,
  start: startTexts,
  session: sessionTexts,
  interface: interfaceTexts,
  results: resultsTexts,
  exports: exportTexts,
};

/** Every text with its path; functions are called with one and with many. */
function flat(value: unknown, path = ''): [path: string, text: string][] {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value === 'function') {
    const call = value as (...values: unknown[]) => string; // each takes numbers or texts
    return [1, 2].map(count => [`${path}(${count})`, call(count, count)]);
  }
  return Object.entries(value as object).flatMap(([key, of]) => flat(of, path === '' ? key : `${path}.${key}`));
}

describe.each(Object.entries(rooms))('the texts of %s', (_, texts) => {
  const [en, fr] = [flat(texts.en), flat(texts.fr)];

  it('are the same ones in both languages, all translated', () => {
    expect(fr.map(([path]) => path)).toEqual(en.map(([path]) => path));
    const french = new Map(fr);
    const same = en.filter(([path, text]) => french.get(path) === text).map(([path]) => path);
    expect(same).toEqual([]);
    for (const [path, text] of [...en, ...fr]) expect([path, text.trim()]).not.toEqual([path, '']);
  });

  it('are set as Canadian French is', () => {
    for (const [path, text] of fr) {
      expect([path, /[^\u00a0]:(?!\/)/.test(text), /\s[;!?]/.test(text)]).toEqual([path, false, false]);
      expect([path, /«(?!\u00a0)|(?<!\u00a0)»/.test(text)]).toEqual([path, false]);
    }
    for (const [path, text] of [...en, ...fr]) expect([path, /'|\.\.\./.test(text)]).toEqual([path, false]);
  });
});
