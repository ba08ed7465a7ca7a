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
    const table = versionsTable(history, 'newest', { language, texts: textsOf(language), record }).text;
    expect(shownText(table).replaceAll(/[\u00a0\u202f]/g, ' ')).toBe(expected);
    const links = [...table.matchAll(/href="([^"]*)"/g)].map(([, href]) => href);
    expect(links).toEqual([2, 1].map(version => `/r4/demo/Patient/p1/_history/${version}`));
  });

  it('names the records of a history of several, also of a deleted one', () => {
    const entry = [
      { request: { method: 'DELETE', url: 'Patient/p2' }, response: { etag: 'W/"2"' } },
      ...history.entry.slice(1),
    ];
    const view = { language: 'en', texts: textsOf('en'), record } as const;
    const table = versionsTable({ entry }, 'several', view).text;
    expect(shownText(table)).toMatch(
      /^Record Version Change Changed Patient\/p2 2 Deleted unknown Patient\/p1 2 Updated/,
    );
    expect(table).toContain('<a href="/r4/demo/Patient/p2">');
  });

  it('marks no current version on a later page', () => {
    const view = { language: 'en', texts: textsOf('en'), record } as const;
    expect(versionsTable(history, 'older', view).text).not.toContain('current');
  });
});
