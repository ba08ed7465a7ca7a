// The price of a request for its readers: the files of `src` in which a request whose like was answered before runs a
// function, by V8's precise coverage in a server of its own.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';

const program = fileURLToPath(new URL('support/touched-files.ts', import.meta.url));

describe('the files that a request touches', () => {
  let touched: Readonly<Record<string, readonly string[]>>;
  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'crs-touched-'));
    const { stdout } = await promisify(execFile)(process.execPath, [program, `sqlite:${join(folder, 'store.sqlite')}`]);
    touched = JSON.parse(stdout) as typeof touched; // as the program prints it
    await rm(folder, { recursive: true });
  });

  it.each([
    ['a read', 'read', 40],
    ['a search by three parameters', 'search', 80],
    ['a create', 'create', 120],
  ])('are few for %s', (_what, name, most) => {
    const files = touched[name] ?? [];
    console.log(`${name}, ${files.length} files:\n  ${files.join('\n  ')}`);
    expect(files).toContain('interaction/dispatch.ts');
    expect(files.length).toBeLessThanOrEqual(most);
  });
});
