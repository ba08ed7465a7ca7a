import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { splitForStamp } from '../../src/fhir/resource-text.ts';
import { requireModel } from '../../src/load-model.ts';
import type { Model } from '../../src/model/model.ts';
import type { Change, Partition } from '../../src/store/store.ts';
import type { Place } from './support/fixture.ts';
import { list } from './support/list.ts';
import { openClinic, shippedModel } from './support/shipped.ts';

/** What decides how codes are indexed beside the parameter itself: every store builds the index again where it changes. */
export function meaningContract(newPlace: () => Promise<Place>): void {
  it('a code system whose case counts from now on has its codes indexed anew', async () => {
    const place = await newPlace();
    onTestFinished(() => place.remove());
    const first = await openClinic(place.url, await shippedModel());
    await first.clinic.write([observation('a', 'AB')]);
    await first.clinic.write([observation('b', 'ab')]);
    expect(await find(first.clinic, await shippedModel(), 'ab')).toEqual(['a', 'b']);
    await first.store.close();

    const model = await withCodes({ url: 'urn:own', caseSensitive: true });
    const command = await openClinic(place.url, model, { mode: 'command' });
    await command.clinic.write([observation('c', 'ab')]);
    expect((await command.clinic.pending('Observation')).map(({ param }) => param)).toContain('code');
    await list(command.store.indexes.rebuild('clinic', 'Observation'));
    expect(await find(command.clinic, model, 'ab')).toEqual(['b', 'c']);
    expect(await find(command.clinic, model, 'AB')).toEqual(['a']);
    expect((await list(command.store.indexes.verify('clinic'))).flatMap(step => step.findings)).toEqual([]);
    await command.store.close();
  });
}

async function find(clinic: Partition, model: Model, code: string): Promise<readonly string[]> {
  const param = model.types.get('Observation')?.indexed.get('code');
  if (param === undefined) throw new Error('The parameter is not there');
  const query = { kind: 'param', param, test: { kind: 'token', system: 'urn:own', code } } as const;
  const page = await clinic.search('Observation', { query, sort: [{ by: 'default', descending: true }], limit: 10 });
  return page.versions.map(({ id }) => id).toSorted();
}

function observation(id: string, code: string): Change {
  const resource = {
    resourceType: 'Observation',
    id,
    status: 'final',
    code: { coding: [{ system: 'urn:own', code }] },
    subject: { reference: 'Patient/p1' },
  };
  return { kind: 'put', type: 'Observation', id, text: splitForStamp(JSON.stringify(resource), id) };
}

/** The shipped definitions with one CodeSystem more. */
async function withCodes(about: object): Promise<Model> {
  const folder = mkdtempSync(join(tmpdir(), 'meaning-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  mkdirSync(join(folder, 'profiles'));
  const resource = { resourceType: 'CodeSystem', status: 'active', content: 'not-present', ...about };
  writeFileSync(join(folder, 'profiles', 'codes.json'), JSON.stringify(resource));
  return (await requireModel({ definitions: [folder] })).model;
}
