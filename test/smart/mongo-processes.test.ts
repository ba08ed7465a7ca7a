import { expect, it } from 'vitest';
import { authorizeRate } from '../../src/smart/provider/authorize-rate.ts';
import { newMongoPlace } from '../support/mongodb/place.ts';
import { contractOfProcesses } from './contract-processes.ts';
import { Browser } from './support/browser.ts';
import { authorizeUrl, pkce } from './support/flow.ts';
import { authorizing } from './support/server.ts';

contractOfProcesses(() => newMongoPlace());

it('the servers of a database count the authorization requests of a network together', async () => {
  const server = await authorizing({ second: true, place: () => newMongoPlace() });
  try {
    const url = authorizeUrl(server, pkce().challenge);
    const began = performance.now();
    const statuses: number[] = [];
    for (let round = 0; round < 40; round++) {
      const asked = server.ports.flatMap(port => Array.from({ length: 10 }, () => port));
      const ask = async (port: number) => (await new Browser(server.running.url, port).request('GET', url)).status;
      statuses.push(...(await Promise.all(asked.map(ask))));
    }
    const { capacity, perSecond } = authorizeRate;
    const filled = Math.ceil(((performance.now() - began) / 1_000) * perSecond);
    const begun = statuses.filter(status => status === 303).length;
    expect(begun + statuses.filter(status => status === 429).length).toBe(statuses.length);
    expect(begun).toBeGreaterThanOrEqual(capacity - capacity / 16);
    expect(begun).toBeLessThanOrEqual(capacity + capacity / 16 + filled);
  } finally {
    await server.close();
  }
});
