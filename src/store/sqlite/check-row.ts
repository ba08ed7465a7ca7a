import type { StoreFinding } from '../port/transfer.ts';
import { versionFinding } from '../record/version-fault.ts';
import { attempt } from './attempt.ts';
import { attachedTo } from './carried.ts';
import type { Database, Row } from './open.ts';
import { nameOf, type Places, type Table } from './places.ts';

/** The columns of a version that its check reads. */
export const checkedColumns: Readonly<Record<Table, string>> = {
  resources: 'rowid, t, id, version, last_updated, text, digest, ord',
  versions: 'rowid, t, id, version, last_updated, text, digest, NULL',
};

/** The finding about a version that differs from its digest; undefined if there is none. */
export function checkRow(
  database: Database,
  places: Places,
  table: Table,
  [rowid, t, id, version, lastUpdated, text, digest]: Row,
): StoreFinding | undefined {
  const found = (is: StoreFinding['is'], why: string): StoreFinding => ({
    is,
    ...nameOf(places, table, [t ?? null, id ?? null, version ?? null]),
    why,
  });
  const place = typeof t === 'number' ? places.get(t) : undefined;
  const isShaped =
    typeof id === 'string' &&
    typeof version === 'number' &&
    typeof lastUpdated === 'number' &&
    (text === null || typeof text === 'string') &&
    typeof digest === 'string';
  if (!isShaped) return found('altered', `row ${rowid} has values that no record has`);
  if (place === undefined) return found('altered', `row ${rowid} has an unknown type`);
  const attached = attempt(() => attachedTo(database, Number(t), id, version));
  if (attached.failed !== undefined) return found('unreadable', `its attachments: ${attached.failed}`);
  const kept = { type: place.type, id, version, lastUpdated, text: text ?? undefined, attachments: attached.value };
  const wrong = versionFinding(place.n, kept, digest);
  return wrong && found(wrong.is, wrong.why);
}
