// The formats of rows: https://build.fhir.org/ig/HL7/sql-on-fhir/en/operations-common.html
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parquetReadObjects } from 'hyparquet';
import { afterAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/fhir/json-object.ts';
import { readTypeDefinitions } from '../../src/model/type-definitions.ts';
import { writeNewFile } from '../../src/bulk/new-file.ts';
import { compileView } from '../../src/views/compile.ts';
import { createRowWriter } from '../../src/views/formats.ts';
import type { RowFormat } from '../../src/views/formats.ts';
import { readRecord } from '../../src/views/rows.ts';
import type { ViewRow } from '../../src/views/rows.ts';
import { readRows } from '../../src/views/read-rows.ts';
import { createTable } from '../../src/views/sql.ts';
import { writeSqliteFile } from '../../src/views/sqlite-file.ts';
import type { View } from '../../src/views/view.ts';

const types = readTypeDefinitions();
const folder = mkdtempSync(join(tmpdir(), 'formats-'));
afterAll(() => rmSync(folder, { recursive: true }));

function viewOf(json: JsonObject): View {
  const { view, problems } = compileView(json, types);
  if (view === undefined) throw new Error(JSON.stringify(problems));
  return view;
}

const path = (name: string, expression: string, more: object = {}) => ({ name, path: expression, ...more });
const observations = viewOf({
  name: 'order',
  resource: 'Observation',
  select: [
    {
      column: [
        path('select', 'id'),
        path('group', "status = 'final'", { type: 'boolean' }),
        path('value', 'value.ofType(Quantity).value', { type: 'decimal' }),
        path('count', 'value.ofType(integer)', { type: 'integer' }),
        path('notes', 'note.text', { collection: true, type: 'string' }),
        path('text', 'note.first().text', { type: 'string', tag: [{ name: 'ansi/type', value: 'VARCHAR(200)' }] }),
        path('coding', 'code.coding.first()', { type: 'Coding' }),
      ],
    },
    { forEachOrNull: 'component', column: [path('component', 'code.text', { type: 'string' })] },
  ],
});
const record = (id: string, more: string): string =>
  `{"resourceType":"Observation","id":"${id}","status":"final","code":{"coding":[{"code":"a","display":"é,\\"ü"}]}${more}}`;
const rows: ViewRow[] = [];
for (const text of [
  record('1', ',"valueQuantity":{"value":1.50},"note":[{"text":"one\\r\\ntwo"},{"text":"=1+1"}]'),
  record('2', ',"valueInteger":3,"component":[{"code":{"text":"say \\"x\\""}},{"code":{"text":"b"}}]'),
  '{"resourceType":"Observation","id":"3"}',
])
  rows.push(...(await readRows(observations, readRecord(text), '2026-01-01T00:00:00.000Z')));

async function written(
  format: RowFormat,
  { view = observations, of = rows, header = true }: { view?: View; of?: readonly ViewRow[]; header?: boolean } = {},
): Promise<Buffer> {
  const writer = await createRowWriter(format, view, { header });
  const chunks = [writer.begin(), ...of.map(row => writer.rows([row])), writer.rows([]), writer.end()];
  return Buffer.concat(chunks.map(chunk => Buffer.from(chunk as string))); // a text or bytes
}

const objects = [
  {
    select: '1',
    group: true,
    value: '1.50',
    count: null,
    notes: '["one\\r\\ntwo","=1+1"]',
    text: 'one\r\ntwo',
    coding: '{"code":"a","display":"é,\\"ü"}',
    component: null,
  },
  ...['say "x"', 'b'].map(component => ({
    select: '2',
    group: true,
    value: null,
    count: 3,
    notes: '[]',
    text: null,
    coding: '{"code":"a","display":"é,\\"ü"}',
    component,
  })),
  { select: '3', group: null, value: null, count: null, notes: '[]', text: null, coding: null, component: null },
];

describe('a row', () => {
  it('is a line of NDJSON with every column, and the digits of decimals', async () => {
    const lines = (await written('ndjson')).toString().split('\n');
    expect(lines[0]).toBe(
      '{"select":"1","group":true,"value":1.50,"count":null,"notes":["one\\r\\ntwo","=1+1"],"text":"one\\r\\ntwo",' +
        '"coding":{"code":"a","display":"é,\\"ü"},"component":null}',
    );
    expect(lines[3]).toBe(
      '{"select":"3","group":null,"value":null,"count":null,"notes":[],"text":null,"coding":null,"component":null}',
    );
    expect(lines.slice(4)).toEqual(['']);
  });

  it('is an object in one array of JSON', async () => {
    const lines = (await written('ndjson')).toString().trimEnd().split('\n');
    expect((await written('json')).toString()).toBe(`[${lines.join(',\n')}]\n`);
    expect((await written('json', { of: [] })).toString()).toBe('[]\n');
    expect((await written('ndjson', { of: [] })).toString()).toBe('');
  });

  // medizininformatik-initiative/dataportal#214: line breaks in texts broke lines of CSV.
  it('is a record of CSV whatever its texts have, with null as an empty field', async () => {
    expect((await written('csv')).toString()).toBe(
      'select,group,value,count,notes,text,coding,component\r\n' +
        '1,true,1.50,,"[""one\\r\\ntwo"",""=1+1""]","one\r\ntwo","{""code"":""a"",""display"":""é,\\""ü""}",\r\n' +
        '2,true,,3,[],,"{""code"":""a"",""display"":""é,\\""ü""}","say ""x"""\r\n' +
        '2,true,,3,[],,"{""code"":""a"",""display"":""é,\\""ü""}",b\r\n' +
        '3,,,,[],,,\r\n',
    );
  });

  // HL7/sql-on-fhir#305: no way to leave the header out.
  it('comes first in CSV without a header', async () => {
    expect((await written('csv', { of: [], header: false })).toString()).toBe('');
    expect((await written('csv', { of: [] })).toString()).toBe(
      'select,group,value,count,notes,text,coding,component\r\n',
    );
  });

  it('is a row of Parquet with booleans, integers and texts', async () => {
    const file = await written('parquet');
    expect(await parquetReadObjects({ file: bytesOf(file) })).toEqual(objects);
    expect(await parquetReadObjects({ file: bytesOf(await written('parquet', { of: [] })) })).toEqual([]);
  });

  it('is a row of an SQLite file for its owner only, under the names of the view', async () => {
    const file = join(folder, 'rows.sqlite');
    const batches = async function* () {
      for (const row of rows) yield [row];
    };
    await writeNewFile(file, () => writeSqliteFile(file, observations, batches()));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const database = new DatabaseSync(file, { readOnly: true });
    const sql = 'SELECT "select", "group", value, count, notes, text, coding, component FROM "order"';
    expect(
      database
        .prepare(sql)
        .all()
        .map(row => ({ ...row })),
    ).toEqual(objects.map(row => ({ ...row, group: row.group === null ? null : 1 })));
    database.close();
  });
});

describe('Parquet', () => {
  it('has row groups of bounded size, in chunks', async () => {
    const writer = await createRowWriter('parquet', observations, { header: true });
    const [row] = rows;
    const batch = Array.from({ length: 1_000 }, () => row!);
    const chunks = Array.from({ length: 10 }, () => writer.rows(batch).length > 0);
    expect(chunks.filter(Boolean)).toHaveLength(2);
  });

  it('refuses a value of another type than the column', async () => {
    const view = viewOf({ resource: 'Patient', select: [{ column: [path('a', 'id', { type: 'integer' })] }] });
    const writer = await createRowWriter('parquet', view, { header: true });
    writer.rows([['x']]);
    expect(() => writer.end()).toThrow('The column `a` has a value that is no integer.');
  });
});

describe('an SQLite file', () => {
  it('cannot have columns whose names differ in their case only', async () => {
    const view = viewOf({ resource: 'Patient', select: [{ column: [path('a', 'id'), path('A', 'id')] }] });
    await expect(writeSqliteFile(join(folder, 'none'), view, (async function* () {})())).rejects.toThrow(
      'SQLite does not tell the columns `a` and `A` apart; choose another format.',
    );
  });
});

describe('the table of a view', () => {
  it('has the SQL types of the guide, those of tags, and quoted names', () => {
    expect(createTable(observations)).toBe(
      `CREATE TABLE "order" (
  "select" CHARACTER VARYING,
  "group" BOOLEAN,
  "value" CHARACTER VARYING,
  "count" INT,
  "notes" CHARACTER VARYING,
  "text" VARCHAR(200),
  "coding" CHARACTER VARYING,
  "component" CHARACTER VARYING
)`,
    );
  });
});

const bytesOf = ({ buffer, byteOffset, byteLength }: Buffer): ArrayBuffer =>
  buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer; // a Buffer is no shared memory
