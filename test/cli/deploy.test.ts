/* oxlint-disable typescript/no-explicit-any -- the values of YAML files are what the tests look into */
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/read.ts';
import { startRefusals } from '../../src/config/safe-start.ts';
import { settings } from '../../src/config/settings.ts';
import { freePort } from '../support/free-port.ts';
import { noRoot, runInRoot } from '../support/system-root.ts';
import { inOneProcess } from './one-process.ts';
import { root } from './process.ts';
import program from '../../package.json' with { type: 'json' };

// It comes with fhirpath.js, and reads YAML as others do.
const yaml = createRequire(createRequire(import.meta.url).resolve('fhirpath'))('js-yaml') as {
  load(text: string): any;
  loadAll(text: string): any[];
};
const run = inOneProcess();
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'deploy-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const textOf = (name: string): string => readFileSync(join(root, 'src/cli/deploy', name), 'utf8');
const unit = textOf('clinical-records.service');
const compose = textOf('compose.yaml');
const manifests = textOf('kubernetes.yaml');
/** The manifests after the change for MongoDB that their first lines describe. */
const mongoManifests = manifests
  .split('\n')
  .filter(line => !line.endsWith(' # SQLite'))
  .join('\n')
  .replaceAll(/^( *)# MongoDB: /gm, '$1');

/** What only the operator knows. */
const filledIn = { CRS_PUBLIC_URL: 'https://fhir.example.org', CRS_TRUSTED_PROXIES: '172.16.0.1' };

const valuesOf = (key: string): string[] =>
  [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value);

const environmentOfUnit = (): Record<string, string> =>
  Object.fromEntries(valuesOf('Environment').map(line => line.split(/=(.*)/, 2) as [string, string]));

/** The variables of the Compose file, in an environment of `docker compose`. */
const environmentOfCompose = (given: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries<string>(yaml.load(compose).services.service.environment).map(([name, value]) => {
      const [, asked, usual] = /^\$\{(\w+):(?:\?.+|-(.*))\}$/.exec(value) ?? [];
      return [name, asked === undefined ? value : (given[asked] ?? usual ?? '')];
    }),
  );

const environmentOfManifests = (text: string): Record<string, string> =>
  yaml.loadAll(text).find(({ kind }) => kind === 'ConfigMap').data;

const secret = { CRS_STORE: 'mongodb://db/records' };
const environments: readonly (readonly [string, Record<string, string>, Record<string, string>])[] = [
  ['the systemd unit', environmentOfUnit(), {}],
  ['the Compose file', { ...environmentOfCompose({}), ...secret }, filledIn],
  ['the Kubernetes manifests for SQLite', environmentOfManifests(manifests), filledIn],
  ['the Kubernetes manifests for MongoDB', { ...environmentOfManifests(mongoManifests), ...secret }, filledIn],
];

/** The problems with which the service does not start. */
function refusals(environment: Record<string, string>): readonly string[] {
  try {
    return startRefusals(readConfig([], environment), false);
  } catch (error) {
    return [String(error)];
  }
}

describe('the files to copy', () => {
  it.each([
    ['clinical-records.service', unit],
    ['compose.yaml', compose],
    ['kubernetes.yaml', manifests],
  ])('%s names only variables and flags of the settings table, and marks what to fill in', (_, text) => {
    const variables = new Set(settings.map(({ variable }) => variable));
    const flags = new Set(settings.map(({ flag }) => `--${flag}`));
    for (const [name] of text.matchAll(/\bCRS_\w+/g)) expect(variables).toContain(name);
    for (const [name] of text.matchAll(/(?<=see )--[a-z-]+/g)) expect(flags).toContain(name);
    expect(text).toContain('FILL IN');
  });

  it.each(environments)('%s: the service starts when they are filled in', (_, environment, given) => {
    const config = readConfig([], { ...environment, ...given });
    expect([config.logFormat, config.requireStore]).toEqual(['json', true]);
    expect(refusals({ ...environment, ...given })).toEqual([]);
  });

  it.each(environments.filter(([, , given]) => Object.keys(given).length > 0))(
    '%s: the service does not start before that, and trusts no proxy unasked',
    (_, environment, given) => {
      expect(refusals(environment)).not.toEqual([]);
      for (const missing of Object.keys(given))
        expect(refusals({ ...environment, ...given, [missing]: '' })).not.toEqual([]);
    },
  );

  it('give the service longer to end than it needs', () => {
    const seconds = [
      Number(valuesOf('TimeoutStopSec')[0]),
      Number.parseInt(yaml.load(compose).services.service.stop_grace_period),
      ...[manifests, mongoManifests].map(text => podOf(text).terminationGracePeriodSeconds - 5),
    ];
    expect(seconds).toEqual(Array(4).fill(readConfig([]).shutdownTimeout / 1_000 + 10));
  });

  it('have the version of the program', () => {
    for (const { image } of [...podOf(manifests).containers, ...podOf(manifests).initContainers])
      expect(image).toBe(`clinical-records:${program.version}`);
  });
});

const podOf = (text: string): any =>
  yaml.loadAll(text).find(({ kind }) => kind === 'StatefulSet' || kind === 'Deployment').spec.template.spec;

describe('the systemd unit', () => {
  it('is accepted by systemd', async () => {
    const path = join(folder, 'clinical-records.service');
    writeFileSync(path, unit);
    const { status, stderr, error } = spawnSync('systemd-analyze', ['verify', '--man=no', path], { encoding: 'utf8' });
    if (error !== undefined) return; // no systemd on this machine
    const complaints = stderr
      .split('\n')
      .filter(line => line.includes('clinical-records') && !/is not executable/.test(line));
    expect(complaints).toEqual([]);
    expect(status === 0 || stderr.includes('is not executable')).toBe(true);
  });

  const why = noRoot === undefined ? '' : ` (left out: ${noRoot})`;
  it.skipIf(noRoot !== undefined)(
    `starts the service as its lines say, with its user and its folders${why}`,
    async () => {
      const port = await freePort();
      const only = (key: string): string => {
        const [value, ...others] = valuesOf(key);
        if (value === undefined || others.length > 0) throw new Error(`${key} is not there once`);
        return value;
      };
      const id = 990;
      const own = (name: string): string => {
        const path = join(folder, name);
        mkdirSync(path, { mode: 0o700 });
        chownSync(path, id, id);
        return path;
      };
      const [state, configuration] = [own('state'), own('configuration')];
      writeFileSync(join(configuration, 'key'), randomBytes(32).toString('base64'), { mode: 0o400 });
      chownSync(join(configuration, 'key'), id, id);
      const start = (): ReturnType<typeof runInRoot> =>
        runInRoot(
          {
            user: { name: only('User'), id },
            temporary: ['/tmp'],
            mounts: [
              { from: root, to: only('WorkingDirectory') },
              { from: state, to: `/var/lib/${only('StateDirectory')}`, writable: true },
              { from: configuration, to: `/etc/${only('ConfigurationDirectory')}` },
            ],
          },
          {
            command: only('ExecStart').split(' '),
            folder: only('WorkingDirectory'),
            env: { ...environmentOfUnit(), CRS_PORT: String(port) },
          },
        );
      const refused = start();
      await refused.until(/There is no store at .*, and `require-store` forbids to create one/, 'stderr');
      expect(await refused.ended).not.toBe(0);
      const store = join(state, 'records.sqlite');
      expect((await run(['partition', 'add', 'clinic', '--store', `sqlite:${store}`])).code).toBe(0);
      for (const name of readdirSync(state)) chownSync(join(state, name), id, id);
      const server = start();
      await server.until(/Serves http/);
      expect(await (await fetch(`http://127.0.0.1:${port}/readyz`)).json()).toEqual({ status: 'ok' });
      const { pid = 0 } = server.process;
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      expect(status).toMatch(new RegExp(`^Uid:\\t${id}\\t${id}\\t${id}\\t${id}$`, 'm'));
      expect(status).toMatch(/^NoNewPrivs:\t1$/m);
      expect(status).toMatch(/^CapEff:\t0+$/m);
      expect(existsSync(join(state, 'records.sqlite'))).toBe(true);
      server.process.kill('SIGHUP'); // ExecReload
      await server.until(/The definitions are unchanged/, 'stderr');
      server.process.kill('SIGTERM');
      expect(await server.ended).toBe(0);
      const again = start();
      await again.until(/Serves http/);
      again.process.kill('SIGTERM');
      expect(await again.ended).toBe(0);
    },
  );
});

describe('the Compose file', () => {
  it('has a service without privileges, and members with users and TLS, and every volume that they use', () => {
    const { services, volumes } = yaml.load(compose);
    for (const [name, { volumes: used = [], depends_on: needed = {} }] of Object.entries<any>(services)) {
      for (const volume of used)
        expect([name, Object.keys(volumes)]).toEqual([name, expect.arrayContaining([volume.split(':')[0]])]);
      for (const other of Object.keys(needed)) expect(Object.keys(services)).toContain(other);
    }
    for (const name of ['service', 'mongo1', 'mongo2', 'mongo3'])
      expect(services[name]).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        user: expect.stringMatching(/^[1-9]/),
      });
    for (const name of ['mongo1', 'mongo2', 'mongo3'])
      expect(services[name].command).toEqual(
        expect.arrayContaining(['--auth', '--tlsMode=requireTLS', '--replSet=rs0']),
      );
  });

  it('makes secrets that fit: certificates of one authority for each member, and the URL of the store', () => {
    const { services } = yaml.load(compose);
    const [shell, flag, script] = services.secrets.entrypoint as string[];
    const [secrets, service] = [join(folder, 'secrets'), join(folder, 'service')];
    mkdirSync(secrets);
    const here = String(script)
      .replaceAll('$$', '$')
      .replaceAll(/(^|\s)\/secrets\b/gm, `$1${secrets}`)
      .replaceAll(/(^|\s)\/service\b/gm, `$1${service}`)
      .replaceAll(/chown -R \S+/g, 'true');
    execFileSync(String(shell), [String(flag), here], { stdio: 'pipe' });
    for (const name of ['mongo1', 'mongo2', 'mongo3']) {
      const pem = join(secrets, `${name}.pem`);
      execFileSync('openssl', ['verify', '-CAfile', join(secrets, 'ca.pem'), '-verify_hostname', name, pem], {
        stdio: 'pipe',
      });
    }
    const store = readFileSync(join(service, 'store'), 'utf8');
    const config = readConfig(['--store', store, '--key-file', join(service, 'key')]);
    const password = readFileSync(join(secrets, 'password'), 'utf8').trim();
    expect(config.store).toBe(
      `mongodb://clinical-records:${password}@mongo1,mongo2,mongo3/records?replicaSet=rs0&authSource=records` +
        '&tls=true&tlsCAFile=/secrets/ca.pem',
    );
    expect(readFileSync(join(service, 'key'), 'utf8').length).toBeGreaterThan(32);
    const before = readFileSync(join(secrets, 'password'), 'utf8');
    execFileSync(String(shell), [String(flag), here], { stdio: 'pipe' });
    expect(readFileSync(join(secrets, 'password'), 'utf8')).toBe(before); // only the first time
  });
});

describe('the Kubernetes manifests', () => {
  it.each([
    ['SQLite', manifests, ['ConfigMap', 'Service', 'StatefulSet'], 1],
    ['MongoDB', mongoManifests, ['ConfigMap', 'Service', 'PodDisruptionBudget', 'Deployment'], 2],
  ] as const)('for %s have their kinds, with labels that select the pods', (_, text, kinds, replicas) => {
    const all = yaml.loadAll(text);
    expect(all.map(({ kind }) => kind)).toEqual(kinds);
    const workload = all.at(-1);
    expect(workload.spec.replicas).toBe(replicas);
    const { labels } = workload.spec.template.metadata;
    expect(workload.spec.selector.matchLabels).toEqual(labels);
    expect(all[1].spec.selector).toEqual(labels);
    const budgets = all.filter(({ kind }) => kind === 'PodDisruptionBudget');
    expect(budgets.map(({ spec }) => spec.selector.matchLabels)).toEqual(replicas === 2 ? [labels] : []);
  });

  it.each([
    ['SQLite', manifests],
    ['MongoDB', mongoManifests],
  ])('for %s have volumes, ports and probes that exist, and 1 GiB of memory', (_, text) => {
    const { containers, initContainers, volumes, securityContext } = podOf(text);
    const claims = yaml.loadAll(text).at(-1).spec.volumeClaimTemplates ?? [];
    const known = [...volumes, ...claims.map((one: { metadata: unknown }) => one.metadata)].map(({ name }) => name);
    for (const { volumeMounts, securityContext: own } of [...containers, ...initContainers]) {
      for (const { name } of volumeMounts) expect(known).toContain(name);
      expect(own).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
    expect(securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
    const [{ ports, resources, livenessProbe, readinessProbe, startupProbe }] = containers;
    const named = ports.map(({ name }: { name: string }) => name);
    for (const probe of [livenessProbe, readinessProbe, startupProbe]) expect(named).toContain(probe.httpGet.port);
    expect(resources.limits.memory).toBe('1Gi');
    const config = readConfig([], { ...environmentOfManifests(text), ...filledIn });
    expect(ports.map(({ containerPort }: { containerPort: number }) => containerPort)).toEqual([
      config.port,
      config.metricsPort,
    ]);
  });
});

describe('the image', () => {
  const lines = readFileSync(join(root, 'Dockerfile'), 'utf8')
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'))
    .map(line => /^(\w+) (.*)$/.exec(line)?.slice(1) as [instruction: string, rest: string]);
  const last = lines.slice(lines.findLastIndex(([instruction]) => instruction === 'FROM'));
  const of = (instruction: string, among = last): string[] =>
    among.filter(([name]) => name === instruction).map(([, rest]) => rest);

  it('has the form that an image should have', () => {
    for (const from of of('FROM', lines)) expect(from).toMatch(/^node:26-slim( AS \w+)?$/);
    expect(of('ADD', lines)).toEqual([]);
    expect(of('USER')).toEqual(['1000:1000']);
    expect(of('RUN', lines)[0]).toContain('--omit=optional'); // the shipped Node
    for (const command of [...of('CMD'), ...of('HEALTHCHECK').map(text => text.replace(/^.*CMD /, ''))])
      expect(JSON.parse(command)).toEqual(expect.arrayContaining(['node']));
    const copied = of('COPY', lines).flatMap(rest => (rest.startsWith('--from') ? [] : rest.split(' ').slice(0, -1)));
    const sent = readFileSync(join(root, '.dockerignore'), 'utf8').trim().split('\n').slice(1);
    expect(copied.sort()).toEqual(sent.map(line => line.slice(1)).sort());
    for (const name of copied) expect(existsSync(join(root, name))).toBe(true);
  });

  const why = noRoot === undefined ? '' : ` (left out: ${noRoot})`;
  it.skipIf(noRoot !== undefined)(
    `runs with what its steps copy, on a read-only root, and is healthy${why}`,
    async () => {
      const [app, data] = [join(folder, 'app'), join(folder, 'data')];
      for (const rest of of('COPY', lines).filter(text => !text.startsWith('--from'))) {
        const paths = rest.split(' ');
        const to = paths.at(-1) ?? '';
        for (const path of paths.slice(0, -1))
          cpSync(join(root, path), join(app, to === './' ? path : to), { recursive: true });
      }
      mkdirSync(join(app, 'node_modules'));
      mkdirSync(data, { mode: 0o700 });
      chownSync(data, 1000, 1000);
      writeFileSync(join(data, 'key'), randomBytes(32).toString('base64'), { mode: 0o400 });
      chownSync(join(data, 'key'), 1000, 1000);
      const port = await freePort();
      const env = Object.fromEntries(of('ENV').flatMap(text => text.split(' ').map(pair => pair.split('='))));
      const options = {
        CRS_PORT: String(port),
        CRS_HOST: '127.0.0.1',
        CRS_KEY_FILE: '/data/key',
        PATH: '/node/bin:/usr/bin',
      };
      const image = {
        user: { name: 'node', id: 1000 },
        temporary: ['/tmp'],
        mounts: [
          { from: app, to: '/app' },
          { from: join(root, 'node_modules'), to: '/app/node_modules' },
          { from: data, to: '/data', writable: true },
          { from: join(process.execPath, '../..'), to: '/node' }, // the Node of the image
        ],
      };
      const inImage = (command: string) => ({
        command: JSON.parse(command),
        folder: '/app',
        env: { ...env, ...options },
      });
      const server = runInRoot(image, inImage(of('CMD')[0] ?? ''));
      await server.until(/Serves http/);
      const check = inImage((of('HEALTHCHECK')[0] ?? '').replace(/^.*CMD /, ''));
      expect(await runInRoot(image, check).ended).toBe(0);
      expect(existsSync(join(data, 'records.sqlite'))).toBe(true);
      server.process.kill('SIGTERM');
      expect(await server.ended).toBe(0);
      expect(await runInRoot(image, check).ended).toBe(1);
    },
  );
});
