// https://hl7.org/fhir/R4/http.html#delete
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issuesOf } from '../support/media.ts';
import type { Answer } from '../support/serve.ts';
import { communication, everything, noted, serveVersioned } from '../support/versioned.ts';
import type { VersionedServer } from '../support/versioned.ts';

let server: VersionedServer;
beforeAll(async () => {
  server = await serveVersioned();
});
afterAll(() => server.close());

const put = (id: string, fields = {}) => server.put(`/Communication/${id}`, communication(id, fields));
const stateOf = ({ status, headers, text }: Answer): readonly unknown[] => [status, headers.etag, text];
const partOf = (id: string) => ({ partOf: [{ reference: `Communication/${id}` }] });

describe('a delete', () => {
  it('is answered 204, and the record 410 with the same ETag; its versions remain', async () => {
    await put('a', noted('one'));
    const read = await server.get('/Communication/a');
    expect(stateOf(await server.delete('/Communication/a'))).toEqual([204, 'W/"2"', '']);
    const gone = await server.get('/Communication/a');
    expect([gone.status, gone.headers.etag]).toEqual([410, 'W/"2"']);
    expect((await server.get('/Communication/a/_history/1')).text).toBe(read.text);
    expect((await server.get('/Communication?_id=a')).json.entry).toBeUndefined();
    expect((await server.get('/Communication/a/_history')).json.entry[0].request).toEqual({
      method: 'DELETE',
      url: 'Communication/a',
    });
  });

  it('may be repeated, and is not the deletion of what never existed', async () => {
    expect(stateOf(await server.delete('/Communication/a'))).toEqual([204, 'W/"2"', '']);
    expect(stateOf(await server.delete('/Communication/none'))).toEqual([204, undefined, '']);
    expect((await server.get('/Communication/none')).status).toBe(404);
    const said = async (id: string) =>
      (await server.delete(`/Communication/${id}`, { Prefer: 'return=OperationOutcome' })).json.issue[0].diagnostics;
    await put('said');
    expect(await said('said')).toBe('`Communication/said` was deleted.');
    expect(await said('said')).toBe('`Communication/said` does not exist, so nothing was deleted.');
  });

  it('is of the version that If-Match names', async () => {
    await put('m', noted('one'));
    await put('m', noted('two'));
    const of = (match: string) => server.delete('/Communication/m', { 'If-Match': match });
    const other = await of('W/"1"');
    expect([other.status, issuesOf(other)]).toEqual([412, ['conflict http."If-Match"']]);
    expect((await of('W/"2"')).status).toBe(204);
    expect((await of('W/"3"')).status).toBe(412);
    expect((await server.delete('/Communication/none', { 'If-Match': '*' })).status).toBe(412);
  });

  it('of one record, fifty at once, makes one version', async () => {
    await put('race');
    const answers = await Promise.all(Array.from({ length: 50 }, () => server.delete('/Communication/race')));
    expect(new Set(answers.map(({ status, headers }) => `${status} ${headers.etag}`))).toEqual(new Set(['204 W/"2"']));
    expect((await server.get('/Communication/race/_history')).json.entry).toHaveLength(2);
  });

  it('is declared: other types answer 405', async () => {
    const { status, headers } = await server.delete('/Observation/o');
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
  });
});

describe('a record to which others refer', () => {
  it('is not deleted, and the answer names them', async () => {
    await put('whole');
    await put('part-1', partOf('whole'));
    await put('part-2', { partOf: [{ reference: `${server.base}/Communication/whole` }] });
    const refused = await server.delete('/Communication/whole');
    expect([refused.status, issuesOf(refused)]).toEqual([409, ['conflict', 'conflict', 'conflict']]);
    const texts = (refused.json.issue as { diagnostics: string }[]).map(({ diagnostics }) => diagnostics);
    expect(texts).toEqual([
      '`Communication/whole` is not deleted, since these records refer to it, and possibly others. Change or delete ' +
        'them first.',
      '`Communication/part-1` refers to it.',
      '`Communication/part-2` refers to it.',
    ]);
    expect((await server.get('/Communication/whole')).status).toBe(200);
    await put('part-1');
    await server.delete('/Communication/part-2');
    expect((await server.delete('/Communication/whole')).status).toBe(204);
  });

  it('refers to itself without being kept by that', async () => {
    await put('self', partOf('self'));
    expect((await server.delete('/Communication/self')).status).toBe(204);
  });

  it('is not deleted either if the caller may not see them, which are not named', async () => {
    await put('hidden-whole');
    await put('hidden-part', { ...partOf('hidden-whole'), subject: { reference: 'Patient/p2' } });
    const headers = server.authorized('patient/Communication.cruds', { patient: 'p1' });
    const refused = await server.delete('/Communication/hidden-whole', headers);
    expect([refused.status, issuesOf(refused)]).toEqual([409, ['conflict']]);
    expect(refused.text).not.toContain('hidden-part');
  });

  it('is deleted if its type declares that', async () => {
    const group = { resourceType: 'Group', id: 'g', type: 'person', actual: true };
    expect((await server.put('/Group/g', group)).status).toBe(201);
    await put('of-group', { recipient: [{ reference: 'Group/g' }] });
    expect((await server.delete('/Group/g', { 'If-Match': 'W/"1"' })).status).toBe(204);
  });
});

describe('a delete by a caller with less than all scopes', () => {
  const ofPatient = (scope: string) => server.authorized(scope, { patient: 'p1' });

  it('needs the letter d, and deletes what the scope covers', async () => {
    await put('mine');
    for (const scope of ['patient/Communication.crus', 'system/Communication.crus'])
      expect((await server.delete('/Communication/mine', ofPatient(scope))).status).toBe(403);
    expect((await server.delete('/Communication/mine', ofPatient('patient/Communication.d'))).status).toBe(204);
    expect((await server.get('/Communication/mine')).status).toBe(410);
  });

  it('does nothing to a record that the caller may not see, as to one that does not exist', async () => {
    await put('other', { subject: { reference: 'Patient/p2' } });
    const headers = ofPatient('patient/Communication.cruds');
    const hidden = await server.delete('/Communication/other', headers);
    const none = await server.delete('/Communication/nowhere', headers);
    expect(stateOf(hidden)).toEqual(stateOf(none));
    expect((await server.delete('/Communication/other', { ...headers, 'If-Match': 'W/"1"' })).status).toBe(412);
    expect((await server.get('/Communication/other')).status).toBe(200);
  });

  it('is refused for a record that the caller may read alone', async () => {
    await put('read', { subject: { reference: 'Patient/p2' } });
    const headers = ofPatient('patient/Communication.cruds system/Communication.r');
    expect((await server.delete('/Communication/read', headers)).status).toBe(403);
  });
});

// https://hl7.org/fhir/R4/resource-operation-validate.html
describe('$validate with the mode delete', () => {
  const validate = (id: string, headers = {}) => server.get(`/${id}/$validate?mode=delete`, headers);
  const own = () => server.authorized(everything);
  const ofPatient = (scope: string) => server.authorized(scope, { patient: 'p1' });

  it('has the issues with which a DELETE is refused, and none if the record may be deleted', async () => {
    await put('checked');
    await put('checked-part', partOf('checked'));
    const refused = await server.delete('/Communication/checked');
    const answer = await validate('Communication/checked', own());
    expect([refused.status, answer.status]).toEqual([409, 200]);
    expect(answer.json.issue).toEqual(refused.json.issue);
    const free = await validate('Communication/checked-part', own());
    expect([free.status, free.json.issue[0].diagnostics]).toEqual([200, 'No issues.']);
    expect((await server.get('/Communication/checked-part')).status).toBe(200);
  });

  it('does not name referrers that the caller may not see', async () => {
    await put('covered');
    await put('covered-part', { ...partOf('covered'), subject: { reference: 'Patient/p2' } });
    const headers = ofPatient('patient/Communication.cruds');
    const refused = await server.delete('/Communication/covered', headers);
    const answer = await validate('Communication/covered', headers);
    expect([answer.status, issuesOf(answer)]).toEqual([200, ['conflict']]);
    expect(answer.json.issue).toEqual(refused.json.issue);
  });

  it('has the refusal of a record that the caller may read alone', async () => {
    await put('read-whole', { subject: { reference: 'Patient/p2' } });
    await put('read-part', partOf('read-whole'));
    const headers = ofPatient('patient/Communication.cruds system/Communication.r');
    const refused = await server.delete('/Communication/read-whole', headers);
    const answer = await validate('Communication/read-whole', headers);
    expect([refused.status, answer.status, answer.json.issue]).toEqual([403, 200, refused.json.issue]);
  });

  it('says nothing of referrers to a caller who may not delete', async () => {
    await put('kept');
    await put('kept-part', partOf('kept'));
    const answer = await validate('Communication/kept', server.authorized('system/Communication.r'));
    expect([answer.status, issuesOf(answer)]).toEqual([200, ['forbidden']]);
  });

  it('is answered 404 for a record that the caller may not see', async () => {
    await put('unseen', { subject: { reference: 'Patient/p2' } });
    await put('unseen-part', partOf('unseen'));
    const headers = ofPatient('patient/Communication.cruds');
    for (const id of ['unseen', 'nowhere']) expect((await validate(`Communication/${id}`, headers)).status).toBe(404);
  });

  it('does not check referrers if the type declares that they may stay', async () => {
    const group = { resourceType: 'Group', id: 'g2', type: 'person', actual: true };
    expect((await server.put('/Group/g2', group)).status).toBe(201);
    await put('of-group-2', { recipient: [{ reference: 'Group/g2' }] });
    const answer = await validate('Group/g2', own());
    expect([answer.status, answer.json.issue[0].diagnostics]).toEqual([200, 'No issues.']);
  });
});
