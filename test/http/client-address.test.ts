import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createClientAddress } from '../../src/http/connection/client-address.ts';

const request = (remoteAddress: string, forwarded?: string): IncomingMessage =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage;

describe('client address', () => {
  it.each([
    ['no proxy is trusted', [], '10.0.0.1', '1.2.3.4', '10.0.0.1'],
    ['the connection is not from a trusted proxy', ['10.0.0.0/8'], '9.9.9.9', '1.2.3.4', '9.9.9.9'],
    ['a trusted proxy names it', ['10.0.0.0/8'], '10.0.0.1', '1.2.3.4', '1.2.3.4'],
    ['what a client adds itself is not believed', ['10.0.0.0/8'], '10.0.0.1', '6.6.6.6, 1.2.3.4', '1.2.3.4'],
    ['two trusted proxies', ['10.0.0.0/8'], '10.0.0.1', '6.6.6.6, 1.2.3.4, 10.0.0.2', '1.2.3.4'],
    ['only proxies', ['10.0.0.1', '10.0.0.2'], '10.0.0.1', '10.0.0.2', '10.0.0.2'],
    ['no header', ['10.0.0.1'], '10.0.0.1', undefined, '10.0.0.1'],
    ['IPv4 within IPv6', ['10.0.0.1'], '::ffff:10.0.0.1', '1.2.3.4', '1.2.3.4'],
    ['IPv6', ['fd00::/8'], 'fd00::1', '2001:db8::1', '2001:db8::1'],
    ['a zone', ['fe80::/10'], 'fe80::1%eth0', 'fe80::2%eth0, 1.2.3.4', '1.2.3.4'],
    ['an address with a port', ['10.0.0.1'], '10.0.0.1', '6.6.6.6, 1.2.3.4:50122', '1.2.3.4'],
    ['IPv6 in brackets', ['10.0.0.1'], '10.0.0.1', '6.6.6.6, [2001:db8::1]', '2001:db8::1'],
    ['IPv6 with a port', ['10.0.0.0/8'], '10.0.0.1', '[2001:db8::1]:50122, 10.0.0.2:80', '2001:db8::1'],
    ['a port without an address', ['10.0.0.1'], '10.0.0.1', '1.2.3.4, :80', '10.0.0.1'],
    ['not an address', ['10.0.0.1'], '10.0.0.1', '1.2.3.4, unknown', '10.0.0.1'],
  ])('%s', (_why, trusted, direct, forwarded, expected) => {
    expect(createClientAddress(trusted)(request(direct, forwarded))).toBe(expected);
  });
});
