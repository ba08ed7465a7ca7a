import { statSync } from 'node:fs';
import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tokenCollection } from '../../src/auth/token/own-tokens.ts';
import { clientCollection, createRegistry, userCollection } from '../../src/smart/accounts/registry.ts';
import { signIn } from '../../src/smart/sign-in/sign-in.ts';
import { createThrottle } from '../../src/smart/sign-in/throttle.ts';
import { withStore } from '../../src/cli/open.ts';
import { readConfig } from '../../src/config/read.ts';
import type { Store } from '../../src/store/port/store.ts';
import { selfSigned } from '../support/certificate.ts';
import { Visitor, plain } from '../smart/pages/support/visitor.ts';
import { inOneProcess } from './one-process.ts';
import { launch } from './process.ts';

const run = inOneProcess();
let folder: string;
let file: string;
let printed: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'demo-accounts-'));
  file = join(folder, 'records.sqlite');
  printed = await serveOnce(); // fills it
});
afterAll(() => rm(folder, { recursive: true }));

/** Starts a demonstration on the store, does something meanwhile, and gives what it printed. */
async function serveOnce(meanwhile?: (url: string) => Promise<void>): Promise<string> {
  const server = launch(['serve', '--demo', '--port', '0', '--log', 'off', '--store', `sqlite:${file}`]);
  const [, url = ''] = await server.until(/Serves (http:\S+)\/r4\/demo [^]*with the password [^]*\n\n/);
  await meanwhile?.(url);
  server.process.kill('SIGTERM');
  expect(await server.ended).toBe(0);
  return server.stdout();
}

const inStore = <T>(work: (store: Store) => Promise<T>): Promise<T> =>
  withStore(readConfig(['--store', `sqlite:${file}`]), 'command', ({ store }) => work(store));

const refused = (...flags: string[]) =>
  run(['serve', '--port', '0', '--log', 'off', '--store', `sqlite:${file}`, ...flags]);

describe('a demonstration', () => {
  it('begins with the URL of its pages, which offer to look around, on this machine only', async () => {
    await serveOnce(async url => {
      const visitor = new Visitor({ url }, { Accept: 'text/html' });
      const start = await visitor.get('/');
      expect([start.status, start.html.includes('take-good-care')]).toEqual([200, true]);
      const [example = ''] = /href="(\/r4\/demo\/\w+\?[^"]*)"/.exec(start.html)?.slice(1) ?? [];
      const asked = await visitor.get(plain(example));
      const form = [...asked.html.matchAll(/<form[^>]*method="post"[^]*?<\/form>/g)].findIndex(([form]) =>
        form.includes(`value="demonstration"`),
      );
      const results = await visitor.submit(asked, { how: 'demonstration' }, form);
      expect([results.status, results.url]).toEqual([200, `${url}${plain(example)}`]);
      expect(results.html).toContain('Demo backend');
      const named = await new Promise<string>((resolve, reject) => {
        const headers = { Accept: 'text/html', Host: 'evil.example' }; // a name that leads to this machine
        get(`${url}/`, { headers }, response => void text(response).then(resolve, reject)).on('error', reject);
      });
      expect(named).not.toContain('take-good-care');
    });
    const scopes = await inStore(async store => {
      const found: unknown[] = [];
      for await (const { value } of store.documents(tokenCollection).list()) found.push(value);
      return found.map(value => (value as { scope: string }).scope); // a stored grant
    });
    expect(scopes).toEqual(['system/*.rs']); // to look around is to read
    expect(printed).toMatch(/^Runs on [^\n]*\nOpen the explorer in a browser: http:\S+\/\n/);
  });

  it('shows the queries with open access too, where nobody signs in', async () => {
    const flags = ['--access', 'open', '--port', '0', '--log', 'off', '--store', `sqlite:${file}`];
    const server = launch(['serve', '--demo', ...flags]);
    const [, url = ''] = await server.until(/Serves (http:\S+)\/r4\/demo /);
    const visitor = new Visitor({ url }, { Accept: 'text/html' });
    const start = await visitor.get('/');
    const queries = [...start.html.matchAll(/href="(\/r4\/demo\/\w+\?[^"]*)"/g)].map(([, path = '']) => plain(path));
    const found = await visitor.get(queries[0] ?? '');
    server.process.kill('SIGTERM');
    expect(await server.ended).toBe(0);
    expect(queries).toHaveLength(3);
    expect([found.status, found.html.includes('aria-current="page">Table')]).toEqual([200, true]);
    expect(start.html).not.toMatch(/take-good-care|You choose|launcher/);
  });

  it('prints who signs in where, with the passwords, and they are right', async () => {
    expect(printed).toMatch(
      /^The launcher starts apps as an EHR does: http:\S+\/auth\/launcher\. Demo accounts \(this machine only\):$/m,
    );
    const people = [...printed.matchAll(/^(\S+) \(.*\), with the password (\S+)$/gm)];
    const partitions = await inStore(store => {
      const parts = { registry: createRegistry(store, undefined, Date.now), throttle: createThrottle(store, Date.now) };
      const signedIn = people.map(([, user = '', password = '']) =>
        signIn(parts, { user, password, address: '127.0.0.1' }),
      );
      return Promise.all(signedIn.map(async user => (await user).partitions));
    });
    expect(partitions).toEqual([
      [{ id: 'demo', fhirUser: 'Practitioner/practitioner-1' }],
      [{ id: 'demo', fhirUser: 'Patient/p905-00003' }],
    ]);
  });

  it.skipIf(process.platform === 'win32')(
    'keeps its secrets in files for their owner alone (no modes of files on Windows)',
    () => {
      for (const name of ['demo-key', 'demo-backend-key'])
        expect([name, statSync(`${file}.${name}`).mode & 0o777]).toEqual([name, 0o600]);
    },
  );

  it('registers its clients and users at the next start of a store without any, and keeps others', async () => {
    const backendKey = await readFile(`${file}.demo-backend-key`, 'utf8');
    const before = await inStore(async store => {
      await store.documents(clientCollection).delete('demo-app');
      await store.documents(userCollection).delete('demo-patient');
      return store.documents(userCollection).get('demo-clinician');
    });
    let keys = '';
    await serveOnce(async url => void (keys = await (await fetch(`${url}/auth/jwks`)).text()));
    await serveOnce(async url => expect(await (await fetch(`${url}/auth/jwks`)).text()).toBe(keys));
    expect(await readFile(`${file}.demo-backend-key`, 'utf8')).toBe(backendKey);
    const { client, user, clinician } = await inStore(async store => ({
      client: await store.documents(clientCollection).get('demo-app'),
      user: await store.documents(userCollection).get('demo-patient'),
      clinician: await store.documents(userCollection).get('demo-clinician'),
    }));
    expect(client).toMatchObject({ kind: 'public', flows: ['app'], partitions: ['demo'], demo: true });
    expect(user).toMatchObject({ id: 'demo-patient', demo: true });
    expect(clinician).toEqual(before);
  });
});

describe('a start that is not safe', () => {
  it.each<[flags: string[], sentence: string]>([
    [
      ['--demo', '--host', '0.0.0.0', '--tls-cert', 'a', '--tls-key', 'b'],
      'Clients and users of the demonstration are for this machine only',
    ],
    [
      ['--demo', '--public-url', 'https://ehr.example', '--trusted-proxies', '10.0.0.1'],
      'Clients and users of the demonstration',
    ],
    [['--host', '0.0.0.0'], 'On `0.0.0.0` others could read tokens and records in plain http'],
    [[], 'The authorization server needs a secret that encrypts its signing keys'],
  ])('is refused before anything is done: %j', async (flags, sentence) => {
    const { code, stdout, stderr } = await refused(...flags);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(sentence);
  });

  it('is refused where a store has clients of a demonstration and is not for this machine alone', async () => {
    const proxy = ['--public-url', 'https://ehr.example', '--trusted-proxies', '10.0.0.1'];
    const { code, stderr } = await refused(...proxy, '--key-file', `${file}.demo-key`);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('This store has demo-backend, demo-app, demo-clinician, demo-patient. Clients and users'),
    ]);
    const { cert, key } = selfSigned('localhost');
    await writeFile(join(folder, 'cert.pem'), cert);
    await writeFile(join(folder, 'key.pem'), key);
    const tls = ['--host', '0.0.0.0', '--tls-cert', join(folder, 'cert.pem'), '--tls-key', join(folder, 'key.pem')];
    expect((await refused(...tls, '--key-file', `${file}.demo-key`)).stderr).toContain('This store has demo-backend');
  });

  it('is refused with a key file that is missing, wrong or too short', async () => {
    const keyFile = async (name: string, text: string): Promise<string[]> => {
      await writeFile(join(folder, name), text, { mode: 0o600 });
      return ['--key-file', join(folder, name)];
    };
    const starts = [
      await refused('--key-file', join(folder, 'nowhere')),
      await refused(...(await keyFile('wrong', 'another secret of random characters'))),
      await refused(...(await keyFile('short', 'hunter2'))),
    ];
    expect(starts.map(({ code }) => code)).toEqual([2, 1, 1]);
    expect(starts[0]?.stderr).toContain('`. It must be the file with which this store was first served');
    expect(starts[1]?.stderr).toContain('The signing keys in this store are encrypted with another key file');
    expect(starts[2]?.stderr).toContain('must hold at least 32 random characters');
    expect(starts.map(({ stderr }) => stderr.trim().split('\n').length)).toEqual([2, 1, 1]); // one refers to the help
  });
});
