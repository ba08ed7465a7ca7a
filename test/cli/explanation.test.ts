import { mkdtempSync, openSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CommandError } from '../../src/cli/command.ts';
import { explanation } from '../../src/cli/explanation.ts';
import { StoreRefused, StoreUnavailable } from '../../src/store/port/errors.ts';

const system = (code: string, message: string, more: object = {}): Error =>
  Object.assign(new Error(message), { code, ...more });

describe('what is said of an error', () => {
  it.each([
    ['a sentence as it is', new CommandError('There is no partition `a`.'), 'There is no partition `a`.'],
    ['with its full stop', new StoreRefused('There is no store at `a`'), 'There is no store at `a`.'],
    [
      'with its causes, each once',
      new Error('The audit log cannot be written', {
        cause: new Error('The folder is gone.', { cause: system('ENOENT', 'ENOENT: a', { path: '/a' }) }),
      }),
      'The audit log cannot be written: The folder is gone: There is no file or folder `/a`.',
    ],
    [
      'without a cause that its message contains',
      new StoreUnavailable(
        'no-store',
        '`a` could not be written. The disk is full (SQLITE_FULL: database or disk is full). Free disk space.',
        new Error('database or disk is full'),
      ),
      '`a` could not be written. The disk is full (SQLITE_FULL: database or disk is full). Free disk space.',
    ],
    [
      'a full disk',
      system('ENOSPC', 'ENOSPC: no space left on device, write'),
      'The disk is full: ENOSPC: no space left on device, write.',
    ],
    ['a quota', system('EDQUOT', 'EDQUOT: x'), 'The disk is full: EDQUOT: x.'],
    ['a disk that is read-only', system('EROFS', 'EROFS: x'), 'The disk is read-only: EROFS: x.'],
    [
      'a disk that fails',
      system('EIO', 'EIO: i/o error, read'),
      'The disk reported an I/O error: EIO: i/o error, read. Check the disk.',
    ],
    [
      'too many files',
      system('EMFILE', 'EMFILE: x'),
      'Too many files are open (`ulimit -n` raises the limit): EMFILE: x.',
    ],
    [
      'a folder where nothing can be made',
      system('ENOENT', 'ENOENT: x', { path: '/a', syscall: 'mkdir' }),
      'The folder `/a` cannot be created; the disk may be read-only.',
    ],
    ['no file is named', system('ENOENT', 'spawn cc ENOENT'), 'spawn cc ENOENT.'],
    [
      'a mistake of the program',
      new TypeError('x is not a function'),
      'x is not a function. This is a bug: CRS_DEBUG=1 prints the stack.',
    ],
    ['what is no error', 'a text', 'a text'],
  ])('%s', (_what, error, text) => {
    expect(explanation(error)).toBe(text);
  });

  it('ends where causes go in a circle', () => {
    const [one, two] = [new Error('one'), new Error('two')];
    Object.assign(one, { cause: two });
    Object.assign(two, { cause: one });
    expect(explanation(one)).toBe('one: two.');
  });

  it('names what the system names: a file, a folder that may not be written, a port', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'explanation-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const thrown = (work: () => unknown): unknown => {
      try {
        return work();
      } catch (error) {
        return error;
      }
    };
    const path = join(folder, 'none');
    expect(explanation(thrown(() => openSync(path, 'r')))).toBe(`There is no file or folder \`${path}\`.`);
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise(resolve => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo; // it listens on TCP
    const second = createServer().listen(port, '127.0.0.1');
    const refusal = await new Promise(resolve => second.once('error', resolve));
    expect(explanation(refusal)).toContain(`Port ${port} is in use by another program`);
  });
});
