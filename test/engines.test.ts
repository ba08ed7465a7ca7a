import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

// npm warns of each package whose `engines` the Node that runs it does not fit: of none on the versions that the README
// names.

interface Lock {
  readonly packages: Readonly<Record<string, { engines?: { node?: string } | string[]; optional?: boolean }>>;
}

const read = (name: string): string => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');
const { packages } = JSON.parse(read('package-lock.json')) as Lock;
const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };

/** Whether a version fits a range of those that packages write: `^22.12.0 || >= 24`, `20.x`, `*`. */
function fits(version: string, range: string): boolean {
  const numbers = (text: string): number[] => text.split('.').map(part => Number.parseInt(part, 10));
  const [major = 0, minor = 0, patch = 0] = numbers(version);
  return range.split('||').some(part =>
    (part.match(/(?:[<>=^~]+\s*)?v?[\dx*][\dx.*]*/g) ?? ['*']).every(bound => {
      const [, sign = '', text = ''] = /^([<>=^~]*)\s*v?(.*)$/.exec(bound) ?? [];
      if (text.startsWith('*') || text.startsWith('x')) return true;
      const [M = 0, m = 0, p = 0] = numbers(text).map(number => (Number.isNaN(number) ? 0 : number));
      const order = Math.sign(major - M) || Math.sign(minor - m) || Math.sign(patch - p);
      if (sign === '>=') return order >= 0;
      if (sign === '>') return order > 0;
      if (sign === '<') return order < 0;
      if (sign === '<=') return order <= 0;
      return major === M && order >= 0; // `^`, and `20.x`
    }),
  );
}

const named = /It requires Node ([\d., or]+)/.exec(read('README.md'))?.[1]?.match(/\d+(?:\.\d+)?/g) ?? [];

describe('the Node versions that the README names', () => {
  it('are those of package.json, and the pinned one is among them', () => {
    expect(named).toEqual(engines.node.match(/\d+\.\d+/g)?.map(version => version.replace(/\.0$/, '')));
    expect(named).toContain(read('.nvmrc').trim());
  });

  it.each(named)('fit every package, so that `npm ci` warns of none: %s', version => {
    expect(Object.keys(packages).length).toBeGreaterThan(100);
    const warned = Object.entries(packages).filter(([, { engines: asked, optional }]) => {
      const range = Array.isArray(asked) ? undefined : asked?.node;
      return (
        optional !== true && range !== undefined && !fits(`${version}${version.includes('.') ? '' : '.0'}.0`, range)
      );
    });
    expect(warned.map(([name]) => name)).toEqual([]);
  });
});
