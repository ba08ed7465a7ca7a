import { PassThrough, Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { passwordFor } from '../../src/cli/new-password.ts';

const ann = { id: 'ann', name: 'Ann' };

/** What a user types at a terminal, piece by piece, and all that the terminal shows. */
async function typing(pieces: readonly string[]): Promise<{ readonly password: string; readonly shown: string }> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  let raw = false;
  let shown = '';
  output.on('data', (text: Buffer) => (shown += text.toString()));
  const terminal = Object.assign(input, { isTTY: true, setRawMode: (on: boolean) => (raw = on) });
  const result = passwordFor(ann, {}, { input: terminal, output }).then(
    ({ password }) => password,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  for (const piece of pieces) {
    await sleep(5);
    input.write(piece);
  }
  const password = await result;
  expect(raw).toBe(false); // the terminal is as it was
  await sleep(5);
  return { password, shown };
}

describe('a password that is typed', () => {
  it('is asked for twice and not shown', async () => {
    const { password, shown } = await typing(['correct horse', ' battery\r', 'correct horse battery\r']);
    expect([password, shown]).toEqual(['correct horse battery', 'Password for ann: \nOnce more: \n']);
  });

  it.each([
    ['correct horse batteru\u007fy\r', 'correct horse battery'],
    ['wrong\u0015correct horse battery\n', 'correct horse battery'],
    ['😀\u007fcorrect horse battery\u0004', 'correct horse battery'],
  ])('may be mended while it is typed: %j', async (keys, password) => {
    expect((await typing([keys, `${password}\r`])).password).toBe(password);
  });

  it('is not taken where it was typed otherwise the second time, is too short, or typing ended', async () => {
    expect((await typing(['correct horse battery\r', 'correct horse batterz\r'])).password).toBe(
      'The passwords differ.',
    );
    expect((await typing(['short\r', 'short\r'])).password).toBe('The password must have 12 characters or more.');
    expect((await typing(['correct\u0003'])).password).toBe('Nothing was done');
  });
});

describe('a password on stdin', () => {
  const given = (text: string, flags: object): Promise<unknown> =>
    passwordFor(
      { id: 'eve-of-the-clinic', name: 'Eve' },
      { ...flags },
      { input: Readable.from([text]), output: new PassThrough() },
    ).catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
  const stdin = { 'password-stdin': true };

  it.each<[string, object, unknown]>([
    ['correct horse battery\nmore', stdin, { password: 'correct horse battery', isNew: false }],
    ['correct horse battery\r\n', stdin, { password: 'correct horse battery', isNew: false }],
    ['', { generate: true }, { password: expect.stringMatching(/^.{23}$/) as unknown, isNew: true }],
    ['short\n', stdin, 'The password must have 12 characters or more.'],
    ['Eve-Of-The-Clinic\n', stdin, 'The password must not be the name of the user.'],
    ['', stdin, 'stdin has no password.'],
    ['', { ...stdin, generate: true }, '`--password-stdin` and `--generate` exclude each other.'],
    ['', {}, expect.stringContaining('There is no terminal for typing a password: use')],
  ])('%j with %j', async (text, flags, result) => {
    expect(await given(text, flags)).toEqual(result);
  });
});
