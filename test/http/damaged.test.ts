import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readEvents } from '../../src/audit/read-events.ts';
import type { Log } from '../../src/observability/log.ts';
import { inXml } from '../support/in-xml.ts';
import { serve } from '../support/serve.ts';
import type { Served } from '../support/serve.ts';
import { list } from '../store/support/list.ts';
import { auditOf } from '../support/audit-of.ts';

const secret = 'Zyxwvut';
const observation = { resourceType: 'Observation', id: 'o', status: 'final', code: { text: 'x' } };
const texts = ['a', 'b', 'c', 'd'].map(id => ({
  resourceType: 'Patient',
  id,
  name: [{ family: secret }],
  active: true,
}));
const records = [...texts, { ...observation, subject: { reference: 'Patient/d' } }];
/** What becomes of the stored text of one record each; `d` stays as it is. */
const damages = {
  a: (text: string) => text.slice(0, text.indexOf(secret) + 3),
  b: (text: string) => text.replace('"family":"', '"family":'),
  c: (text: string) => text.replace('"name":[', '"name":[['),
  o: (text: string) => text.replace('"status"', '"stat\\u"'),
};

describe('a record whose stored text is damaged', () => {
  let served: Served;
  const faults: string[] = [];
  const log: Log = {
    requests: false,
    request: () => {},
    notice: () => {},
    refused: () => {},
    fault: error => faults.push(String(error)),
    fatal: text => faults.push(text),
  };
  beforeAll(async () => {
    served = await serve(records, [], log);
    const database = new DatabaseSync(served.store.slice('sqlite:'.length));
    for (const [id, damage] of Object.entries(damages)) {
      const [{ text } = { text: '' }] = database.prepare('SELECT text FROM resources WHERE id = ?').all(id);
      database.prepare('UPDATE resources SET text = ? WHERE id = ?').run(damage(String(text)), id);
    }
    database.close();
  });
  afterAll(() => served.close());

  it.each(['a', 'b', 'c'])('is 500 where a part of it is asked for, and nothing of it is in the log: %s', async id => {
    for (const part of ['_elements=name', '_summary=true', '_summary=text', '_summary=data']) {
      faults.length = 0;
      const { status, json } = await served.get(`/Patient/${id}?${part}`);
      expect([status, json.issue[0].code]).toEqual([500, 'exception']);
      // A server of several processes logs in another one.
      await expect.poll(() => faults).toEqual([expect.stringContaining('`verify` lists the damaged records')]);
      expect(faults.join()).not.toContain(secret.slice(0, 3));
    }
    expect((await served.get('/Patient/d?_summary=true')).status).toBe(200);
  });

  it('is 500 where it is laid out, and does not occupy the server forever', async () => {
    faults.length = 0;
    expect((await served.get('/Patient/a?_pretty=true')).status).toBe(500);
    await expect.poll(() => faults).toHaveLength(1);
  });

  it('is left out of a page of parts, which names it, and keeps none of the others back', async () => {
    faults.length = 0;
    const { status, json } = await served.get('/Patient?_elements=name&_sort=_id');
    expect(status).toBe(200);
    const [match, outcome, ...more] = json.entry;
    expect(more).toEqual([]);
    expect(match).toMatchObject({ resource: { id: 'd' }, search: { mode: 'match' } });
    expect(outcome.search).toEqual({ mode: 'outcome' });
    expect(outcome.resource.issue).toEqual(
      ['a', 'b', 'c'].map(id => ({
        severity: 'warning',
        code: 'incomplete',
        diagnostics: `\`Patient/${id}\` matches and is left out: its stored text is damaged.`,
      })),
    );
    await expect.poll(() => faults).toHaveLength(1);
  });

  it('is 500 as XML, and nothing of it is in the log', async () => {
    for (const path of ['/Observation/o', '/Patient/a', '/Patient/b', '/Patient/c']) {
      faults.length = 0;
      expect((await served.get(path, { Accept: 'application/fhir+xml' })).status).toBe(500);
      await expect.poll(() => faults).toEqual([expect.stringContaining('`verify` lists the damaged records')]);
      expect(faults.join()).not.toContain(secret.slice(0, 3));
    }
  });

  it.skipIf(inXml)('leaves an event with its reader', async () => {
    expect((await served.get('/Observation/o')).status).toBe(200);
    const shown = async () =>
      (await list(readEvents(auditOf(served.running.engine.store)))).filter(({ text }) =>
        text.includes('"reference":"Observation/o/_history/1"'),
      );
    await expect.poll(shown).not.toEqual([]);
  });
});
