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
import type { Config } from '../../src/config/read.ts';
import { startRefusals } from '../../src/config/safe-start.ts';
import { freePort } from '../support/free-port.ts';
import { noRoot, runInRoot } from '../support/system-root.ts';
import { inOneProcess } from './one-process.ts';
import { root } from './process.ts';

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

const targets = ['systemd', 'compose', 'kubernetes'] as const;
type Target = (typeof targets)[number];

/** What only the operator knows: Compose takes it from the environment. */
const outside: Readonly<Record<Target, readonly string[]>> = {
  systemd: [],
  compose: [],
  kubernetes: ['--public-url', 'https://fhir.example.org', '--trusted-proxies', '172.16.0.1'],
};

async function printed(target: Target, ...flags: string[]): Promise<string> {
  const given = outside[target].filter((_, at) => !flags.includes(outside[target][at - (at % 2)] ?? ''));
  const { code, stdout, stderr } = await run(['deploy', target, ...given, ...flags]);
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

/** The environment in which `docker compose` runs. */
const composed: Readonly<Record<string, string>> = {
  CRS_PUBLIC_URL: 'https://fhir.example.org',
  CRS_TRUSTED_PROXIES: '172.16.0.1',
};

/** The variables that a target gives the service. */
function environmentIn(target: Target, text: string): Record<string, string> {
  if (target === 'compose')
    return Object.fromEntries(
      Object.entries<string>(yaml.load(text).services.service.environment).map(([name, value]) => {
        const [, asked, usual] = /^\$\{(\w+):(?:\?.+|-(.*))\}$/.exec(value) ?? [];
        return [name, asked === undefined ? value : (usual ?? composed[asked] ?? '')];
      }),
    );
  if (target === 'kubernetes') return yaml.loadAll(text).find(({ kind }) => kind === 'ConfigMap').data;
  const lines = valuesOf(text, 'Environment').map(line =>
    line.startsWith('"') ? line.slice(1, -1).replaceAll(/\\(.)/g, '$1') : line,
  );
  return Object.fromEntries(
    lines.map(line => {
      const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(line.replaceAll('%%', '%')) ?? [];
      return [name, value];
    }),
  );
}

const valuesOf = (unit: string, key: string): string[] =>
  [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value);

describe.each(targets)('deploy %s', target => {
  it('prints settings that the service reads, and with which it may start', async () => {
    const config = readConfig(['serve'].slice(1), environmentIn(target, await printed(target)));
    expect(config.logFormat).toBe('json');
    const [host, publicUrl] = target === 'systemd' ? ['127.0.0.1'] : ['0.0.0.0', 'https://fhir.example.org'];
    expect([config.host, config.publicUrl, config.requireStore]).toEqual([host, publicUrl, true]);
    expect(startRefusals(config, false)).toEqual([]);
  });

  it('prints the settings that the operator gives, unchanged, and no others', async () => {
    const flags = ['--product-name', 'The "best" 100 % \\ of: Ärzte', '--keep-alive', '30.5', '--port', '9000'];
    const more = ['--trusted-proxies', '10.0.0.0/8', '--trusted-proxies', '192.168.0.1', '--refresh-idle', '2.5'];
    const rest = ['--audit-days', '30', '--frame-ancestors', 'https://a.example', '--debug', '--max-body', '2000000'];
    const given = readConfig([...flags, ...more, ...rest]);
    const usual = readConfig([]);
    const read = readConfig([], environmentIn(target, await printed(target, ...flags, ...more, ...rest)));
    const defaults = readConfig([], environmentIn(target, await printed(target)));
    for (const field of Object.keys(given) as (keyof Config)[]) {
      const isGiven = JSON.stringify(given[field]) !== JSON.stringify(usual[field]);
      expect([field, read[field]]).toEqual([field, isGiven ? given[field] : defaults[field]]);
    }
  });

  it('prints what `auto` and `--interface` mean where the service runs, not what they mean here', async () => {
    const environment = environmentIn(target, await printed(target, '--processes', 'auto', '--interface', 'r4'));
    expect(environment).toMatchObject({ CRS_PROCESSES: 'auto', CRS_INTERFACE: 'r4' });
    const { CRS_STORE: store } = environmentIn(target, await printed(target));
    expect(environment['CRS_STORE']).toBe(store); // the default of `r4` is a relative path
  });

  it('prints no secret', async () => {
    const text = await printed(target, '--store', 'mongodb://somebody:topsecret@db.example:27017/records');
    for (const word of ['topsecret', 'somebody', 'db.example']) expect(text).not.toContain(word);
  });

  it('gives the service longer to end than it needs', async () => {
    const text = await printed(target, '--shutdown-timeout', '40');
    const seconds = {
      systemd: () => Number(valuesOf(text, 'TimeoutStopSec')[0]),
      compose: () => Number.parseInt(yaml.load(text).services.service.stop_grace_period),
      kubernetes: () =>
        yaml.loadAll(text).find(({ kind }) => kind === 'StatefulSet').spec.template.spec.terminationGracePeriodSeconds,
    };
    expect(seconds[target]()).toBeGreaterThan(45);
  });
});

describe('the systemd unit', () => {
  it('is accepted by systemd', async () => {
    const path = join(folder, 'clinical-records.service');
    writeFileSync(path, await printed('systemd', '--product-name', 'A "name" with 100 %'));
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
      const unit = await printed('systemd', '--port', String(port));
      const only = (key: string): string => {
        const [value, ...others] = valuesOf(unit, key);
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
            env: environmentIn('systemd', unit),
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
  it('is compose.yaml of this repository', async () => {
    expect(readFileSync(join(root, 'compose.yaml'), 'utf8')).toBe(await printed('compose'));
  });

  it('has a service without privileges, and members with users and TLS, and every volume that they use', async () => {
    const { services, volumes } = yaml.load(await printed('compose'));
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
      expect(services[name].command).toEqual(expect.arrayContaining(['--auth', 'requireTLS', '--replSet']));
  });

  it('makes secrets that fit: certificates of one authority for each member, and the URL of the store', async () => {
    const { services } = yaml.load(await printed('compose'));
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
    [[], /`--public-url` is missing: .*\n.*`--trusted-proxies` is missing: /],
    [['--trusted-proxies', '10.1.0.0/16'], /`--public-url` is missing: the https URL by which clients reach/],
    [['--public-url', 'https://ehr.example'], /`--trusted-proxies` is missing: the addresses of the ingress/],
  ])('are not printed with %j, and no proxy is trusted unasked', async (flags, text) => {
    const { code, stdout, stderr } = await run(['deploy', 'kubernetes', ...flags]);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(text)]);
  });

  it('trust no proxy where the service speaks https itself', async () => {
    const flags = ['--public-url', 'https://ehr.example', '--tls-cert', '/tls/tls.crt', '--tls-key', '/tls/tls.key'];
    const { stdout } = await run(['deploy', 'kubernetes', ...flags]);
    expect(environmentIn('kubernetes', stdout)).not.toHaveProperty('CRS_TRUSTED_PROXIES');
  });

  const podOf = (text: string): any =>
    yaml.loadAll(text).find(({ kind }) => kind === 'StatefulSet' || kind === 'Deployment').spec.template.spec;

  it.each([
    ['SQLite', [], ['ConfigMap', 'Service', 'StatefulSet'], 1],
    ['MongoDB', ['--store', 'mongodb://db/records'], ['ConfigMap', 'Service', 'PodDisruptionBudget', 'Deployment'], 2],
  ] as const)('for %s have their kinds, with labels that select the pods', async (_, flags, kinds, replicas) => {
    const all = yaml.loadAll(await printed('kubernetes', ...flags));
    expect(all.map(({ kind }) => kind)).toEqual(kinds);
    const workload = all.at(-1);
    expect(workload.spec.replicas).toBe(replicas);
    const { labels } = workload.spec.template.metadata;
    expect(workload.spec.selector.matchLabels).toEqual(labels);
    expect(all[1].spec.selector).toEqual(labels);
    const budgets = all.filter(({ kind }) => kind === 'PodDisruptionBudget');
    expect(budgets.map(({ spec }) => spec.selector.matchLabels)).toEqual(replicas === 2 ? [labels] : []);
  });

  it.each([[[]], [['--store', 'mongodb://db/records']]])(
    'have volumes, ports and probes that exist (%s)',
    async flags => {
      const text = await printed('kubernetes', ...flags);
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
      const [{ ports, livenessProbe, readinessProbe, startupProbe }] = containers;
      const named = ports.map(({ name }: { name: string }) => name);
      for (const probe of [livenessProbe, readinessProbe, startupProbe]) expect(named).toContain(probe.httpGet.port);
      for (const probe of [livenessProbe, readinessProbe, startupProbe]) expect(probe.httpGet.scheme).toBeUndefined();
      const config = readConfig([], environmentIn('kubernetes', text));
      expect(ports.map(({ containerPort }: { containerPort: number }) => containerPort)).toEqual([
        config.port,
        config.metricsPort,
      ]);
    },
  );
});

describe('the resources of a pod', () => {
  const printedFor = async (...flags: string[]): Promise<{ text: string; container: any }> => {
    const text = await printed('kubernetes', ...flags);
    return { text, container: yaml.loadAll(text).at(-1).spec.template.spec.containers[0] };
  };

  it.each([
    ['one process', [], { requests: { cpu: '250m', memory: '256Mi' }, limits: { memory: '1024Mi' } }],
    ['four', ['--processes', '4'], { requests: { cpu: '1000m', memory: '640Mi' }, limits: { memory: '2048Mi' } }],
    [
      'one process for each core, as many as the limit says',
      ['--processes', 'auto'],
      { requests: { cpu: '500m', memory: '448Mi' }, limits: { cpu: '2', memory: '1536Mi' } },
    ],
  ] as const)('suit %s', async (_, flags, resources) => {
    const { text, container } = await printedFor(...flags);
    expect(container.resources).toEqual(resources);
    expect(text.includes('each core of the CPU limit')).toBe('cpu' in resources.limits);
  });

  it('are asked for their health by https where the service speaks https', async () => {
    const { container } = await printedFor('--tls-cert', '/tls/tls.crt', '--tls-key', '/tls/tls.key');
    for (const probe of ['livenessProbe', 'readinessProbe', 'startupProbe'])
      expect(container[probe].httpGet.scheme).toBe('HTTPS');
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
