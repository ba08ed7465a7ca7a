import { describe, expect, it } from 'vitest';
import { createPaths } from '../../src/interaction/routes.ts';

const patterns = [
  '/healthz',
  '/r4/:partition',
  '/r4/:partition/',
  '/r4/:partition/metadata',
  '/r4/:partition/:type',
  '/r4/:partition/:type/_search',
  '/r4/:partition/:type/:id',
  '/r4/:partition/*',
];
const find = createPaths(patterns.map(pattern => [pattern, pattern.length]));

describe('a path', () => {
  it.each<[string, string, Record<string, string>]>([
    ['/healthz', '/healthz', {}],
    ['/r4/demo', '/r4/:partition', { partition: 'demo' }],
    ['/r4/demo/', '/r4/:partition/', { partition: 'demo' }],
    ['/r4/demo/metadata', '/r4/:partition/metadata', { partition: 'demo' }],
    ['/r4/demo/Patient', '/r4/:partition/:type', { partition: 'demo', type: 'Patient' }],
    ['/r4/demo/Patient/_search', '/r4/:partition/:type/_search', { partition: 'demo', type: 'Patient' }],
    ['/r4/demo/Patient/a%2Fb', '/r4/:partition/:type/:id', { partition: 'demo', type: 'Patient', id: 'a/b' }],
    ['/r4/demo/Patient/', '/r4/:partition/*', { partition: 'demo', rest: 'Patient/' }],
    ['/r4/demo//', '/r4/:partition/*', { partition: 'demo', rest: '/' }],
    ['/r4/demo/a/b/c/d', '/r4/:partition/*', { partition: 'demo', rest: 'a/b/c/d' }],
  ])('%s fits %s', (path, pattern, params) => {
    expect(find(path)).toEqual({ pattern, value: pattern.length, params });
  });

  it.each(['/', '', '/r4', '/r4/', '/r4//', '/r4//Patient', '/R4/demo', '/healthz/', '//r4/demo', 'r4/demo'])(
    '%s fits nothing',
    path => expect(find(path)).toBeUndefined(),
  );

  it('takes the first pattern of several', () => {
    const two = createPaths([
      ['/:any', 1],
      ['/healthz', 2],
    ]);
    expect(two('/healthz')?.value).toBe(1);
  });
});
