import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readEvents } from '../../src/audit/read-events.ts';
import type { AuditEntry } from '../../src/store/audit/line.ts';
import { Browser } from './support/browser.ts';
import { authorizing, password } from './support/server.ts';
import type { Authorizing } from './support/server.ts';
import { auditOf } from '../support/audit-of.ts';

let server: Authorizing;
beforeAll(async () => {
  server = await authorizing();
});
afterAll(() => server.close());

/** The events that `fits` takes, once there are so many. */
async function events(count: number, fits: (text: string) => boolean): Promise<readonly AuditEntry[]> {
  for (let tries = 0; ; tries++) {
    const found: AuditEntry[] = [];
    for await (const entry of readEvents(auditOf(server.store), {})) if (fits(entry.text)) found.push(entry);
    if (found.length >= count || tries > 100) return found;
    await sleep(50);
  }
}

describe('the audit', () => {
  it('has who signed in and out and who failed to, from where, and nothing of what was typed', async () => {
    const browser = new Browser(server.running.url);
    const signIn = async (fields: Record<string, string>) =>
      browser.submit(await browser.open(`${server.running.url}/auth/sign-in`), '/sign-in', fields);
    await signIn({ user: 'clinician', password: 'wrong password' });
    await signIn({ user: 'typed password', password: 'of nobody' });
    await signIn({ user: 'clinician', password });
    const page = await browser.open(`${server.running.url}/auth/sign-out`);
    await browser.submit(page, '/sign-out', { from: 'here' });

    const found = await events(3, text => /"code":"11012[23]"/.test(text));
    const recorded = found.map(({ text }) => {
      const { type, subtype, outcome, agent } = JSON.parse(text);
      return [type.code, subtype[0].code, outcome, agent[0].who.identifier.value, agent[0].network.address];
    });
    expect(recorded).toEqual([
      ['110114', '110122', '4', 'clinician', '127.0.0.1'],
      ['110114', '110122', '0', 'clinician', '127.0.0.1'],
      ['110114', '110123', '0', 'clinician', '127.0.0.1'],
    ]);
    const counted = await events(1, text => text.includes('HTTP status 401'));
    expect(counted).toHaveLength(1); // the unknown user
    const all = await events(0, () => true);
    for (const { text } of all)
      for (const typed of ['wrong password', 'typed password', 'of nobody', password])
        expect(text).not.toContain(typed);
  });
});
