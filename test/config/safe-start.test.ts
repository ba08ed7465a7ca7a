import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readKeyFile } from '../../src/smart/accounts/key-file.ts';
import { readConfig } from '../../src/config/read.ts';
import { startNotices, startRefusals } from '../../src/config/safe-start.ts';

const key = ['--key-file', 'crs.key'];
const proxy = ['--public-url', 'https://ehr.example', '--trusted-proxies', '10.0.0.1'];
const tls = ['--tls-cert', 'a.pem', '--tls-key', 'b.pem'];
const everywhere = ['--host', '0.0.0.0'];

/** How each refusal begins. */
const noKey = 'The authorization server needs a secret';
const plain = 'On `0.0.0.0` others could read tokens';
const plainUrl = '`public-url` is `http://ehr.example`';
const demoAbroad = 'Clients and users of the demonstration are for this machine only';
const open = '`access` is `open`';

describe('a start', () => {
  it.each<[why: string, flags: string[], demo: boolean, refusals: string[]]>([
    ['on this machine, with a key', key, false, []],
    ['a demonstration makes its key itself', [], true, []],
    [
      'a demonstration on another loopback address',
      ['--host', '::1', '--public-url', 'http://localhost:8080'],
      true,
      [],
    ],
    ['no key', [], false, [noKey]],
    ['no key is needed where there is no authorization server', ['--authorization-server', 'off'], false, []],
    ['no key is needed if access is open', ['--access', 'open'], false, []],
    ['everywhere by https', [...everywhere, ...tls, ...key], false, []],
    ['everywhere behind a proxy that speaks https', [...everywhere, ...proxy, ...key], false, []],
    ['on this machine behind a proxy that speaks https', [...proxy, ...key], false, []],
    ['everywhere by plain http', [...everywhere, ...key], false, [plain]],
    [
      'everywhere by plain http, tokens from elsewhere',
      [...everywhere, '--authorization-server', 'off'],
      false,
      [plain],
    ],
    [
      'https outside, but any client can pretend to be the proxy',
      [...everywhere, ...proxy.slice(0, 2), ...key],
      false,
      [plain],
    ],
    ['a proxy, but no URL', [...everywhere, ...proxy.slice(2), ...key], false, [plain]],
    [
      'a proxy that speaks plain http',
      [...everywhere, '--public-url', 'http://ehr.example', '--trusted-proxies', '10.0.0.1', ...key],
      false,
      [plain, plainUrl],
    ],
    ['plain http outside', ['--public-url', 'http://ehr.example', ...key], false, [plainUrl]],
    ['a demonstration everywhere', [...everywhere, ...tls], true, [demoAbroad]],
    ['a demonstration behind a proxy', [...proxy], true, [demoAbroad]],
    ['a demonstration without clients', [...everywhere, ...tls, '--authorization-server', 'off'], true, []],
    ['open to all, everywhere', ['--access', 'token', ...everywhere, ...key], false, [plain]],
    ['all at once', [...everywhere, '--public-url', 'http://ehr.example'], false, [plain, plainUrl, noKey]],
  ])('%s', (_, flags, demo, refusals) => {
    const found = startRefusals(readConfig(flags), demo);
    expect(found).toEqual(refusals.map(text => expect.stringMatching(new RegExp(`^${text}.*\\.$`)) as unknown));
  });

  it.each([
    [[...key, ...proxy], 0],
    [[...key, ...proxy.slice(0, 2)], 1],
    [[...key, ...proxy.slice(0, 2), ...tls], 0],
    [['--authorization-server', 'off', ...proxy.slice(0, 2)], 0],
    [[...key], 0],
  ])('says where all who sign in count as one address: %j', (flags, count) => {
    expect(startNotices(readConfig(flags))).toHaveLength(count);
  });

  it('open to all is on loopback alone, whatever read the settings', () => {
    const config = { ...readConfig(['--access', 'open']), host: '0.0.0.0' };
    expect(startRefusals(config, false)).toEqual([expect.stringContaining(open)]);
  });
});

describe('the key file', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'key-file-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const file = (name: string, text: string, mode: number): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  };
  const secret = '0123456789abcdef0123456789abcdef';

  it('holds a secret, whatever lines end it', () => {
    expect(readKeyFile(file('good', `${secret}\n`, 0o600))).toBe(secret);
    expect(readKeyFile(file('read-only', secret, 0o400))).toBe(secret);
  });

  it.skipIf(process.platform === 'win32').each([
    ['readable by all', secret, 0o644, /can be read or changed by other users: run `chmod 600 .*`\./],
    ['readable by the group', secret, 0o640, /can be read or changed by other users/],
    ['writable by others', secret, 0o602, /can be read or changed by other users/],
    ['too short', `${secret.slice(1)}\n\n`, 0o600, /must hold at least 32 random characters.*openssl rand/],
    ['empty', '', 0o600, /must hold at least 32 random characters/],
  ])('is refused: %s (no modes of files on Windows)', (name, text, mode, problem) => {
    const path = file(name, text, mode);
    expect(() => readKeyFile(path)).toThrow(problem);
    expect(() => readKeyFile(path)).not.toThrow(secret.slice(1));
  });

  it('is refused where it does not exist, with what makes one', () => {
    expect(() => readKeyFile(join(folder, 'none'))).toThrow(/there is no `.*none`\. .* openssl rand -base64 32 > /);
    expect(() => readKeyFile(folder)).toThrow('is a folder, not a file');
  });
});
