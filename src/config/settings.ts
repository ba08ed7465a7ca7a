import type { IssuerSettings } from '../auth/token/settings.ts';
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
  seconds,
  some,
  storeUrl,
  terminologyUrl,
  truth,
  zone,
} from './values.ts';

/** All settings, read and checked. Times are in milliseconds, sizes in bytes. */
export interface Config {
  readonly port: number;
  readonly host: string;
  readonly store: string;
  readonly definitions: readonly string[];
  readonly capability: string | undefined;
  /** `open`: whoever reaches the port may do everything. */
  readonly access: 'token' | 'open';
  /** Whether apps get their tokens here; never with `access` open. */
  readonly authorizationServer: 'on' | 'off';
  /** File of the secret that encrypts what the authorization server signs with. */
  readonly keyFile: string | undefined;
  /** File of clients and users, beside those in the store. */
  readonly accounts: string | undefined;
  /** How long an access token of an app lives that acts for a user. */
  readonly appTokenLifetime: number;
  /** How long an access token of a backend system lives. */
  readonly backendTokenLifetime: number;
  readonly codeLifetime: number;
  /** How long a refresh token lives that nobody uses. */
  readonly refreshIdle: number;
  /** How long refresh tokens that follow from one consent live in all. */
  readonly refreshLifetime: number;
  readonly launchLifetime: number;
  /** Idle timeout of a session. */
  readonly sessionIdle: number;
  /** Longest session, however active. */
  readonly sessionLifetime: number;
  /** Origins of the sites that may show the pages in a frame. */
  readonly frameAncestors: readonly string[];
  /** Name of the product on pages; undefined for the one of the page's language. */
  readonly productName: string | undefined;
  /** File of an SVG or PNG image beside it. */
  readonly logo: string | undefined;
  /** No trailing slash; undefined where it follows from host and port: `publicUrlOf` gives it either way. */
  readonly publicUrl: string | undefined;
  /** IP addresses and CIDR blocks. */
  readonly trustedProxies: readonly string[];
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
  readonly partition: string | undefined;
  readonly zone: string;
  readonly maxUrl: number;
  readonly maxBody: number;
  /** Requests that are worked on at a time. */
  readonly maxRequests: number;
  /** Open connections. */
  readonly maxConnections: number;
  /** Open connections of one address; undefined for a quarter of `maxConnections`. */
  readonly connectionsPerAddress: number | undefined;
  readonly headerTimeout: number;
  readonly bodyTimeout: number;
  readonly keepAlive: number;
  readonly searchDeadline: number;
  readonly storeTimeout: number;
  readonly shutdownTimeout: number;
  /** `auto`: on, but off behind a trusted proxy. */
  readonly compression: 'auto' | 'on' | 'off';
  readonly compressionThreshold: number;
  /** `refuse`: nothing is answered while audit events cannot be kept. */
  readonly auditFailure: 'refuse' | 'open';
  /** How many days audit events are kept. */
  readonly auditDays: number;
  /** Base URL of a FHIR terminology server; undefined where nobody is asked. */
  readonly terminologyServer: string | undefined;
  /** Longest wait for one answer of it. */
  readonly terminologyTimeout: number;
  readonly handling: 'strict' | 'lenient';
  readonly log: 'info' | 'error' | 'off';
  readonly debug: boolean;
  /** Whose access tokens are accepted beside our own: in the settings file alone, under `issuers`. */
  readonly issuers: readonly IssuerSettings[];
}

/** A flag of the command line: how it is written, read and explained. */
export interface Flag {
  /** Without the two hyphens. */
  readonly flag: string;
  /** What stands for the value in the help text; undefined for a switch, which takes none. */
  readonly value: string | undefined;
  /** Text → value; throws an Error whose message goes on from "`--port` ". */
  readonly read: (text: string) => unknown;
  readonly repeats?: boolean;
  /** As it would be written; undefined for none. */
  readonly default?: string;
  /** What stands in the table where the default is not a fixed text. */
  readonly defaultNote?: string;
  readonly unit?: string;
  readonly meaning: string;
}

/** What flags give, by their names: what was given or is the default, read; a list for one that repeats. */
export type Given<Flags extends readonly Flag[]> = { readonly [F in Flags[number] as F['flag']]: GivenBy<F> };

type GivenBy<F extends Flag> = F extends { readonly repeats: true }
  ? readonly (ReturnType<F['read']> extends readonly (infer Item)[] ? Item : ReturnType<F['read']>)[]
  : F extends { readonly default: string }
    ? ReturnType<F['read']>
    : ReturnType<F['read']> | undefined;

/** A flag that is also an environment variable and a key of the settings file. */
export interface Setting extends Flag {
  readonly field: keyof Omit<Config, 'issuers'>;
  readonly variable: string;
}

/** Every setting there is. Parsing, `--help` and the table in config/README.md all come from this list. */
export const settings: readonly Setting[] = [
  setting('port', 'NUMBER', integer(0, 65_535), 'TCP port to listen on; 0 takes a free one', { default: '8080' }),
  setting('host', 'ADDRESS', host, 'Address to listen on; with `access` open only loopback', {
    default: '127.0.0.1',
  }),
  setting(
    'store',
    'URL',
    storeUrl,
    'Where records are kept: `sqlite:` and the path of a file, or `mongodb://…`; no password on a command line',
    {
      default: 'sqlite:./data/records.sqlite',
    },
  ),
  setting('definitions', 'PATH', some, 'A folder or a FHIR package (.tgz) of more definitions', { repeats: true }),
  setting('capability', 'DIR', some, 'Folder that replaces the shipped `capability/`'),
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
    'key-file',
    'FILE',
    some,
    'Secret that encrypts signing keys: at least 32 random characters, readable by its owner only',
  ),
  setting('accounts', 'FILE', some, 'JSON file of clients and users; read again on SIGHUP and when it changes'),
  setting('app-token-lifetime', 'NUMBER', seconds, 'How long an access token of an app lives', time('3600')),
  setting('backend-token-lifetime', 'NUMBER', seconds, 'How long one of a backend system lives', time('300')),
  setting('code-lifetime', 'NUMBER', seconds, 'How long an authorization code lives', time('60')),
  setting('refresh-idle', 'NUMBER', days, 'How long a refresh token lives unused', { default: '30', unit: 'days' }),
  setting('refresh-lifetime', 'NUMBER', days, 'How long one consent is refreshed in all', {
    default: '90',
    unit: 'days',
  }),
  setting('launch-lifetime', 'NUMBER', seconds, 'Lifetime of a single-use launch token', time('300')),
  setting('session-idle', 'NUMBER', seconds, 'Idle timeout of a session', time('900')),
  setting('session-lifetime', 'NUMBER', seconds, 'Longest session, however active', time('28800')),
  setting('frame-ancestors', 'ORIGINS', origins, 'Origins of sites that may show sign-in pages in a frame', {
    repeats: true,
  }),
  setting('product-name', 'TEXT', displayName, 'Name of the product on sign-in pages', {
    defaultNote: 'Clinical Records',
  }),
  setting('logo', 'FILE', some, 'SVG or PNG image beside the name of the product, up to 1 MB'),
  setting('public-url', 'URL', httpUrl, 'What absolute URLs begin with', { defaultNote: 'from host and port' }),
  setting('trusted-proxies', 'ADDRESSES', addresses, 'IP addresses and CIDR blocks whose X-Forwarded-For is believed', {
    repeats: true,
  }),
  setting('tls-cert', 'FILE', some, 'Certificate chain (PEM) for https; read again on SIGHUP'),
  setting('tls-key', 'FILE', some, 'Private key (PEM) for https; read again on SIGHUP'),
  setting('partition', 'ID', partitionId, 'The partition that a command works on'),
  setting('zone', 'NAME', zone, 'Time zone of a new partition, for times that name none', { default: 'UTC' }),
  setting('max-url', 'NUMBER', integer(1024, 65_536), 'Longest URL; a longer one is answered 414', {
    default: '16384',
    unit: 'bytes',
  }),
  setting(
    'max-body',
    'NUMBER',
    integer(1024, 1_073_741_824),
    'Largest request body, attachments aside; a larger one is answered 413',
    {
      default: '1048576',
      unit: 'bytes',
    },
  ),
  setting(
    'max-requests',
    'NUMBER',
    integer(1, 100_000),
    'Requests that are worked on at a time; others are answered 503',
    {
      default: '256',
    },
  ),
  setting(
    'max-connections',
    'NUMBER',
    integer(1, 1_000_000),
    'Open connections; one more takes the place of an idle one, or is closed',
    {
      default: '2000',
    },
  ),
  setting(
    'connections-per-address',
    'NUMBER',
    integer(1, 1_000_000),
    'Open connections of one address; loopback and `trusted-proxies` have no limit',
    {
      defaultNote: 'a quarter of `max-connections`',
    },
  ),
  setting('header-timeout', 'NUMBER', seconds, 'Time in which the head of a request must arrive', time('10')),
  setting('body-timeout', 'NUMBER', seconds, 'Time in which a whole request must arrive', time('30')),
  setting('keep-alive', 'NUMBER', seconds, 'How long an idle connection is kept open', time('65')),
  setting('search-deadline', 'NUMBER', seconds, 'Longest run of one search; past it 403 `too-costly`', time('5')),
  setting('store-timeout', 'NUMBER', seconds, 'Longest wait for a MongoDB server; past it 503 `timeout`', time('10')),
  setting('shutdown-timeout', 'NUMBER', seconds, 'How long running requests may finish at the end', time('10')),
  setting('compression', 'WHEN', choice('auto', 'on', 'off'), '`auto`, `on` or `off`; auto is off behind a proxy', {
    default: 'auto',
  }),
  setting('compression-threshold', 'NUMBER', integer(0, 1_073_741_824), 'Smallest answer that is compressed', {
    default: '1024',
    unit: 'bytes',
  }),
  setting(
    'terminology-server',
    'URL',
    terminologyUrl,
    'FHIR terminology server that is asked what loaded code systems leave open: codes are sent, nothing else',
  ),
  setting('terminology-timeout', 'NUMBER', seconds, 'Longest wait for an answer of that server', time('3')),
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
    'While audit events cannot be kept: `refuse` answers 503, `open` goes on',
    {
      default: 'refuse',
    },
  ),
  setting('audit-days', 'NUMBER', integer(1, 36_500), 'How long audit events are kept', {
    default: '400',
    unit: 'days',
  }),
  setting('log', 'LEVEL', choice('info', 'error', 'off'), '`info` one line a request, `error` faults only, `off`', {
    default: 'info',
  }),
  setting('debug', undefined, truth, 'Show where in the program an error arose', { default: 'false' }),
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
  const field = flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()) as Setting['field']; // Config's own names
  return { flag, field, variable: `CRS_${flag.toUpperCase().replaceAll('-', '_')}`, value, read, meaning, ...more };
}

function time(text: string): { default: string; unit: string } {
  return { default: text, unit: 'seconds' };
}
