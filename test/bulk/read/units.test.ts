import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { listInputs } from '../../../src/bulk/input.ts';
import { detectFormat } from '../../../src/bulk/read/format.ts';
import { readLines } from '../../../src/bulk/read/lines.ts';
import { readUnits } from '../../../src/bulk/read/units.ts';
import { coreTypes } from '../../../src/model/type-definitions.ts';

const folder = mkdtempSync(join(tmpdir(), 'units-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** What is read of a file, or of stdin where the name is `-`: place, kind and text of each unit. */
async function read(name: string, content: string | Uint8Array): Promise<readonly string[]> {
  const path = name === '-' ? '-' : join(folder, name);
  if (path !== '-') writeFileSync(path, content);
  const [input] = (await listInputs([path])).inputs;
  const found: string[] = [];
  const options = {
    stdin: Readable.from([Buffer.from(content)]),
    onRead: () => {},
    addressing: { base: '', newId: () => 'x' },
    types: coreTypes,
  };
  if (input === undefined) return found;
  for await (const { units, bundle } of readUnits(input, options)) {
    for (const unit of units) {
      const text = unit.problem ?? Buffer.from(unit.bytes).toString();
      found.push(`${unit.at}|${unit.is}|${bundle?.type ?? ''}|${text}`);
    }
  }
  return found;
}

async function* chunks(...parts: readonly string[]): AsyncGenerator<Uint8Array, void> {
  for (const part of parts) yield await Promise.resolve(Buffer.from(part));
}

describe('readUnits', () => {
  it.skipIf(process.platform === 'win32')('reads a pipe once', async () => {
    const path = join(folder, 'pipe');
    execFileSync('mkfifo', [path]);
    const entries = Array.from({ length: 20_000 }, (_, at) => `{"resource":{"resourceType":"Patient","id":"p${at}"}}`);
    const text = `{"resourceType":"Bundle","type":"collection","entry":[${entries.join(',')}]}`;
    const writing = writeFile(path, text);
    const [input] = (await listInputs([path])).inputs;
    const found: string[] = [];
    const addressing = { base: '', newId: () => 'x' };
    const options = { stdin: Readable.from([]), onRead: () => {}, addressing, types: coreTypes };
    if (input !== undefined)
      for await (const { units } of readUnits(input, options)) for (const { bytes } of units) found.push(String(bytes));
    await writing;
    expect(found).toEqual([text]);
  });
  it.each<[title: string, name: string, content: string | Uint8Array, expected: readonly string[]]>([
    [
      'a resource in XML',
      'a.xml',
      '\ufeff<?xml version="1.0"?>\n<Patient xmlns="http://hl7.org/fhir"><id value="a"/></Patient>',
      ['|document||{"resourceType":"Patient","id":"a"}'],
    ],
    [
      'a Bundle in XML by gzip',
      'b.xml.gz',
      gzipSync(
        '<Bundle xmlns="http://hl7.org/fhir"><type value="collection"/>\n<entry><resource><Patient><id value="a"/>' +
          '</Patient></resource></entry><entry><resource><Basic><id value="b"/></Basic></resource></entry></Bundle>',
      ),
      [
        'entry 1|entry|collection|{"resource":{"resourceType":"Patient","id":"a"}}',
        'entry 2|entry|collection|{"resource":{"resourceType":"Basic","id":"b"}}',
      ],
    ],
    [
      'a resource in XML from stdin',
      '-',
      '<Patient xmlns="http://hl7.org/fhir"><id value="a"/></Patient>',
      ['|document||{"resourceType":"Patient","id":"a"}'],
    ],
    [
      'NDJSON by its name',
      'a.ndjson',
      '{"a":1}\n{"b":\n\n  \r\n{"c":3}',
      ['line 1|line||{"a":1}', 'line 2|line||{"b":', 'line 5|line||{"c":3}'],
    ],
    ['NDJSON by its look', '-', '{"a":1}\r\n{"b":2}\n', ['line 1|line||{"a":1}\r', 'line 2|line||{"b":2}']],
    ['one line as a document', '-', '{"a":1}\n', ['|document||{"a":1}\n']],
    ['a resource over several lines', 'b.json', '{\n"a":1\n}', ['|document||{\n"a":1\n}']],
    [
      'NDJSON in a file of another name',
      'c.json',
      '{"a":1}\n{"b":2}',
      ['line 1|line||{"a":1}', 'line 2|line||{"b":2}'],
    ],
    [
      'gzip, whatever the name',
      'd.ndjson',
      gzipSync('{"a":1}\n{"b":2}'),
      ['line 1|line||{"a":1}', 'line 2|line||{"b":2}'],
    ],
    [
      'gzip in several members',
      'e.json.gz',
      Buffer.concat([gzipSync('{"a"'), gzipSync(':1}')]),
      ['|document||{"a":1}'],
    ],
    ['an empty file', 'f.json', '', []],
    ['an empty NDJSON file', 'f.ndjson', '\n\n', []],
    [
      'a Bundle of a file entry by entry',
      'g.json',
      '{"entry":[{"resource":{"id":"a"}}, {"resource":{"id":"b"}}],\n"type":"collection","resourceType":"Bundle"}',
      ['entry 1|entry|collection|{"resource":{"id":"a"}}', 'entry 2|entry|collection|{"resource":{"id":"b"}}'],
    ],
    [
      'a transaction as a whole',
      'h.json',
      '{"resourceType":"Bundle","type":"transaction","entry":[{}]}',
      ['|document||{"resourceType":"Bundle","type":"transaction","entry":[{}]}'],
    ],
    [
      'a Bundle that is a record',
      'i.json',
      '{"resourceType":"Bundle","type":"document","entry":[{}]}',
      ['|document||{"resourceType":"Bundle","type":"document","entry":[{}]}'],
    ],
    [
      'a Bundle from stdin as a whole',
      '-',
      '{"resourceType":"Bundle","type":"batch","entry":[{}]}',
      ['|document||{"resourceType":"Bundle","type":"batch","entry":[{}]}'],
    ],
  ])('reads %s', async (_title, name, content, expected) => {
    expect(await read(name, content)).toEqual(expected);
  });

  it('says so when gzip data is damaged or cut off', async () => {
    const packed = gzipSync('{"a":1}\n'.repeat(1000));
    await expect(read('j.ndjson.gz', packed.subarray(0, packed.length - 12))).rejects.toThrow(
      'The gzip data is damaged',
    );
    const damaged = Buffer.from(packed);
    damaged.fill(0xff, 12, 30);
    await expect(read('k.ndjson.gz', damaged)).rejects.toThrow('The gzip data is damaged');
  });

  it('finds the addresses of entries that are not where their type and id say', async () => {
    const path = join(folder, 'l.json');
    writeFileSync(
      path,
      JSON.stringify({
        resourceType: 'Bundle',
        type: 'collection',
        entry: [
          { fullUrl: 'urn:uuid:c757873d-ec9a-4326-a141-556f43239520', resource: { resourceType: 'Patient' } },
          { fullUrl: 'urn:uuid:1', resource: { resourceType: 'Patient', id: 'own' } },
          { fullUrl: 'http://x/Patient/1', resource: { resourceType: 'Patient', id: '1' } },
          { fullUrl: 'http://x/thing', resource: { resourceType: 'Patient' } },
        ],
      }),
    );
    const [input] = (await listInputs([path])).inputs;
    const addressing = { base: '', newId: (at: string) => `made-for-${at.replace(' ', '-')}` };
    const groups = readUnits(input as NonNullable<typeof input>, {
      stdin: Readable.from([]),
      onRead: () => {},
      addressing,
      types: coreTypes,
    });
    const { value } = await groups.next();
    expect(value?.bundle?.targets).toEqual(
      new Map([
        [
          'urn:uuid:c757873d-ec9a-4326-a141-556f43239520',
          { reference: 'Patient/c757873d-ec9a-4326-a141-556f43239520', settled: true },
        ],
        ['urn:uuid:1', { reference: 'Patient/own', settled: true }],
        ['http://x/thing', { reference: 'Patient/made-for-entry-4', settled: true }],
      ]),
    );
  });
});

describe('readLines', () => {
  it('joins lines that come in pieces and names one that is too long', async () => {
    const found: string[] = [];
    for await (const units of readLines(
      chunks('{"a', '":1}\n{"long":"', 'xxxxxxxxxxxxxxxxxxxx', '"}\n{"b"', ':2}'),
      20,
    )) {
      for (const unit of units) found.push(`${unit.at}: ${unit.problem ?? Buffer.from(unit.bytes).toString()}`);
    }
    expect(found).toEqual([
      'line 1: {"a":1}',
      'line 2: The line has 31 bytes and exceeds the limit of 20.',
      'line 3: {"b":2}',
    ]);
  });
});

describe('detectFormat', () => {
  it.each([
    ['lines', ['{"a":1}', '\n', '{"b"', ':2}']],
    ['lines', ['\n', '{', '}', ' ', '\n', '\n', '{']],
    ['document', ['{"a":1}', '\n', '\n']],
    ['document', ['{\n', '"a":1}']],
    ['document', ['{"entry":[\n{}\n,{}]}']],
    ['document', ['[{}]\n{']],
    ['document', []],
  ])('detects %s from %j', async (format, parts) => {
    const detected = await detectFormat(chunks(...parts));
    expect(detected.format).toBe(format);
    const all: Uint8Array[] = [];
    for await (const chunk of detected.chunks) all.push(chunk);
    expect(Buffer.concat(all).toString()).toBe(parts.join(''));
  });
});

describe('listInputs', () => {
  it('lists the files of a folder by name, and those below it', async () => {
    const root = mkdtempSync(join(tmpdir(), 'inputs-'));
    for (const name of ['b.ndjson.gz', 'a.json', 'c.txt', '.hidden.json', 'D.jsonl'])
      writeFileSync(join(root, name), '{}');
    const names = (await listInputs([root, '-'])).inputs.map(input => `${input.name.replace(root, '')} ${input.lines}`);
    expect(names).toEqual(['/D.jsonl true', '/a.json false', '/b.ndjson.gz true', '- false']);
    rmSync(root, { recursive: true });
  });

  it('refuses what is not there and a folder without records', async () => {
    await expect(listInputs([join(folder, 'none')])).rejects.toThrow('There is no file or folder');
    const empty = mkdtempSync(join(tmpdir(), 'inputs-'));
    await expect(listInputs([empty])).rejects.toThrow('has no file that ends in .ndjson, .jsonl, .json');
    rmSync(empty, { recursive: true });
  });
});
