import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { splitForStamp } from '../../src/fhir/resource-text.ts';
import { open, publicUrl } from '../support/filled-store.ts';
import { inOneProcess } from './one-process.ts';
import type { Ended } from './process.ts';
import { appendEvents } from '../support/audit-of.ts';

const run = inOneProcess();
const folder = mkdtempSync(join(tmpdir(), 'audit-'));
const url = `sqlite:${join(folder, 'records.sqlite')}`;
const events = join(folder, 'records.sqlite.audit');
const cli = (...words: string[]): Promise<Ended> => run([...words, '--store', url, '--public-url', publicUrl]);
/** What `audit list` prints, in fields. */
const list = async (...flags: string[]): Promise<string[][]> =>
  (await cli('audit', 'list', ...flags)).stdout
    .split('\n')
    .slice(0, -1)
    .map(line => line.split('\t'));
const picture = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

beforeAll(async () => {
  await cli('partition', 'add', 'demo');
  const file = join(folder, 'records.ndjson');
  writeFileSync(
    file,
    ['p1', 'p2'].map(id => `{"resourceType":"Patient","id":"${id}","name":[{"family":"Tremblay"}]}\n`).join(''),
  );
  await cli('load', file);
  const media = {
    resourceType: 'Media',
    id: 'm1',
    status: 'completed',
    subject: { reference: 'Patient/p1' },
    content: { contentType: 'image/gif', data: picture.toString('base64') },
  };
  writeFileSync(file, `${JSON.stringify(media)}\n`);
  await cli('load', file);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('commands', () => {
  it('leave an event before and one after, with the user of the operating system', async () => {
    const loads = await list();
    expect(loads.map(fields => fields.slice(1))).toEqual([
      ...['begun', '0', 'begun', '0'].map(outcome => ['demo', 'load', outcome, '-', userInfo().username, '-', '-']),
      ['-', 'audit-list', 'begun', '-', userInfo().username, '-', '-'],
    ]);
    const { stdout } = await cli('audit', 'export');
    const [, loaded] = stdout.split('\n').slice(0, -1).map(line => JSON.parse(line)); // prettier-ignore
    expect(loaded).toMatchObject({
      resourceType: 'AuditEvent',
      type: { code: '110107' },
      action: 'C',
      outcome: '0',
      agent: [{ altId: userInfo().username, network: { address: hostname(), type: '1' } }],
      source: { observer: { display: `${publicUrl}/r4/demo` } },
    });
    expect(loaded.entity[0].detail).toContainEqual({ type: 'created', valueString: '2' });
  });

  it.each<[string, string[], (fields: string[]) => boolean]>([
    [
      'token',
      ['token', '--client', 'phone', '--patient', 'p2', '--scope', 'patient/Patient.r', '--i-am-operator'],
      fields => fields[4] === 'phone' && fields[6] === 'p2',
    ],
    [
      'attachment-export',
      ['attachment', 'export', '--type', 'Media', '--patient', 'p1', '--out', join(folder, 'out')],
      fields => fields[6] === 'p1' && fields[7] === 'Media/m1/_history/1',
    ],
    ['delete', ['delete', 'Media/m1'], fields => fields[6] === 'p1' && fields[7] === 'Media/m1'],
    ['migrate', ['migrate', '--from', url, '--to', `sqlite:${join(folder, 'copy.sqlite')}`], () => true],
  ])('%s says whom it was about', async (name, words, isRight) => {
    const { code, stderr } = name === 'migrate' ? await run(words) : await cli(...words);
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    const found = (await list()).filter(fields => fields[2] === name);
    expect(found.map(fields => fields[3])).toEqual(['begun', '0']);
    expect(found.at(-1)).toSatisfy(isRight);
  });

  it('record in the copy too that it was copied, and copy no events', async () => {
    const at = ['--store', `sqlite:${join(folder, 'copy.sqlite')}`];
    const { stdout } = await run(['audit', 'list', ...at]);
    expect(stdout.split('\n').map(line => line.split('\t')[2])).toEqual([
      'migrate',
      'migrate',
      'audit-list',
      undefined,
    ]);
  });

  it('hold no token', async () => {
    const made = await cli('token', '--client', 'phone', '--scope', 'system/Patient.rs', '--i-am-operator');
    expect(made.stdout).toMatch(/^crs_/);
    for (const name of readdirSync(events))
      expect(readFileSync(join(events, name), 'utf8')).not.toContain(made.stdout.trim());
  });
});

describe('audit list and export', () => {
  it('take filters', async () => {
    expect((await list('--client', 'phone')).every(fields => fields[2] === 'token')).toBe(true);
    const about = (await list('--patient', 'p1')).map(fields => fields[2]);
    expect(about).toEqual(expect.arrayContaining(['attachment-export', 'delete', 'audit-list']));
    expect(about).not.toContain('token');
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    expect(await list('--since', tomorrow)).toEqual([]);
    expect((await list('--until', tomorrow)).length).toBeGreaterThan(10);
    expect(await list('--partition', 'other')).toHaveLength(1); // the listing itself
  });

  it('list one line an event, whatever clients and users are called', async () => {
    const odd = 'a\t-\n2026\u001b[2J\u2028\ud800';
    const store = await open(url);
    const who = { identifier: { value: odd } };
    const text = JSON.stringify({ resourceType: 'AuditEvent', id: 'odd', agent: [{ who, requestor: true }] });
    await appendEvents(store, [{ recorded: Date.now(), partition: 'odd', client: odd, patients: [], text }]);
    await store.close();
    const name = 'a\ufffd-\ufffd2026\ufffd[2J\ufffd\ufffd';
    expect(await list('--partition', 'odd')).toContainEqual([
      expect.any(String),
      'odd',
      'refused',
      'begun',
      name,
      name,
      '-',
      '-',
    ]);
  });

  it('refuse what is no time', async () => {
    const { code, stderr } = await cli('audit', 'list', '--since', 'yesterday');
    expect([code, stderr]).toEqual([2, expect.stringContaining('`--since` is `yesterday`, but must be a day such as')]);
  });

  it('export into a new file, once', async () => {
    const out = join(folder, 'events.ndjson');
    expect((await cli('audit', 'export', '--out', out)).stdout).toMatch(/^\d+ events? written to /);
    for (const line of readFileSync(out, 'utf8').split('\n').slice(0, -1))
      expect(JSON.parse(line).resourceType).toBe('AuditEvent');
    expect((await cli('audit', 'export', '--out', out)).code).toBe(1);
  });
});

describe('verify', () => {
  it('reports a write that was begun and not completed, and no completed one', async () => {
    const before = await cli('verify');
    expect([before.code, before.stdout]).toEqual([
      0,
      expect.stringContaining('Audit log: 0 findings, 0 writes without an outcome'),
    ]);
    const store = await open(url, 'serve');
    const { createRequestEvents } = await import('../../src/audit/request-event.ts');
    const { model } = await (await import('../../src/engine/definitions/load-model.ts')).loadModel({ definitions: [] });
    const demo = await store.partition('demo');
    if (model === undefined || demo === undefined) throw new Error('not there');
    const made = createRequestEvents(
      model,
      () => [],
      publicUrl,
      () => Date.now() - 3_600_000,
    );
    // A client may give all its requests the same id.
    const request = {
      requestId: 'same',
      access: 'open',
      partition: demo,
      method: 'POST',
      interaction: 'create',
      address: '',
    } as const;
    const begun = (at: number, id: string, key?: string) =>
      made.begun({ ...request, requestKey: at }, { type: 'Media', id, text: '{}', key });
    const ended = (at: number) =>
      made.answered({ ...request, requestKey: at }, { status: 201, records: [] }, Date.now());
    for (const id of ['done', 'another'])
      await demo.write([{ kind: 'put', type: 'Media', id, text: splitForStamp('{"resourceType":"Media"}', id) }]);
    const last = begun(5, 'p1');
    await appendEvents(store, [
      begun(1, 'lost'),
      begun(2, 'done'),
      ended(2),
      begun(3, 'repeated', 'k'),
      begun(4, 'another', 'k'),
      ended(4),
      { ...last, text: last.text.replace('Media/p1', 'Patient/p1') },
    ]);
    await store.close();
    const { code, stdout } = await cli('verify');
    expect(code).toBe(0);
    expect(stdout.match(/^demo\tunwritten\t.*$/gm)).toEqual([expect.stringMatching(/\t-\tMedia\/lost$/)]);
  });

  it('reports an event that was altered, with exit code 3', async () => {
    const [name = ''] = readdirSync(events);
    const text = readFileSync(join(events, name), 'utf8');
    writeFileSync(join(events, name), text.replace(userInfo().username, 'nobody'));
    const { code, stdout } = await cli('verify');
    expect([code, stdout]).toEqual([3, expect.stringContaining(`audit\taltered\t${name.replace('.ndjson', '')}\t1`)]);
    writeFileSync(join(events, name), text);
  });
});

describe('audit prune', () => {
  it('drops what is old, and leaves an event of that', async () => {
    const store = await open(url);
    const early = Date.now() - 500 * 86_400_000;
    const old = await import('../../src/audit/log/log.ts');
    const { auditFiles } = await import('../../src/store/files/audit.ts');
    const log = new old.ChainedLog(auditFiles(url.slice(7)), () => early);
    await log.append([{ recorded: early, partition: 'demo', client: undefined, patients: [], text: '{}' }]);
    await log.close();
    await store.close();
    const kept = (await list()).length;
    expect((await cli('audit', 'prune')).stdout).toMatch(/^1 event before \d{4}-\d\d-\d\d deleted\.\n$/);
    expect((await cli('verify')).code).toBe(0);
    const now = await list();
    expect(now.length).toBeGreaterThan(kept - 1);
    expect(now.filter(fields => fields[2] === 'audit-prune')).toHaveLength(2);
    expect(now.every(fields => (fields[0] ?? '') > '2026')).toBe(true);
  });
});

it('a partition is removed with an event that stays', async () => {
  await cli('partition', 'add', 'other');
  expect((await cli('partition', 'remove', 'other', '--yes')).code).toBe(0);
  const found = (await list('--partition', 'other')).filter(fields => fields[2] === 'partition-remove');
  expect(found.map(fields => fields[3])).toEqual(['begun', '0']);
});

it('nothing is done where events cannot be kept', async () => {
  const blocked = join(folder, 'blocked.sqlite');
  const at = ['--store', `sqlite:${blocked}`];
  await run(['partition', 'add', 'demo', ...at]);
  writeFileSync(`${blocked}.audit`, 'a file where the folder would be');
  const { code, stderr } = await run(['partition', 'remove', 'demo', '--yes', ...at]);
  expect([code, stderr]).toEqual([1, expect.stringContaining('The audit log cannot be written; nothing was done')]);
  expect((await run(['partition', 'list', ...at])).stdout).toContain('demo');
});
