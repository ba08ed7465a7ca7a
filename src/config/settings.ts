import type { Config } from './config.ts';
import type { Flag } from './flag.ts';
import {
  addresses,
  choice,
  days,
  displayName,
  host,
  httpUrl,
  integer,
  origins,
  partitionId,
  processCount,
  seconds,
  some,
  storeUrl,
  terminologyUrl,
  truth,
  zone,
} from './values.ts';

/** The store without the setting `store`, by interface: an index of one interface would be dropped by the other. */
export const defaultStores: Readonly<Record<Config['interface'], string>> = {
  shipped: 'sqlite:./data/records.sqlite',
  r4: 'sqlite:./data/r4.sqlite',
};

/** A flag that is also an environment variable and a key of the settings file. */
export interface Setting extends Flag {
  readonly field: keyof Omit<Config, 'issuers'>;
  readonly variable: string;
}

/** All settings. Parsing, `--help` and the table in config/README.md use this list. */
export const settings: readonly Setting[] = [
  setting('port', 'NUMBER', integer(0, 65_535), 'TCP port to listen on; 0 takes a free one', { default: '8080' }),
  setting('host', 'ADDRESS', host, 'Address to listen on; with `access` open only loopback', {
    default: '127.0.0.1',
  }),
  setting(
    'processes',
    'NUMBER',
    processCount,
    'Processes that answer requests, each with its share of the limits; `auto`: one for each core it may use',
    { default: '1' },
  ),
  setting(
    'interface',
    'NAME',
    choice('shipped', 'r4'),
    '`shipped`: the files in `capability/`; `r4`: all of FHIR R4, by default in `sqlite:./data/r4.sqlite`',
    { default: 'shipped' },
  ),
  setting(
    'store',
    'URL',
    storeUrl,
    'The store of the records: `sqlite:` and the path of a file, or `mongodb://…`; no password on a command line',
    {
      default: defaultStores.shipped,
    },
  ),
  setting(
    'require-store',
    undefined,
    truth,
    'Refuse to start without a store: a wrong path makes a new one otherwise',
    {
      default: 'false',
    },
  ),
  setting('definitions', 'PATH', some, 'A folder or a FHIR package (.tgz) of more definitions', { repeats: true }),
  setting('capability', 'DIR', some, 'Folder that replaces the shipped `capability/`'),
  setting('watch', undefined, truth, 'Reload the definitions when their files change', { default: 'false' }),
  setting(
    'access',
    'HOW',
    choice('token', 'open'),
    '`token`: every request for data needs one; `open`: no request does',
    {
      default: 'token',
    },
  ),
  setting(
    'authorization-server',
    'HOW',
    choice('on', 'off'),
    '`on`: apps get their tokens at `/auth`; `off`: tokens come from `token` and from `issuers`',
    { default: 'on' },
  ),
  setting(
    'explorer',
    'HOW',
    choice('on', 'off'),
    '`on`: browsers get pages at `/` and at every FHIR URL; `off`: they get JSON as other clients do',
    { default: 'on' },
  ),
  setting(
    'key-file',
    'FILE',
    some,
    'Secret that encrypts signing keys: at least 32 random characters, readable by its owner only',
  ),
  setting('accounts', 'FILE', some, 'JSON file of clients and users; reloaded on SIGHUP and when it changes'),
  setting('app-token-lifetime', 'NUMBER', seconds, 'Lifetime of an access token of an app', time('3600')),
  setting('backend-token-lifetime', 'NUMBER', seconds, 'Lifetime of an access token of a backend system', time('300')),
  setting('code-lifetime', 'NUMBER', seconds, 'Lifetime of an authorization code', time('60')),
  setting('refresh-idle', 'NUMBER', days, 'Idle lifetime of a refresh token', { default: '30', unit: 'days' }),
  setting('refresh-lifetime', 'NUMBER', days, 'Total lifetime of the refresh tokens of one consent', {
    default: '90',
    unit: 'days',
  }),
  setting('launch-lifetime', 'NUMBER', seconds, 'Lifetime of a single-use launch token', time('300')),
  setting('session-idle', 'NUMBER', seconds, 'Idle timeout of a session', time('900')),
  setting('session-lifetime', 'NUMBER', seconds, 'Maximum lifetime of a session, however active', time('28800')),
  setting('export-folder', 'DIR', some, 'Folder for the files of exports, for all servers of a store; made if absent', {
    defaultNote: 'beside the store',
  }),
  setting(
    'export-keep',
    'NUMBER',
    text => integer(1, 31_536_000)(text) * 1_000,
    'How long an export and its files stay after its end',
    time('86400'),
  ),
  setting(
    'export-jobs',
    'NUMBER',
    integer(1, 1_000),
    'Exports of one client that are not complete; one more is answered 429',
    { default: '5' },
  ),
  setting(
    'export-free',
    'NUMBER',
    integer(0, 1_099_511_627_776),
    'Space that exports leave free on the disk of their files; without it they are refused, or fail, with 507',
    { default: '268435456', unit: 'bytes' },
  ),
  setting('frame-ancestors', 'ORIGINS', origins, 'Origins of sites that may frame sign-in pages', {
    repeats: true,
  }),
  setting('product-name', 'TEXT', displayName, 'Name of the product on sign-in pages', {
    defaultNote: 'Clinical Records',
  }),
  setting('logo', 'FILE', some, 'SVG or PNG image beside the name of the product, up to 1 MB'),
  setting('public-url', 'URL', httpUrl, 'Base of absolute URLs', { defaultNote: 'from host and port' }),
  setting('trusted-proxies', 'ADDRESSES', addresses, 'IP addresses and CIDR blocks whose X-Forwarded-For is trusted', {
    repeats: true,
  }),
  setting('tls-cert', 'FILE', some, 'Certificate chain (PEM) for https; reloaded on SIGHUP'),
  setting('tls-key', 'FILE', some, 'Private key (PEM) for https; reloaded on SIGHUP'),
  setting('partition', 'ID', partitionId, 'The partition of a command'),
  setting('zone', 'NAME', zone, 'Time zone of a new partition, for times without one', { default: 'UTC' }),
  setting('max-url', 'NUMBER', integer(1024, 65_536), 'Maximum length of a URL; a longer one is answered 414', {
    default: '16384',
    unit: 'bytes',
  }),
  setting(
    'max-body',
    'NUMBER',
    integer(1024, 1_073_741_824),
    'Maximum size of a request body or of an entry of a Bundle, without attachments; a larger one is answered 413',
    {
      default: '1048576',
      unit: 'bytes',
    },
  ),
  setting(
    'max-bundle',
    'NUMBER',
    integer(1024, 1_073_741_824),
    'Maximum size of a batch or transaction, with its attachments; a larger one is answered 413',
    {
      default: '134217728',
      unit: 'bytes',
    },
  ),
  setting(
    'max-bundle-entries',
    'NUMBER',
    integer(1, 1_000_000),
    'Maximum number of entries of a batch or transaction; more are answered 400 `too-costly`',
    {
      default: '50000',
    },
  ),
  setting(
    'max-requests',
    'NUMBER',
    integer(1, 100_000),
    'Maximum number of concurrent requests, divided by `processes`; others are answered 503',
    {
      default: '256',
    },
  ),
  setting(
    'max-connections',
    'NUMBER',
    integer(1, 1_000_000),
    'Maximum number of open connections; one more replaces an idle one, or is closed',
    {
      default: '2000',
    },
  ),
  setting(
    'connections-per-address',
    'NUMBER',
    integer(1, 1_000_000),
    'Maximum number of open connections of one address; loopback and `trusted-proxies` have no limit',
    {
      defaultNote: 'a quarter of `max-connections`',
    },
  ),
  setting(
    'rate-limit-client',
    'NUMBER',
    integer(0, 100_000_000),
    'Reads of one client and user per minute, other requests by their cost; 0 for no limit; for each server, ' +
      'divided by `processes`; then 429',
    { default: '120000' },
  ),
  setting(
    'rate-limit-address',
    'NUMBER',
    integer(0, 100_000_000),
    'Requests of one address per minute; loopback and `trusted-proxies` have no limit; 0 for none; for each server, ' +
      'divided by `processes`; then 429',
    { default: '240000' },
  ),
  setting('header-timeout', 'NUMBER', seconds, 'Timeout for the head of a request', time('10')),
  setting('body-timeout', 'NUMBER', seconds, 'Timeout for a whole request', time('30')),
  setting('keep-alive', 'NUMBER', seconds, 'Idle timeout of a connection', time('65')),
  setting('search-deadline', 'NUMBER', seconds, 'Time limit of one search; then 403 `too-costly`', time('5')),
  setting('store-timeout', 'NUMBER', seconds, 'Timeout of a MongoDB server; then 503 `timeout`', time('10')),
  setting('shutdown-timeout', 'NUMBER', seconds, 'Time for running requests at a shutdown', time('20')),
  setting('compression', 'WHEN', choice('auto', 'on', 'off'), '`auto`, `on` or `off`; auto is off behind a proxy', {
    default: 'auto',
  }),
  setting('compression-threshold', 'NUMBER', integer(0, 1_073_741_824), 'Minimum size of a compressed answer', {
    default: '1024',
    unit: 'bytes',
  }),
  setting(
    'terminology-server',
    'URL',
    terminologyUrl,
    'FHIR terminology server for codes that loaded code systems do not decide: only codes and words of `$expand` are ' +
      'sent',
  ),
  setting('terminology-timeout', 'NUMBER', seconds, 'Timeout of that server', time('3')),
  setting(
    'handling',
    'HOW',
    choice('strict', 'lenient'),
    'Unknown search parameters: `strict` 400, `lenient` ignored',
    {
      default: 'strict',
    },
  ),
  setting(
    'audit-failure',
    'HOW',
    choice('refuse', 'open'),
    'While audit events cannot be stored: `refuse` answers 503, `open` continues',
    {
      default: 'refuse',
    },
  ),
  setting('audit-days', 'NUMBER', integer(1, 36_500), 'How long audit events are stored', {
    default: '400',
    unit: 'days',
  }),
  setting(
    'log',
    'LEVEL',
    choice('info', 'error', 'off'),
    '`info` one line per request, `error` faults and refused definitions only, `off`',
    {
      default: 'info',
    },
  ),
  setting(
    'log-format',
    'FORMAT',
    choice('auto', 'json', 'text'),
    '`json`, `text`, or `auto`: text on a terminal only',
    {
      default: 'auto',
    },
  ),
  setting('metrics-port', 'NUMBER', integer(0, 65_535), 'TCP port of `/metrics` for Prometheus; 0 takes a free one'),
  setting('metrics-host', 'ADDRESS', host, 'Address of that port, which has no access control', {
    default: '127.0.0.1',
  }),
  setting(
    'traces',
    'WHEN',
    choice('on', 'off'),
    '`on`: spans for an OpenTelemetry SDK that `node --import` registers',
    {
      default: 'off',
    },
  ),
  setting('debug', undefined, truth, 'Print the stack of an error', { default: 'false' }),
];

/** The flag and the variable that name the settings file; not a setting, since a file cannot name itself. */
export const fileFlag: Flag & { readonly variable: string } = {
  flag: 'config',
  variable: 'CRS_CONFIG',
  value: 'FILE',
  read: some,
  meaning: 'JSON file of settings: an object whose keys are the flags without the hyphens',
};

function setting(
  flag: string,
  value: string | undefined,
  read: (text: string) => unknown,
  meaning: string,
  more: Partial<Setting> = {},
): Setting {
  // Config's own names
  const field = flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()) as Setting['field'];
  return { flag, field, variable: `CRS_${flag.toUpperCase().replaceAll('-', '_')}`, value, read, meaning, ...more };
}

function time(text: string): { default: string; unit: string } {
  return { default: text, unit: 'seconds' };
}
