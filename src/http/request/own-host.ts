import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import { isLoopback } from '../../config/values.ts';
import { fhirError } from '../../fhir/error.ts';

/**
 * Whether a `Host` names this machine: `localhost`, a loopback address or one of `names`, with any port, or none. A web
 * page can let its own name lead to 127.0.0.1 (DNS rebinding), but not one of these: browsers send the name.
 */
export function isOwnHost(host: string, names: readonly string[]): boolean {
  const name = nameOf(host);
  return name === '' || isLoopback(name) || name.endsWith('.localhost') || names.some(own => nameOf(own) === name);
}

/**
 * For a server with open access, which only this machine reaches: rejects requests whose Host is neither this machine
 * nor that of the public URL (421): a web page would be of the same origin as the records otherwise.
 * https://www.rfc-editor.org/rfc/rfc9110#section-15.5.20
 */
export function requireOwnHost(publicUrl: string): (request: Pick<IncomingMessage, 'headers'>) => void {
  const own = new URL(publicUrl).host;
  return ({ headers }) => {
    const { host = '' } = headers;
    if (host === own || isOwnHost(host, [own])) return;
    throw fhirError(
      421,
      'forbidden',
      `Access is open, so that only this machine may be named: \`Host\` is \`${host}\`. Use \`localhost\`, ` +
        'or the host of `public-url`.',
      'http.Host',
    );
  };
}

/**
 * The host without its port and the dot of a complete name, as `isLoopback` takes it: IPv6 addresses in short form.
 * https://www.rfc-editor.org/rfc/rfc5952
 */
function nameOf(host: string): string {
  const name = host.replace(/:\d*$/, '').toLowerCase();
  const address = /^\[(.*)\]$/.exec(name)?.[1];
  if (address === undefined) return name.replace(/\.$/, '');
  return isIPv6(address) ? new URL(`http://${name}`).hostname.slice(1, -1) : address;
}
