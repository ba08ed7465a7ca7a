// What a reader cannot read fails for that request alone. https://sqlite.org/rescode.html#ioerr_read
import { closeSync, openSync, writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFaults, noFaults, unlessFaults } from '../support/faults/faults.ts';
import { type Clinic, codeOf, newClinic, type Response, start } from './support/clinic.ts';

let clinic: Clinic;
beforeEach(async () => (clinic = await newClinic(60)));
afterEach(() => clinic.remove());

const ids = Array.from({ length: 60 }, (_, at) => `p${at}`);

describe('a damaged page of records', () => {
  it('fails affected requests with 503, logged once each; serves others, and /readyz reports `degraded`', async () => {
    zeroOneLeaf(clinic.path);
    const server = await start(clinic);
    expect(await server.ready()).toBe('ok');
    const answers = new Map<string, Response>();
    for (const id of ids) answers.set(id, await server.get(`/Patient/${id}`));
    const failed = [...answers.values()].filter(({ status }) => status !== 200);
    expect(failed.length).toBeGreaterThan(1);
    expect(failed.length).toBeLessThan(20);
    for (const answer of failed) expect([answer.status, codeOf(answer)]).toEqual([503, 'exception']);
    for (const { requestId } of failed)
      expect(server.faults().filter(line => line.requestId === requestId)).toMatchObject([
        { error: expect.stringMatching(/could not be read\. The file is damaged \(SQLITE_CORRUPT.*Run `verify`/) },
      ]);
    expect(await server.ready()).toBe('degraded');
    const page = await server.get('/Patient?_count=50&_sort=_id');
    expect([page.status, codeOf(page)]).toEqual([503, 'exception']);
    expect((await server.get('/Patient/p0?_elements=id')).status).toBe(answers.get('p0')?.status);
    expect((await server.create('after')).status).toBe(201);
    expect(await server.stop()).toBe(0);
  });
});

describe.skipIf(noFaults !== undefined)(`an I/O error of a read${unlessFaults}`, () => {
  it('fails the requests that meet it, and the same requests work when the disk is well', async () => {
    const faults = createFaults(clinic.folder);
    const server = await start(clinic, faults.env);
    faults.set({ operation: 'read', error: 'EIO', path: 'records.sqlite$' });
    const failed = await server.get('/Patient/p30');
    expect([failed.status, codeOf(failed)]).toEqual([503, 'exception']);
    faults.set();
    expect(await server.ready()).toBe('degraded');
    for (const id of ids) expect((await server.get(`/Patient/${id}`)).status).toBe(200);
    expect(await server.stop()).toBe(0);
  });

  it('of the WAL fails searches, and they work when the disk is well', async () => {
    const faults = createFaults(clinic.folder);
    const server = await start(clinic, faults.env);
    faults.set({ operation: 'write', error: 'EIO', path: 'records.sqlite$' }); // the WAL is not moved into the file
    expect((await server.create('in the WAL')).status).toBe(201);
    faults.set(
      { operation: 'write', error: 'EIO', path: 'records.sqlite$' },
      { operation: 'read', error: 'EIO', path: 'records.sqlite-wal$' },
    );
    const failed = await server.get('/Patient?_count=50');
    expect([failed.status, codeOf(failed)]).toEqual([503, 'exception']);
    faults.set();
    for (const id of ids) expect((await server.get(`/Patient/${id}`)).status).toBe(200);
    expect((await server.get('/Patient?_count=50')).status).toBe(200);
    expect((await server.create('later')).status).toBe(201);
    expect(await server.stop()).toBe(0);
  });
});

/** Overwrites a leaf page of the table of records with zeros. */
function zeroOneLeaf(path: string): void {
  const database = new DatabaseSync(path);
  const pages = database
    .prepare(`SELECT pageno FROM dbstat WHERE name = 'resources' AND pagetype = 'leaf' ORDER BY pageno`)
    .all();
  database.close();
  const size = 8192;
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(size), 0, size, (Number(pages[2]?.['pageno']) - 1) * size);
  closeSync(file);
}
