import { fileURLToPath } from 'node:url';
import { splitForStamp } from '../../../src/fhir/resource-text.ts';
import { createExtract } from '../../../src/indexing/extract.ts';
import { loadModel } from '../../support/loaded-once.ts';
import type { Model } from '../../../src/model/model.ts';
import type { Query } from '../../../src/search/ast.ts';
import { openStore } from '../../../src/store/open.ts';
import type { Attached } from '../../../src/store/port/blobs.ts';
import type { Change } from '../../../src/store/port/records.ts';
import type { Partition } from '../../../src/store/port/partitions.ts';
import type { Store, StoreOptions } from '../../../src/store/port/store.ts';

/** The shipped definitions. */
export async function shippedModel(): Promise<Model> {
  const { model, problems } = await loadModel({ definitions: [] });
  if (model === undefined) throw new Error(JSON.stringify(problems));
  return model;
}

/** All of R4: every type with every parameter. */
export async function modelOfR4(): Promise<Model> {
  const capability = fileURLToPath(new URL('../../fixtures/all-r4/capability', import.meta.url));
  const { model, problems } = await loadModel({ definitions: [], capability });
  if (model === undefined) throw new Error(JSON.stringify(problems));
  return model;
}

/** Opens a store with the shipped definitions and a partition `clinic`. */
export async function openClinic(
  url: string,
  model: Model,
  { mode = 'serve', now = Date.now, notice = () => {} }: Partial<StoreOptions> = {},
  open = openStore,
): Promise<{ store: Store; clinic: Partition }> {
  const extract = createExtract(model);
  const store = await open(url, { model, extract, now, mode, deadline: 20_000, notice });
  if (mode !== 'read') await store.partitions.add('clinic', { zone: 'America/Toronto' });
  const clinic = await store.partition('clinic');
  if (clinic === undefined) throw new Error('The partition is not there');
  return { store, clinic };
}

type Put = Extract<Change, { kind: 'put' }>;

/** A picture of a patient, with an identifier that distinguishes it. */
export function picture(id: string, identifier: string, more: Partial<Put> = {}, patient = 'p1'): Put {
  const resource = {
    resourceType: 'Media',
    id,
    identifier: [{ value: identifier }],
    status: 'completed',
    subject: { reference: `Patient/${patient}` },
    content: { contentType: 'image/jpeg' },
  };
  return { kind: 'put', type: 'Media', id, text: splitForStamp(JSON.stringify(resource), id), ...more };
}

export function person(id: string, identifier: string, more: Partial<Put> = {}): Put {
  const resource = { resourceType: 'Patient', id, identifier: [{ system: 'urn:card', value: identifier }] };
  return { kind: 'put', type: 'Patient', id, text: splitForStamp(JSON.stringify(resource), id), ...more };
}

/** Patients with this identifier. */
export function withIdentifier(model: Model, identifier: string): Query {
  const param = model.types.get('Patient')?.indexed.get('identifier');
  if (param === undefined) throw new Error('The parameter is not there');
  return { kind: 'param', param, test: { kind: 'token', system: 'urn:card', code: identifier } };
}

/** Keeps bytes and says how a picture carries them. */
export async function kept(partition: Partition, bytes: Uint8Array): Promise<Attached> {
  return { path: 'Media.content', contentType: 'image/jpeg', ...(await partition.putAttachment(bytes)) };
}
