import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadModel } from '../../src/engine/definitions/load-model.ts';
import { typeInteractions } from '../../src/fhir/interaction.ts';
import { servedInteractions } from '../../src/model/interactions.ts';
import { readOfficialSearchParameters } from '../../src/model/type-definitions.ts';
import { allR4 } from '../support/make-all-r4.ts';

const fixtures = join(import.meta.dirname, '../fixtures');

describe('all of R4', () => {
  it('is declared by the fixture as it is made', async () => {
    const committed = readFileSync(join(fixtures, 'all-r4/capability/all-r4.json'), 'utf8');
    expect(JSON.parse(committed)).toEqual(JSON.parse(JSON.stringify(await allR4())));
  });

  it('compiles, with every official parameter that has an expression', async () => {
    const { model, problems, warnings, notices } = await loadModel({
      definitions: [],
      capability: join(fixtures, 'all-r4/capability'),
    });
    expect([problems, warnings, notices]).toEqual([[], [], []]);
    const types = [...(model?.types.values() ?? [])];
    expect(types).toHaveLength(146);
    const used = new Set(
      types.flatMap(({ parameters }) => [...parameters.values()].map(({ url }) => url.replace(/\|.*/, ''))),
    );
    const official = readOfficialSearchParameters().filter(({ expression }) => expression !== undefined);
    expect(official.map(({ url }) => url).filter(url => !used.has(String(url)))).toEqual([]);
    expect(types.every(({ smartScopes }) => smartScopes.includes('system/*.cruds'))).toBe(true);
    const served = typeInteractions.filter(code => servedInteractions.some(one => one === code));
    for (const { interactions } of types) expect([...interactions].toSorted()).toEqual(served.toSorted());
  });

  it('gives composites their components, with the types that these yield', async () => {
    const { model } = await loadModel({ definitions: [], capability: join(fixtures, 'all-r4/capability') });
    const param = model?.types.get('Observation')?.parameters.get('combo-code-value-quantity');
    expect(param?.expression).toBe('Observation | Observation.component');
    expect(
      param?.components.map(({ expression, param: { type, dataTypes } }) => [expression, type, [...dataTypes]]),
    ).toEqual([
      ['code', 'token', ['CodeableConcept']],
      ['value.as(Quantity)', 'quantity', ['Quantity']],
    ]);
  });

  it('exchanges the expressions of two components that R4 has exchanged', async () => {
    const { model } = await loadModel({ definitions: [], capability: join(fixtures, 'all-r4/capability') });
    const param = model?.types.get('DocumentReference')?.parameters.get('relationship');
    expect(param?.components.map(({ expression, param: { code, type } }) => [code, type, expression])).toEqual([
      ['relatesto', 'reference', 'target'],
      ['relation', 'token', 'code'],
    ]);
  });
});

describe('more types', () => {
  it('come by JSON alone', async () => {
    const { model, problems, notices } = await loadModel({ definitions: [join(fixtures, 'two-more-types')] });
    expect([problems, notices]).toEqual([[], []]);
    expect([...(model?.types.keys() ?? [])]).toHaveLength(10);
    const practitioner = model?.types.get('Practitioner');
    expect(practitioner?.parameters.get('qualified-since')).toMatchObject({
      type: 'date',
      expression: 'Practitioner.qualification.period',
    });
    expect([...(practitioner?.parameters.keys() ?? [])].slice(0, 2)).toEqual(['_id', '_lastUpdated']);
    expect(practitioner?.smartScopes).toContain('fhirUser');
    expect(model?.types.get('Location')?.pageSize).toEqual({ default: 20, max: 100 });
  });

  it('come in three files', async () => {
    const { model, problems, notices } = await loadModel({ definitions: [join(fixtures, 'ninth-type')] });
    expect([problems, notices]).toEqual([[], []]);
    expect(model?.types.get('Practitioner')?.parameters.get('license')?.dataTypes).toEqual(new Set(['Identifier']));
  });
});
