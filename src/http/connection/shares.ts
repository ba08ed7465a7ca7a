import { isLoopback } from '../../config/values.ts';
import { networkOf } from '../../fetch/network-of.ts';
import { addressesIn, plain } from './client-address.ts';

/** The share of an address in the limits; undefined if many clients may share the address. */
export type ShareOf = (address: string) => string | undefined;

/**
 * Each IPv4 address is a share, and each /64 of IPv6, which is one customer of a network. Loopback and trusted proxies
 * (IP addresses and CIDR blocks) have none: proxies forward the requests of all clients, and programs on this machine
 * could do worse.
 */
export function createShareOf(trusted: readonly string[]): ShareOf {
  const isProxy = addressesIn(trusted);
  return address => {
    const own = plain(address);
    return isLoopback(own) || isProxy(own) ? undefined : networkOf(own);
  };
}
