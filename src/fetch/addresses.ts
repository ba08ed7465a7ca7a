import { BlockList, isIP } from 'node:net';

/**
 * The addresses at which another server may be: public ones, those of a private network too, or those of this machine
 * too.
 */
export type AllowedAddresses = 'public' | 'private' | 'loopback';

/**
 * Whether a connection to an IP address is allowed, so that a document of another server cannot cause requests to
 * internal servers. Link-local addresses, which clouds use for metadata, never are.
 * https://www.iana.org/assignments/iana-ipv4-special-registry,
 * https://www.iana.org/assignments/iana-ipv6-special-registry
 */
export function isAllowed(address: string, range: AllowedAddresses): boolean {
  const plain = address.replace(/%.*$/, '');
  const family = isIP(plain) === 6 ? 'ipv6' : 'ipv4';
  if (isIP(plain) === 0 || never.check(plain, family)) return false;
  if (inner.check(plain, family)) return range === 'private' || (range === 'loopback' && loopback.check(plain, family));
  return family === 'ipv4' || mapped.check(plain, family) || global.check(plain, family);
}

/** Whether the host of a URL is this machine, by its spelling only. */
export function isLoopbackHost(hostname: string): boolean {
  const plain = hostname.replace(/^\[|\]$/g, '');
  return plain === 'localhost' || (isIP(plain) !== 0 && loopback.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4'));
}

const loopback = list(['127.0.0.0/8', '::1/128']);

/** Networks of an organisation, and this machine. */
const inner = list([
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  'fc00::/7',
  '127.0.0.0/8',
  '::1/128',
]);

/**
 * Addresses that are never valid targets: link-local, documentation, multicast, and IPv6 with an embedded IPv4 address.
 */
const never = list([
  '0.0.0.0/8',
  '169.254.0.0/16',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  'fd00:ec2::/32',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
]);

/** IPv4-mapped IPv6 addresses, to which the lists above apply too. */
const mapped = list(['::ffff:0:0/96']);
const global = list(['2000::/3']);

function list(blocks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const block of blocks) {
    const [network = '', bits] = block.split('/');
    list.addSubnet(network, Number(bits), isIP(network) === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
}
