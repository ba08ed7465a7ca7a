import { describe, expect, it } from 'vitest';
import { createShareOf } from '../../src/http/connection/client-address.ts';

describe('the share of an address', () => {
  it.each([
    ['an IPv4 address', '203.0.113.7', '203.0.113.7'],
    ['IPv4 within IPv6 is the same', '::ffff:203.0.113.7', '203.0.113.7'],
    ['an IPv6 address takes from that of its /64', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['another one of the same /64', '2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['a link-local address with its zone', 'fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['loopback has none', '127.0.0.1', undefined],
    ['nor has any of its addresses', '127.1.2.3', undefined],
    ['nor that within IPv6', '::ffff:127.0.0.1', undefined],
    ['nor that of IPv6', '::1', undefined],
    ['a trusted proxy has none', '10.0.0.9', undefined],
    ['nor a block of them', 'fd00::12', undefined],
  ])('%s', (_what, address, share) => {
    expect(createShareOf(['10.0.0.9', 'fd00::/8'])(address)).toBe(share);
  });
});
