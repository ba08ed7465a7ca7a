// What users of other servers complain about: keys, null rows, digits, and views that are refused without reason.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/fhir/json-object.ts';
import { readTypeDefinitions } from '../../src/model/type-definitions.ts';
import { compileView } from '../../src/views/compile.ts';
import { createRowWriter } from '../../src/views/formats.ts';
import { readRows } from '../../src/views/read-rows.ts';
import { readRecord } from '../../src/views/rows.ts';

const types = readTypeDefinitions();
const column = (...named: readonly (readonly [string, string])[]) => ({
  column: named.map(([name, path]) => ({ name, path })),
});

/** The rows of records as NDJSON. */
async function ndjson(json: JsonObject, ...records: readonly (string | object)[]): Promise<readonly string[]> {
  const { view, problems, warnings } = compileView(json, types);
  if (view === undefined) throw new Error(JSON.stringify(problems));
  expect(warnings).toEqual([]);
  const writer = await createRowWriter('ndjson', view, { header: true });
  const lines: string[] = [];
  for (const one of records) {
    const text = typeof one === 'string' ? one : JSON.stringify(one);
    for (const row of await readRows(view, readRecord(text), '2026-01-01T00:00:00.000Z'))
      lines.push(String(writer.rows([row])).trimEnd());
  }
  return lines;
}

const patient = (more: object = {}) => ({ resourceType: 'Patient', id: 'p', ...more });

describe('complaints about other servers', () => {
  it('icanbwell/fhir-server#2302: the null row of forEachOrNull has the nested columns', async () => {
    const select = [
      column(['id', 'id']),
      {
        forEachOrNull: 'contact',
        ...column(['gender', 'gender']),
        select: [{ forEach: 'telecom', ...column(['value', 'value']) }],
        unionAll: [column(['either', 'name.family']), column(['either', 'name.text'])],
      },
    ];
    expect(await ndjson({ resource: 'Patient', select }, patient())).toEqual([
      '{"id":"p","gender":null,"value":null,"either":null}',
    ]);
  });

  it('aehrc/sof-mssql#10, medplum/medplum#4678: rows without a value are kept, with null for each key', async () => {
    const select = [column(['id', 'id']), { forEachOrNull: 'name', ...column(['family', 'family'], ['use', 'use']) }];
    expect(await ndjson({ resource: 'Patient', select }, patient({ name: [{ use: 'official' }, {}] }))).toEqual([
      '{"id":"p","family":null,"use":"official"}',
      '{"id":"p","family":null,"use":null}',
    ]);
  });

  it('aehrc/pathling#2519, medplum/medplum#4702: keys stay with new versions, and have the type', async () => {
    const select = [
      column(
        ['key', 'getResourceKey()'],
        ['subject', 'subject.getReferenceKey()'],
        ['group', 'subject.getReferenceKey(Group)'],
      ),
    ];
    const observation = (version: string, reference: string) => ({
      resourceType: 'Observation',
      id: 'o',
      meta: { versionId: version },
      subject: { reference },
    });
    expect(
      await ndjson(
        { resource: 'Observation', select },
        observation('1', 'Patient/1'),
        observation('2', 'Patient/1/_history/7'),
        observation('3', 'Group/1'),
      ),
    ).toEqual([
      '{"key":"Observation/o","subject":"Patient/1","group":null}',
      '{"key":"Observation/o","subject":"Patient/1","group":null}',
      '{"key":"Observation/o","subject":"Group/1","group":"Group/1"}',
    ]);
  });

  it('module-ballerinax-health.fhir.r4#707: functions follow a key, and unions are nested', async () => {
    const select = [
      column(['has', 'managingOrganization.getReferenceKey(Organization).exists()']),
      { unionAll: [{ unionAll: [column(['a', "'1'"]), column(['a', "'2'"])] }, column(['a', "'3'"])] },
    ];
    expect(await ndjson({ resource: 'Patient', select }, patient())).toEqual(
      ['1', '2', '3'].map(a => `{"has":false,"a":"${a}"}`),
    );
  });

  it('hapifhir/org.hl7.fhir.core#2453: decimals keep their zeros, and metadata of a view is no mistake', async () => {
    const view = {
      resourceType: 'https://sql-on-fhir.org/ig/StructureDefinition/ViewDefinition',
      name: 'values',
      status: 'draft',
      publisher: 'X',
      contact: [{ name: 'Y' }],
      meta: { profile: ['http://hl7.org/fhir/uv/sql-on-fhir/StructureDefinition/ShareableViewDefinition'] },
      resource: 'Observation',
      select: [column(['value', 'value.ofType(Quantity).value'])],
    };
    const text = '{"resourceType":"Observation","id":"o","valueQuantity":{"value":1.500}}';
    expect(await ndjson(view, text)).toEqual(['{"value":1.500}']);
  });

  it('aehrc/pathling#2416, HL7/fhir-ig-publisher#1306: an element without a value is null, beside a key', async () => {
    const select = [column(['key', 'getResourceKey()'], ['born', 'birthDate'], ['status', 'maritalStatus'])];
    const record = patient({ _birthDate: { extension: [{ url: 'https://example.org/x', valueCode: 'unknown' }] } });
    expect(await ndjson({ resource: 'Patient', select }, record)).toEqual([
      '{"key":"Patient/p","born":null,"status":null}',
    ]);
  });
});
