import { isLoopback } from '../config/values.ts';
import { networkOf } from '../fetch/network-of.ts';
import { addressesIn, plain } from './client-address.ts';

/** Whose share of the server an address takes from; undefined where many clients may be behind it. */
export type ShareOf = (address: string) => string | undefined;

/**
 * Each IPv4 address has a share, and each /64 of IPv6, which is one customer of a network. Loopback and trusted proxies (IP addresses
 * and CIDR blocks) have none: all that they pass on comes from them, and what runs on this machine could do worse.
 */
export function createShareOf(trusted: readonly string[]): ShareOf {
  const isProxy = addressesIn(trusted);
  return address => {
    const own = plain(address);
    return isLoopback(own) || isProxy(own) ? undefined : networkOf(own);
  };
}
