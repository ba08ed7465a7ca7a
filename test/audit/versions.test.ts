// The events of interactions on versions: https://hl7.org/fhir/R4/auditevent.html
import type { AuditEvent } from 'fhir/r4.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compareWrites } from '../../src/audit/compare-writes.ts';
import { readEvents } from '../../src/audit/read-events.ts';
import { auditOf } from '../support/audit-of.ts';
import { communication, noted, serveVersioned } from '../support/versioned.ts';
import type { VersionedServer } from '../support/versioned.ts';

let server: VersionedServer;
beforeAll(async () => {
  server = await serveVersioned();
});
afterAll(() => server.close());

it('update, patch, delete, vread and history have an event each, and writes one before', async () => {
  const ofPatient = server.authorized('patient/Communication.cruds', { patient: 'p1' });
  await server.put('/Communication/a', communication('a', noted('one')));
  await server.put('/Communication/a', communication('a', noted('two')));
  await server.put('/Communication/a', communication('a', noted('two')), { 'If-Match': 'W/"1"' });
  await server.get('/Communication/a/_history/1');
  await server.get('/Communication/a/_history');
  await server.get('/Communication/_history?_count=1');
  await server.get('/_history?_count=1', ofPatient);
  await server.patch('/Communication/a', [{ op: 'replace', path: '/note/0/text', value: 'three' }]);
  await server.patch('/Communication/a', [{ op: 'test', path: '/note/0/text', value: 'one' }]);
  await server.delete('/Communication/a');
  const { store } = server.running.engine;
  const log = auditOf(store);
  const events: AuditEvent[] = [];
  const until = Date.now() + 5_000;
  while (events.length < 14 && Date.now() < until) {
    events.length = 0;
    for await (const { text } of readEvents(log)) events.push(JSON.parse(text) as AuditEvent);
  }
  const printed = events.map(({ action, subtype, outcome, entity = [] }) => {
    const named = entity.flatMap(({ what }) => what?.reference ?? []);
    return `${action} ${subtype?.[0]?.code} ${outcome ?? 'begun'}: ${named.join(' ')}`;
  });
  const patientOf = (...records: string[]) => ['Patient/p1', ...records.map(one => `Communication/a${one}`)].join(' ');
  // The first event of a write does not wait for others.
  const wanted = [
    `U update begun: ${patientOf('')}`,
    `U update 0: ${patientOf('/_history/1')}`,
    `U update begun: ${patientOf('')}`,
    `U update 0: ${patientOf('/_history/2')}`,
    'U update 4: Communication/a',
    `R vread 0: ${patientOf('/_history/1')}`,
    `R history-instance 0: ${patientOf('/_history/2', '/_history/1')}`,
    `R history-type 0: ${patientOf('/_history/2')}`,
    `R history-system 0: ${patientOf('/_history/2')}`,
    `U patch begun: ${patientOf('')}`,
    `U patch 0: ${patientOf('/_history/3')}`,
    'U patch 4: Communication/a',
    `D delete begun: ${patientOf('')}`,
    `D delete 0: ${patientOf('/_history/4')}`,
  ];
  expect(printed.toSorted()).toEqual(wanted.toSorted());
  expect(await compareWrites(log, store, {})).toEqual({ lost: [], more: new Map(), unfinished: [] });
});
