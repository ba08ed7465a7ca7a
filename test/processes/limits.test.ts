// The limits of several processes: src/processes/README.md#limits.
import { describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../src/config/read.ts';
import { createLimits } from '../../src/engine/parts/limits.ts';
import { patient } from '../support/resources.ts';
import { serveSeveral } from './support/server.ts';

describe('the limits of one process', () => {
  const limitsOf = (processes: number, ...flags: string[]) =>
    createLimits(readConfig(['--processes', String(processes), ...flags]), () => 0);

  it('are those of the settings, where it is the only one', () => {
    const { mostRequests, ofClient, ofAddress, ofAuthorization } = limitsOf(1, '--rate-limit-client', '600');
    expect(mostRequests).toBe(256);
    expect(ofClient?.rate).toEqual({ perSecond: 10, capacity: 300 });
    expect(ofAddress?.rate).toEqual({ perSecond: 4_000, capacity: 120_000 });
    expect(ofAuthorization.rate).toEqual({ perSecond: 30, capacity: 300 });
  });

  it('are its share of them, where there are several', () => {
    const { mostRequests, ofClient, ofAddress, ofAuthorization } = limitsOf(3, '--rate-limit-client', '600');
    expect(mostRequests).toBe(85);
    expect(ofClient?.rate).toEqual({ perSecond: 10 / 3, capacity: 100 });
    expect(ofAddress?.rate).toEqual({ perSecond: 4_000 / 3, capacity: 40_000 });
    expect(ofAuthorization.rate).toEqual({ perSecond: 10, capacity: 100 });
  });

  it('let at least one request pass, and none of them limits with 0', () => {
    const { mostRequests, ofClient, ofAddress } = limitsOf(4, '--max-requests', '2', '--rate-limit-client', '2');
    expect([mostRequests, ofClient?.rate.capacity]).toEqual([1, 1]);
    expect(limitsOf(4, '--rate-limit-client', '0', '--rate-limit-address', '0').ofClient).toBeUndefined();
    expect(ofAddress).toBeDefined();
  });
});

it('two processes give an address together what the setting says', async () => {
  const flags = ['--trusted-proxies', '127.0.0.1', '--rate-limit-address', '40'];
  const server = await serveSeveral([patient('p1')], flags);
  onTestFinished(() => server.close());
  const statuses: number[][] = [];
  for (const client of [server.client(), server.client()]) {
    const own: number[] = [];
    for (let n = 0; n < 14; n++)
      own.push((await client.ask('GET', '/Patient/p1', undefined, { 'X-Forwarded-For': '203.0.113.1' })).status);
    statuses.push(own);
  }
  for (const own of statuses) {
    const passed = own.filter(status => status === 200).length;
    expect(own.filter(status => status === 429)).toHaveLength(14 - passed);
    expect(passed).toBeGreaterThanOrEqual(10); // half of its share of a minute at once
    expect(passed).toBeLessThanOrEqual(12); // one more in three seconds
  }
});
