import type { Config } from './config.ts';
import { isLoopback, isLoopbackUrl } from './values.ts';

/** Whether the authorization server runs: with open access no client needs its tokens. */
export const hasAuthorizationServer = (config: Config): boolean =>
  config.access === 'token' && config.authorizationServer === 'on';

/** Whether only this machine can connect to the service, according to the settings. */
export const isLocal = ({ host, publicUrl }: Pick<Config, 'host' | 'publicUrl'>): boolean =>
  isLoopback(host) && (publicUrl === undefined || isLoopbackUrl(publicUrl));

/**
 * Why a server with these settings must not start: one whole sentence each, with the remedy; empty if it may. `demo` is
 * whether it has the clients and users of the demonstration, whose passwords are public.
 */
export function startRefusals(config: Config, demo: boolean): readonly string[] {
  const refusals: string[] = [];
  if (config.access === 'open') return isLoopback(config.host) ? [] : [openBeyondLoopback(config.host)];
  const { host, publicUrl, tlsCert, trustedProxies } = config;
  const behindProxy = publicUrl?.startsWith('https:') === true && trustedProxies.length > 0;
  if (!isLoopback(host) && tlsCert === undefined && !behindProxy) refusals.push(plainHttp(host));
  if (!hasAuthorizationServer(config)) return refusals;
  if (publicUrl?.startsWith('http:') === true && !isLoopbackUrl(publicUrl)) refusals.push(plainUrl(publicUrl));
  if (demo && !isLocal(config)) refusals.push(demoBeyondLoopback);
  if (config.keyFile === undefined && !demo) refusals.push(noKeyFile);
  return refusals;
}

/** Notices for the operator of a server that may start. */
export function startNotices(config: Config): readonly string[] {
  const { publicUrl, tlsCert, trustedProxies } = config;
  const behindProxy = publicUrl?.startsWith('https:') === true && tlsCert === undefined && !isLoopbackUrl(publicUrl);
  return behindProxy && trustedProxies.length === 0 && hasAuthorizationServer(config) ? [oneAddress] : [];
}

const oneAddress =
  'A proxy speaks https, but `trusted-proxies` does not name it: all users share one address, so ' +
  'that failed sign-ins of some delay others.';

/** With open access every client that can connect may read everything. */
export const openBeyondLoopback = (host: string): string =>
  '`access` is `open`, which requires no token: then the service listens on loopback only ' +
  `(127.0.0.1, ::1 or localhost), not on \`${host}\`.`;

/** The passwords are public. */
export const demoBeyondLoopback =
  'Clients and users of the demonstration are for this machine only: set `host` and `public-url` ' +
  'to loopback (127.0.0.1, ::1 or localhost), or serve another store without `--demo`.';

const plainHttp = (host: string): string =>
  `On \`${host}\` others could read tokens and records in plain http: set \`tls-cert\` and ` +
  '`tls-key`; or, behind a proxy that speaks https, an https `public-url` and the addresses of the ' +
  'proxy as `trusted-proxies`; or listen on loopback (127.0.0.1).';

const plainUrl = (publicUrl: string): string =>
  `\`public-url\` is \`${publicUrl}\`, which would send passwords and codes over plain http: it ` +
  'must be an https URL, or one on loopback; or `authorization-server` is `off`.';

const noKeyFile =
  'The authorization server needs a secret that encrypts its signing keys: `(umask 077; openssl ' +
  'rand -base64 32 > crs.key)` generates one, and `--key-file crs.key` sets it. With ' +
  '`--authorization-server off` none is needed: tokens then come from the command `token` and from `issuers`.';
