import { createExtract } from '../../src/indexing/extract.ts';
import { loadModel } from './loaded-once.ts';
import { splitForStamp } from '../../src/fhir/resource-text.ts';
import { openStore } from '../../src/store/open.ts';
import { keepPublicUrl } from '../../src/store/server/documents.ts';
import type { Attached } from '../../src/store/port/blobs.ts';
import type { Change } from '../../src/store/port/records.ts';
import type { KeptVersion, Note } from '../../src/store/port/transfer.ts';
import type { Partition } from '../../src/store/port/partitions.ts';
import type { Store } from '../../src/store/port/store.ts';

/** Definitions that declare one type more than the shipped ones. */
export const moreDefinitions = new URL('../fixtures/two-more-types', import.meta.url).pathname;
export const publicUrl = 'http://filled.example';

/** Opens a store as the server at `publicUrl` would, or to read. */
export async function open(url: string, mode: 'serve' | 'read' = 'read'): Promise<Store> {
  const { model, problems } = await loadModel({ definitions: [moreDefinitions] });
  if (model === undefined) throw new Error(JSON.stringify(problems));
  const extract = createExtract(model);
  return openStore(url, { model, extract, now: Date.now, mode, deadline: 20_000 });
}

/**
 * Fills a store with all that one may hold: two partitions, many patients, older versions, deletions, attachments (one
 * of them twice), a type that the shipped definitions do not declare, references to itself, documents, marks and keys.
 */
export async function fillStore(url: string, patients: number): Promise<void> {
  const store = await open(url, 'serve');
  await keepPublicUrl(store, publicUrl);
  await store.documents('things').put('one', { é: [1, 1.5, null] });
  await store.documents('things').put('two', 'text', { expires: Date.now() + 86_400_000 });
  await store.partitions.add('clinic', { zone: 'America/Toronto' });
  await store.partitions.add('empty', { zone: 'UTC' });
  await store.partitions.add('other', { zone: 'UTC' });
  const [clinic, other] = [await partitionOf(store, 'clinic'), await partitionOf(store, 'other')];
  for (let at = 0; at < patients; at += 500)
    await clinic.write(
      Array.from({ length: Math.min(500, patients - at) }, (_, index) => patient(at + index)),
      { unit: 'each' },
    );
  await clinic.write([patient(0, 'second'), patient(1, 'second'), { kind: 'remove', type: 'Patient', id: 'p2' }]);
  await clinic.write([patient(0, 'third "é\\u0000" 😀')]);
  await clinic.write([{ kind: 'remove', type: 'Patient', id: 'p1' }, patient(2, 'again')]);
  await other.write([patient(0, 'of another partition')]);
  await clinic.write([put({ resourceType: 'Location', id: 'known', name: 'Known' })]);
  await other.write([put({ resourceType: 'Location', id: 'gone' })]);
  await other.write([{ kind: 'remove', type: 'Location', id: 'gone' }]);
  const [small, large] = [await picture(clinic, 5_000), await picture(clinic, 3_000_000)];
  await clinic.write([media('one', [small]), media('two', [small]), media('three', [large])]);
  await clinic.write([media('one', [large, small], 'changed')], { mark: { key: 'load:file', value: '7 3' } });
  await clinic.write([{ kind: 'remove', type: 'Media', id: 'two' }]);
  await clinic.write([encounter], { key: { key: 'asked', body: 'body', expires: Date.now() + 86_400_000 } });
  await store.close();
}

const encounter = put({
  resourceType: 'Encounter',
  id: 'e',
  status: 'finished',
  class: { code: 'AMB' },
  subject: { reference: `${publicUrl}/r4/clinic/Patient/p0` },
});

function put(resource: { readonly resourceType: string; readonly id: string; readonly [more: string]: unknown }) {
  const { resourceType: type, id } = resource;
  return { kind: 'put', type, id, text: splitForStamp(JSON.stringify(resource), id) } as const;
}

function patient(number: number, family = 'first'): Change {
  return put({ resourceType: 'Patient', id: `p${number}`, name: [{ family, given: [`No. ${number}`] }] });
}

function media(id: string, attachments: readonly Attached[], note = 'first'): Change {
  const content = { contentType: 'image/jpeg', title: note };
  return { ...put({ resourceType: 'Media', id, status: 'completed', content }), attachments };
}

async function picture(partition: Partition, size: number): Promise<Attached> {
  const kept = await partition.putAttachment(Buffer.alloc(size, 'picture'));
  return { path: 'Media.content', contentType: 'image/jpeg', ...kept };
}

export async function partitionOf(store: Store, id: string): Promise<Partition> {
  const partition = await store.partition(id);
  if (partition === undefined) throw new Error(`There is no partition ${id}`);
  return partition;
}

/** Everything that a store keeps, but for bytes and the marks of migrations. */
export async function everything(url: string): Promise<unknown> {
  const store = await open(url);
  const versions: KeptVersion[] = [];
  const partitions = await store.partitions.list();
  for (const { id } of partitions) {
    const partition = await partitionOf(store, id);
    for await (const version of partition.export()) versions.push(version);
  }
  const notes: Note[] = [];
  for await (const note of store.export()) if (note.kind !== 'mark' || note.mark.key !== 'migrate') notes.push(note);
  await store.close();
  const settings = partitions.map(({ id, settings: { zone } }) => ({ id, zone }));
  return { settings, versions, notes: notes.map(note => JSON.stringify(note)).toSorted() };
}
