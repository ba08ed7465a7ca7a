// https://hl7.org/fhir/R4/http.html#history
import { describe, expect, it } from 'vitest';
import { versionsTable } from '../../../src/explorer/record/versions.ts';
import { textsOf } from '../../../src/explorer/record/view.ts';
import { record, shownText } from '../support.ts';

const history = {
  resourceType: 'Bundle',
  entry: [
    { request: { method: 'DELETE' }, response: { etag: 'W/"3"', lastModified: '2026-03-01T10:00:00Z' } },
    {
      request: { method: 'PUT' },
      resource: {
        resourceType: 'Patient',
        id: 'p1',
        meta: { versionId: '2', lastUpdated: '2026-02-01T10:00:00.123Z' },
      },
    },
    { request: { method: 'POST' }, resource: { resourceType: 'Patient', id: 'p1', meta: { versionId: '1' } } },
  ],
};

describe('the table of versions', () => {
  it.each([
    [
      'en',
      'Version Change Changed 3 current Deleted March 1, 2026 at 10:00 (UTC) ' +
        '2 Updated February 1, 2026 at 10:00 (UTC) 1 Created unknown',
    ],
    [
      'fr',
      'Version Opération Modification 3 actuelle Suppression 1 mars 2026 à 10 h 00 (UTC) ' +
        '2 Mise à jour 1 février 2026 à 10 h 00 (UTC) 1 Création inconnue',
    ],
  ] as const)('has each version and its time, in %s', (language, expected) => {
    const table = versionsTable(history, { language, texts: textsOf(language), record }).text;
    expect(shownText(table).replaceAll(/[\u00a0\u202f]/g, ' ')).toBe(expected);
    const links = [...table.matchAll(/href="([^"]*)"/g)].map(([, href]) => href);
    expect(links).toEqual([2, 1].map(version => `/r4/demo/Patient/p1/_history/${version}`));
  });
});
