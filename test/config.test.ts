import { describe, expect, it } from 'vitest';
import { ConfigError, publicUrlOf, readConfig } from '../src/config/read.ts';
import { settings } from '../src/config/settings.ts';

function problems(argv: readonly string[], env: Record<string, string> = {}, file?: unknown): readonly string[] {
  try {
    readConfig(argv, env, () => JSON.stringify(file));
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

describe('settings', () => {
  it('have the documented defaults', () => {
    expect(readConfig([])).toEqual({
      port: 8080,
      host: '127.0.0.1',
      processes: 1,
      interface: 'shipped',
      store: 'sqlite:./data/records.sqlite',
      definitions: [],
      access: 'token',
      authorizationServer: 'on',
      explorer: 'on',
      keyFile: undefined,
      accounts: undefined,
      appTokenLifetime: 3_600_000,
      backendTokenLifetime: 300_000,
      codeLifetime: 60_000,
      refreshIdle: 30 * 86_400_000,
      refreshLifetime: 90 * 86_400_000,
      launchLifetime: 300_000,
      sessionIdle: 900_000,
      sessionLifetime: 8 * 3_600_000,
      frameAncestors: [],
      trustedProxies: [],
      zone: 'UTC',
      maxUrl: 16_384,
      maxBody: 1_048_576,
      maxBundle: 134_217_728,
      maxBundleEntries: 50_000,
      maxRequests: 256,
      maxConnections: 2000,
      connectionsPerAddress: undefined,
      rateLimitClient: 120_000,
      rateLimitAddress: 240_000,
      headerTimeout: 10_000,
      bodyTimeout: 30_000,
      keepAlive: 65_000,
      searchDeadline: 5_000,
      storeTimeout: 10_000,
      auditDays: 400,
      auditFailure: 'refuse',
      shutdownTimeout: 20_000,
      compression: 'auto',
      compressionThreshold: 1024,
      exportFree: 268_435_456,
      exportJobs: 5,
      exportKeep: 86_400_000,
      terminologyServer: undefined,
      terminologyTimeout: 3_000,
      handling: 'strict',
      log: 'info',
      logFormat: 'auto',
      metricsPort: undefined,
      metricsHost: '127.0.0.1',
      traces: 'off',
      requireStore: false,
      watch: false,
      debug: false,
      issuers: [],
    });
  });

  it('take a flag before the environment, the environment before the file, the file before the default', () => {
    const file = (): string => '{"port": 3, "keep-alive": 7, "definitions": ["a", "b"]}';
    const config = readConfig(['--config', 'some.json', '--port=1'], { CRS_PORT: '2', CRS_KEEP_ALIVE: '6' }, file);
    expect([config.port, config.keepAlive, config.definitions]).toEqual([1, 6000, ['a', 'b']]);
    expect(readConfig([], { CRS_CONFIG: 'some.json', CRS_PORT: '2' }, file)).toMatchObject({
      port: 2,
      keepAlive: 7000,
    });
  });

  it('repeat where that is said, and split lists at commas', () => {
    const config = readConfig(['--definitions', 'a', '--definitions', 'b,c', '--trusted-proxies', '10.0.0.0/8,::1']);
    expect(config.definitions).toEqual(['a', 'b,c']);
    expect(config.trustedProxies).toEqual(['10.0.0.0/8', '::1']);
    expect(readConfig([], { CRS_DEFINITIONS: 'a,b' }).definitions).toEqual(['a', 'b']);
  });

  it('have a store of its own for another interface, unless a store is set', () => {
    expect(readConfig(['--interface', 'r4']).store).toBe('sqlite:./data/r4.sqlite');
    expect(readConfig([], { CRS_INTERFACE: 'r4' }).store).toBe('sqlite:./data/r4.sqlite');
    expect(readConfig(['--interface', 'r4', '--store', 'sqlite:./data/records.sqlite']).store).toBe(
      'sqlite:./data/records.sqlite',
    );
    const file = (): string => '{"interface": "r4", "store": "sqlite:./mine.sqlite"}';
    expect(readConfig(['--config', 'some.json'], {}, file).store).toBe('sqlite:./mine.sqlite');
  });

  it('are not what tests read from the environment', () => {
    expect(problems([], { CRS_TEST_ROUNDS: '200', CRS_TESTROUNDS: '1' })).toEqual([
      'The environment variable `CRS_TESTROUNDS` is not a setting.',
    ]);
  });

  it('are all reported if several are wrong', () => {
    expect(problems(['--prot=1', '--port', 'x', '--tls-cert', 'a'], { CRS_HOTS: 'a' })).toEqual([
      '`--prot` is not a flag of this command. Did you mean `--port`?',
      'The environment variable `CRS_HOTS` is not a setting. Did you mean `CRS_HOST`?',
      '`--port` is `x`, but must be a whole number from 0 to 65535.',
    ]);
  });

  it.each([
    [['--port', '65536'], '`--port` is `65536`, but must be a whole number from 0 to 65535.'],
    [['--port', '1', '--port', '2'], '`--port` has 2 values; set one.'],
    [['--port'], '`--port` needs a value: `--port NUMBER`.'],
    [['--store', '--port'], '`--store` needs a value: `--store URL`.'],
    [
      ['--store='],
      '`--store` is ``, but must be `sqlite:` and the path of a file, such as ' +
        '`sqlite:./data/records.sqlite`, or `mongodb://host:27017/records`.',
    ],
    [['--access', 'open', '--host', '0.0.0.0'], expect.stringMatching(/loopback only .* not on `0.0.0.0`/)],
    [['--access', 'open', '--host', '192.168.1.4'], expect.stringContaining('loopback only')],
    [['--access', 'token', '--host', 'a b'], expect.stringContaining('neither an IP address nor')],
    [['--access', 'opn'], expect.stringContaining('Did you mean `open`?')],
    [['--public-url', 'ftp://a'], expect.stringContaining('absolute http or https URL')],
    [['--public-url', 'https://a/?b'], expect.stringContaining('absolute http or https URL')],
    [['--terminology-server', 'http://tx.example'], expect.stringContaining('must be an https URL')],
    [['--refresh-idle', '4000'], '`--refresh-idle` is `4000`, but must be a number of days above 0 and up to 3650.'],
    [['--frame-ancestors', 'https://ehr.example/x'], expect.stringContaining('not the origin of a site')],
    [['--frame-ancestors', 'http://ehr.example'], expect.stringContaining('not the origin of a site')],
    [['--trusted-proxies', '10.0.0.0/33'], expect.stringContaining('neither an IP address nor a CIDR block')],
    [['--partition', 'Demo'], expect.stringContaining('a partition id is 1 to 32')],
    [['--zone', 'America/Torronto'], expect.stringContaining('not the name of a time zone')],
    [['--header-timeout', '0'], expect.stringContaining('number of seconds above 0')],
    [['--handling', 'strickt'], expect.stringContaining('Did you mean `strict`?')],
    [['--store', 'mongodb://h', '--store-timeout', '5'], expect.stringContaining('longer than `search-deadline`')],
    [['--tls-key', 'a'], expect.stringContaining('belong together')],
    [['--interface', 'R4'], expect.stringContaining('Did you mean `r4`?')],
    [['--interface', 'r4', '--capability', 'a'], expect.stringContaining('both replace the shipped `capability/`')],
    [['--debug=perhaps'], expect.stringContaining('neither true nor false')],
  ])('refuse %j', (argv, text) => {
    expect(problems(argv)).toEqual([text]);
  });

  it('refuse what a settings file should not hold, naming the file', () => {
    expect(problems(['--config', 'f.json'], {}, { prot: 1, port: {}, host: ['127.0.0.1', '::1'] })).toEqual([
      '`prot` in f.json is not a setting. Did you mean `port`?',
      '`port` in f.json must be a text, a number, true or false, or a list of texts.',
      '`host` in f.json has 2 values; set one.',
    ]);
    expect(problems(['--config', 'f.json'], {}, [])).toEqual(['The settings file f.json must be one JSON object.']);
    expect(problems(['--config', 'f.json'])).toEqual([
      expect.stringContaining('The settings file f.json cannot be read'),
    ]);
  });

  it('are refused where the file says two things of one', () => {
    const reading = (): unknown => readConfig(['--config', 'f.json'], {}, () => '{"port":1,\n"port":2}');
    expect(reading).toThrow(
      'The settings file f.json cannot be read: The property `port` is repeated in one object (line 2, column 1).',
    );
  });

  it('make the public URL from host and port', () => {
    expect(publicUrlOf(readConfig(['--port', '0', '--host', '::1']), 81)).toBe('http://[::1]:81');
    expect(publicUrlOf(readConfig(['--tls-cert', 'c', '--tls-key', 'k']))).toBe('https://127.0.0.1:8080');
    expect(publicUrlOf(readConfig(['--public-url', 'https://ehr.example/x/']))).toBe('https://ehr.example/x');
  });

  it('name each flag, variable and field once', () => {
    expect(new Set(settings.map(({ field }) => field)).size).toBe(settings.length);
    for (const { flag, variable } of settings) expect(variable).toBe(`CRS_${flag.toUpperCase().replaceAll('-', '_')}`);
  });
});
