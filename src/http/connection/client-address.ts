import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { networkOf } from '../../fetch/network-of.ts';

/** The client's address, for logs only. */
export type ClientAddress = (request: IncomingMessage) => string;

/**
 * The address of the connection; behind a trusted proxy the last one in X-Forwarded-For that is not a trusted proxy
 * itself, with or without a port. `trusted` has IP addresses and CIDR blocks.
 */
export function createClientAddress(trusted: readonly string[]): ClientAddress {
  const isTrusted = addressesIn(trusted);
  return request => {
    const direct = plain(request.socket.remoteAddress ?? '');
    const forwarded = request.headers['x-forwarded-for'];
    if (trusted.length === 0 || forwarded === undefined || !isTrusted(direct)) return direct;
    let client = direct;
    for (const item of String(forwarded).split(',').reverse()) {
      const address = plain(withoutPort(item.trim()));
      if (isIP(address) === 0) return client;
      client = address;
      if (!isTrusted(address)) return client;
    }
    return client;
  };
}

/** Some proxies add the port of the client: `203.0.113.7:50122`, `[2001:db8::7]:50122`. */
const withoutPort = (item: string): string =>
  /^\[([^\]]*)\](?::\d+)?$/.exec(item)?.[1] ?? /^([\d.]+):\d+$/.exec(item)?.[1] ?? item;

/** Whether an address is one of `blocks`: IP addresses and CIDR blocks. */
export function addressesIn(blocks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const item of blocks) {
    const [address = '', bits] = item.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return address => isIP(address) !== 0 && list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** IPv4-mapped IPv6 becomes IPv4; the zone of a link-local address is removed. */
export const plain = (address: string): string =>
  address.includes(':') || address.includes('%') ? address.replace(/^::ffff:/i, '').replace(/%.*$/, '') : address;

/** The share of an address in the limits; undefined if many clients may share the address. */
export type ShareOf = (address: string) => string | undefined;

/**
 * Each IPv4 address is a share, and each /64 of IPv6, which is one customer of a network. Loopback and trusted proxies
 * (IP addresses and CIDR blocks) have none: proxies forward the requests of all clients, and programs on this machine
 * could do worse.
 */
export function createShareOf(trusted: readonly string[]): ShareOf {
  const isShared = addressesIn(['127.0.0.0/8', '::1', ...trusted]);
  return address => {
    const own = plain(address);
    return isShared(own) ? undefined : networkOf(own);
  };
}
