// Each step of a write has one implementation, whoever writes: src/interaction/README.md#how-a-record-is-written.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const src = fileURLToPath(new URL('../../src', import.meta.url));
const texts = new Map(
  readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts') && /^(?:interaction|bulk|attachment|http|explorer|smart|cli)\//.test(name))
    .map(name => [name, readFileSync(join(src, name), 'utf8')]),
);
const filesWith = (pattern: RegExp): readonly string[] =>
  Array.from(texts.keys().filter(name => pattern.test(texts.get(name)!))).toSorted();

describe('a write of records', () => {
  it('ends in one place, after which what follows a commit is called', () => {
    // A write without changes looks a key up, or stores the mark of a load; the other one stages what links may find.
    expect(filesWith(/\w\.write\((?!\[\])(?:await |changes|\[)/)).toEqual([
      'interaction/bundle/stage-entries.ts',
      'interaction/write/commit.ts',
    ]);
    expect(filesWith(/\bcommitted\?\.\(/)).toEqual(['interaction/delete/delete.ts', 'interaction/write/commit.ts']);
  });

  it.each<[step: string, pattern: RegExp, files: readonly string[]]>([
    ['cutting attachments out of bytes', /function cutBody\(/, ['attachment/cut.ts']],
    ['decoding and checking attachments of a record', /\bcheckRecord\(\s*[{\n]/, ['interaction/write/record.ts']],
    ['storing attachments', /await partition\.putAttachment\(/, ['interaction/write/commit.ts']],
    ['deciding ids', /class Deciding\b/, ['interaction/bundle/identities.ts']],
    ['checking conditions', /\bfirstTwo\(type, /, ['interaction/criteria.ts']],
    ['resolving references', /function resolveLinks\(/, ['interaction/bundle/resolve.ts']],
    ['staging', /new StagedPartition\(\{/, ['interaction/bundle/stage-entries.ts']],
    ['trying again after other writes', /const mostAttempts = 100/, ['interaction/write/commit.ts']],
  ])('%s has one implementation', (_, pattern, files) => {
    expect(filesWith(pattern)).toEqual(files);
  });

  it('of a transaction differs by data of its context: the engine has nothing that only transactions use', () => {
    const engine = /export interface Engine \{.*?\n\}\n/s.exec(texts.get('interaction/interaction.ts')!)![0];
    expect(engine).not.toMatch(/transaction:|atEnd|linked/);
    expect(filesWith(/\batEnd: /)).toEqual(['interaction/bundle/attempt.ts']);
  });
});
