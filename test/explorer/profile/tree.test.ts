// https://hl7.org/fhir/R4/profiling.html#snapshot
import { beforeAll, describe, expect, it } from 'vitest';
import { treeOf } from '../../../src/explorer/profile/tree.ts';
import type { TreeRow } from '../../../src/explorer/profile/tree.ts';
import { treeTable } from '../../../src/explorer/profile/tree-table.ts';
import type { Model } from '../../../src/model/model.ts';
import { generateSnapshot } from '../../../src/model/snapshot/generate.ts';
import { openView, shownText } from '../support.ts';

const vitalSign = 'http://hl7.org/fhir/StructureDefinition/bp';

describe('the tree of a definition', () => {
  let model: Model;
  beforeAll(async () => {
    ({ model } = await openView());
  }, 60_000);

  const rowsOf = (canonical: string, view: 'snapshot' | 'differential' = 'differential'): readonly TreeRow[] => {
    const snapshot = model.snapshot(canonical);
    if (snapshot === undefined) throw new Error(`No ${canonical}`);
    return treeOf(snapshot, one => model.snapshot(one), view);
  };
  const row = (rows: readonly TreeRow[], id: string): TreeRow | undefined => rows.find(one => one.id === id);

  it('has the elements of a type with cardinality, types, binding and flags, and no base', () => {
    const rows = rowsOf('Patient', 'snapshot');
    expect(rows.map(({ id }) => id)).toEqual(model.snapshot('Patient')?.elements.map(({ id }) => id));
    expect(row(rows, 'Patient.gender')).toMatchObject({
      depth: 1,
      short: 'male | female | other | unknown',
      base: undefined,
      rules: [],
      element: {
        cardinality: '0..1',
        types: [{ code: 'code', profiles: [], targets: [] }],
        binding: { strength: 'required', valueSet: 'http://hl7.org/fhir/ValueSet/administrative-gender|4.0.1' },
        summary: true,
        modifier: false,
      },
    });
  });

  it('has slices, fixed values, and what the base has instead, also inside of data types', () => {
    const rows = rowsOf(vitalSign);
    expect(row(rows, 'Observation.component:SystolicBP')).toMatchObject({
      slice: 'SystolicBP',
      depth: 2,
      base: { cardinality: '0..*' },
    });
    expect(row(rows, 'Observation.component:SystolicBP.code.coding:SBPCode.code')).toMatchObject({
      element: { cardinality: '1..1', fixed: { kind: 'fixed', value: '"8480-6"' } },
      base: { cardinality: '0..1', fixed: undefined },
    });
    expect(row(rows, 'Observation.value[x]')?.base?.types?.length).toBe(11);
  });

  it('has only what differs from the base and what is above it, or all of it', () => {
    const ids = rowsOf(vitalSign).map(({ id }) => id);
    expect(ids[0]).toBe('Observation');
    expect(ids).not.toContain('Observation.note');
    for (const id of ids.slice(1)) expect(ids).toContain(id.replace(/(?::[^.:]*|\.[^.:]*)$/, ''));
    expect(rowsOf(vitalSign, 'snapshot').map(({ id }) => id)).toContain('Observation.note');
  });

  it('has nothing but the root for a profile that adds nothing', () => {
    const canonical = 'http://fhir.infoway-inforoute.ca/cacore/StructureDefinition/observation-ca-core';
    expect(rowsOf(canonical).map(({ id }) => id)).toEqual(['Observation']);
  });

  it('has new invariants and must-support, but not the invariants of every element', () => {
    const name = row(
      rowsOf('http://fhir.infoway-inforoute.ca/cacore/StructureDefinition/patient-ca-core'),
      'Patient.name',
    );
    expect(name?.rules.map(({ key }) => key)).toEqual(['ca-core-pat-1']);
    expect([name?.element.mustSupport, name?.base]).toEqual([true, { mustSupport: false }]);
    const capture = rowsOf('https://clinical-records.example/fhir/StructureDefinition/media-capture');
    expect(capture.flatMap(({ rules }) => rules)).toEqual([]);
    expect(row(capture, 'Media.subject')?.base?.cardinality).toBe('0..1');
  });

  it('is a table that links types and escapes texts', () => {
    const snapshot = generateSnapshot(
      {
        url: 'u',
        type: 'Patient',
        derivation: 'constraint',
        baseDefinition: 'http://hl7.org/fhir/StructureDefinition/Patient',
        differential: {
          element: [
            { id: 'Patient', path: 'Patient' },
            { id: 'Patient.gender', path: 'Patient.gender', short: '<script>x</script>', min: 1, mustSupport: true },
          ],
        },
      },
      one => model.snapshot(one),
    );
    const rows = treeOf(snapshot, one => model.snapshot(one), 'differential');
    const table = treeTable(rows, { language: 'en', link: canonical => `/p?url=${canonical}` }).text;
    expect(table).toContain('<a href="/p?url=code">code</a>');
    expect(table).not.toContain('<script>');
    expect(shownText(table)).toContain('gender S Σ 1..1 base: 0..1 code <script>x</script> Codes:');
  });
});
