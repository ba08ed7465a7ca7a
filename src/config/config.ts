import type { IssuerSettings } from '../auth/token/settings.ts';

/** All settings, parsed and checked. Times are in milliseconds, sizes in bytes. */
export interface Config {
  readonly port: number;
  readonly host: string;
  /** Number of processes that answer requests; with more than one, a further process is their parent. */
  readonly processes: number;
  /** `r4`: the interface that is generated from the definitions of R4, instead of the shipped one. */
  readonly interface: 'shipped' | 'r4';
  readonly store: string;
  readonly definitions: readonly string[];
  readonly capability: string | undefined;
  /** Whether the definitions are reloaded when their files change. */
  readonly requireStore: boolean;
  readonly watch: boolean;
  /** `open`: every client that can connect to the port may do everything. */
  readonly access: 'token' | 'open';
  /** Whether this service issues tokens to apps; never with `access` open. */
  readonly authorizationServer: 'on' | 'off';
  /** Whether browsers get pages. */
  readonly explorer: 'on' | 'off';
  /** File of the secret that encrypts the signing keys. */
  readonly keyFile: string | undefined;
  /** File of clients and users, in addition to those in the store. */
  readonly accounts: string | undefined;
  /** Lifetime of an access token of an app that acts for a user. */
  readonly appTokenLifetime: number;
  /** Lifetime of an access token of a backend service. */
  readonly backendTokenLifetime: number;
  readonly codeLifetime: number;
  /** Idle lifetime of a refresh token. */
  readonly refreshIdle: number;
  /** Total lifetime of the refresh tokens of one consent. */
  readonly refreshLifetime: number;
  readonly launchLifetime: number;
  /** Idle timeout of a session. */
  readonly sessionIdle: number;
  /** Maximum lifetime of a session, however active. */
  readonly sessionLifetime: number;
  /** Origins of the sites that may frame the pages. */
  readonly frameAncestors: readonly string[];
  /** Name of the product on pages; undefined for the default in the page's language. */
  readonly productName: string | undefined;
  /** File of an SVG or PNG image beside it. */
  readonly logo: string | undefined;
  /** No trailing slash; undefined if it follows from host and port: `publicUrlOf` returns it in both cases. */
  readonly publicUrl: string | undefined;
  /** IP addresses and CIDR blocks. */
  readonly trustedProxies: readonly string[];
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
  readonly partition: string | undefined;
  readonly zone: string;
  readonly maxUrl: number;
  readonly maxBody: number;
  /** Maximum size of a batch or transaction, with its attachments. */
  readonly maxBundle: number;
  /** Maximum number of its entries. */
  readonly maxBundleEntries: number;
  /** Maximum number of concurrent requests. */
  readonly maxRequests: number;
  /** Maximum number of open connections. */
  readonly maxConnections: number;
  /** Maximum number of open connections of one address; undefined for a quarter of `maxConnections`. */
  readonly connectionsPerAddress: number | undefined;
  /** Tokens of one client and user per minute; 0 for no limit. */
  readonly rateLimitClient: number;
  /** Requests of one address per minute; 0 for no limit. */
  readonly rateLimitAddress: number;
  /** The folder for the files of exports; undefined: beside the store. */
  readonly exportFolder: string | undefined;
  readonly exportKeep: number;
  /** Unfinished exports of one client. */
  readonly exportJobs: number;
  /** Space that exports leave free on their disk. */
  readonly exportFree: number;
  readonly headerTimeout: number;
  readonly bodyTimeout: number;
  readonly keepAlive: number;
  readonly searchDeadline: number;
  readonly storeTimeout: number;
  readonly shutdownTimeout: number;
  /** `auto`: on, except behind a trusted proxy. */
  readonly compression: 'auto' | 'on' | 'off';
  readonly compressionThreshold: number;
  /** `refuse`: requests are rejected while audit events cannot be stored. */
  readonly auditFailure: 'refuse' | 'open';
  /** How many days audit events are stored. */
  readonly auditDays: number;
  /** Base URL of a FHIR terminology server; undefined for none. */
  readonly terminologyServer: string | undefined;
  /** Timeout of one of its answers. */
  readonly terminologyTimeout: number;
  readonly handling: 'strict' | 'lenient';
  readonly log: 'info' | 'error' | 'off';
  /** `auto`: text on a terminal, JSON elsewhere. */
  readonly logFormat: 'auto' | 'json' | 'text';
  /** Undefined: no metrics are measured. */
  readonly metricsPort: number | undefined;
  readonly metricsHost: string;
  /** `on`: spans for the OpenTelemetry SDK that the operator has registered. */
  readonly traces: 'on' | 'off';
  readonly debug: boolean;
  /** Issuers whose access tokens are accepted in addition to our own: in the settings file only, under `issuers`. */
  readonly issuers: readonly IssuerSettings[];
}
