import type { Config } from './settings.ts';
import { isLoopback, isLoopbackUrl } from './values.ts';

/** Whether the authorization server is there: nobody needs its tokens where access is open. */
export const hasAuthorizationServer = (config: Config): boolean =>
  config.access === 'token' && config.authorizationServer === 'on';

/** Whether only this machine reaches the service, as far as the settings say. */
export const isLocal = ({ host, publicUrl }: Pick<Config, 'host' | 'publicUrl'>): boolean =>
  isLoopback(host) && (publicUrl === undefined || isLoopbackUrl(publicUrl));

/**
 * Why a server with these settings must not start: one whole sentence each, with what mends it; none where it may. `demo` is
 * whether it has the clients and users of the demonstration, whose passwords everybody knows.
 */
export function startRefusals(config: Config, demo: boolean): readonly string[] {
  const refusals: string[] = [];
  if (config.access === 'open') return isLoopback(config.host) ? [] : [openElsewhere(config.host)];
  const { host, publicUrl, tlsCert, trustedProxies } = config;
  const behindProxy = publicUrl?.startsWith('https:') === true && trustedProxies.length > 0;
  if (!isLoopback(host) && tlsCert === undefined && !behindProxy) refusals.push(plainHttp(host));
  if (!hasAuthorizationServer(config)) return refusals;
  if (publicUrl?.startsWith('http:') === true && !isLoopbackUrl(publicUrl)) refusals.push(plainUrl(publicUrl));
  if (demo && !isLocal(config)) refusals.push(demoElsewhere);
  if (config.keyFile === undefined && !demo) refusals.push(noKeyFile);
  return refusals;
}

/** What whoever starts a server with these settings should know, though it may start. */
export function startNotices(config: Config): readonly string[] {
  const { publicUrl, tlsCert, trustedProxies } = config;
  const behindProxy = publicUrl?.startsWith('https:') === true && tlsCert === undefined && !isLoopbackUrl(publicUrl);
  return behindProxy && trustedProxies.length === 0 && hasAuthorizationServer(config) ? [oneAddress] : [];
}

const oneAddress =
  'A proxy speaks https, but `trusted-proxies` does not name it: all who sign in count as one address, so that failures of some make others wait.';

/** Whoever reached the port would read everything. */
export const openElsewhere = (host: string): string =>
  `\`access\` is \`open\`, so that nobody is asked for a token: then the service listens on loopback only (127.0.0.1, ::1 or localhost), not on \`${host}\`.`;

/** Everybody knows the passwords. */
export const demoElsewhere =
  'Clients and users of the demonstration are for this machine alone: let `host` and `public-url` be on loopback (127.0.0.1, ::1 or localhost), or serve another store without `--demo`.';

const plainHttp = (host: string): string =>
  `On \`${host}\` others could read tokens and records that go by plain http: give \`tls-cert\` and \`tls-key\`; or, behind a proxy that speaks https, an https \`public-url\` and the addresses of the proxy as \`trusted-proxies\`; or listen on loopback (127.0.0.1).`;

const plainUrl = (publicUrl: string): string =>
  `\`public-url\` is \`${publicUrl}\`, so that passwords and codes would go by plain http: it must be an https URL, or one on loopback; or \`authorization-server\` is \`off\`.`;

const noKeyFile =
  'The authorization server needs a secret that encrypts its signing keys: `(umask 077; openssl rand -base64 32 > crs.key)` makes one, `--key-file crs.key` names it. Or `--authorization-server off` does without: tokens then come from the command `token` and from `issuers`.';
