import { describe, expect, it } from 'vitest';
import { isAllowed, isLoopbackHost } from '../../src/fetch/addresses.ts';
import type { AllowedAddresses } from '../../src/fetch/addresses.ts';

describe('addresses that an issuer may be reached at', () => {
  const all: readonly AllowedAddresses[] = ['public', 'loopback', 'private'];
  it.each<[address: string, allowed: readonly AllowedAddresses[]]>([
    ['93.184.216.34', all],
    ['2606:2800:220:1::1', all],
    ['::ffff:93.184.216.34', all],
    ['172.15.255.255', all],
    ['127.0.0.1', ['loopback', 'private']],
    ['127.255.255.254', ['loopback', 'private']],
    ['::1', ['loopback', 'private']],
    ['::ffff:127.0.0.1', ['loopback', 'private']],
    ['::ffff:7f00:1', ['loopback', 'private']],
    ['10.1.2.3', ['private']],
    ['172.16.0.1', ['private']],
    ['192.168.1.4', ['private']],
    ['::ffff:192.168.1.4', ['private']],
    ['100.64.0.1', ['private']],
    ['fd12:3456::1', ['private']],
    ['169.254.169.254', []],
    ['::ffff:169.254.169.254', []],
    ['fd00:ec2::254', []],
    ['fe80::1', []],
    ['fe80::1%eth0', []],
    ['0.0.0.0', []],
    ['::', []],
    ['224.0.0.1', []],
    ['255.255.255.255', []],
    ['ff02::1', []],
    ['2002:7f00:1::', []],
    ['64:ff9b::7f00:1', []],
    ['2001:db8::1', []],
    ['localhost', []],
    ['', []],
  ])('%s: %j', (address, allowed) => {
    expect(all.filter(range => isAllowed(address, range))).toEqual(allowed);
  });

  it('know this machine by the host of a URL', () => {
    for (const host of ['localhost', '127.0.0.1', '127.1.2.3', '[::1]']) expect(isLoopbackHost(host)).toBe(true);
    for (const host of ['localhost.example', '128.0.0.1', '[::2]', '10.0.0.1'])
      expect(isLoopbackHost(host)).toBe(false);
  });
});
