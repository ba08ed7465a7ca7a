import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';
import { loadModel } from '../../src/engine/definitions/load-model.ts';
import type { LoadedModel } from '../../src/engine/definitions/load-model.ts';

/** Writes files (objects as JSON) into a folder of its own, which goes when the test ends. */
export function folderWith(files: Readonly<Record<string, unknown>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'definitions-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    const isText = typeof content === 'string' || Buffer.isBuffer(content);
    writeFileSync(join(folder, path), isText ? content : JSON.stringify(content));
  }
  return folder;
}

/** Loads the shipped definitions with a folder beside them; problems name files as in the folder. */
export async function loadWith(files: Readonly<Record<string, unknown>>): Promise<LoadedModel> {
  const folder = folderWith(files);
  return within(folder, await loadModel({ definitions: [folder] }));
}

/**
 * Loads with one CapabilityStatement (`capability/ours.json`) in place of the shipped one, and a folder `beside` it.
 */
export async function loadOnly(
  capability: unknown,
  files: Readonly<Record<string, unknown>> = {},
): Promise<LoadedModel> {
  const folder = folderWith({ 'capability/ours.json': capability, ...prefixed('beside', files) });
  const definitions = Object.keys(files).length === 0 ? [] : [join(folder, 'beside')];
  return within(folder, await loadModel({ definitions, capability: join(folder, 'capability') }));
}

/** A CapabilityStatement with these resources and what else its `rest` has. */
export const statement = (resource: readonly unknown[], rest: object = {}) => ({
  resourceType: 'CapabilityStatement',
  status: 'active',
  date: '2025-01-01',
  kind: 'capability',
  fhirVersion: '4.0.1',
  format: ['json'],
  rest: [{ mode: 'server', resource, ...rest }],
});

/** The declaration of a type that is read and searched, for `statement`. */
export const declared = (type: string, fields: object = {}) => ({
  type,
  interaction: [{ code: 'read' }, { code: 'search-type' }],
  ...fields,
});

/** A SearchParameter of example.org. */
export const searchParameter = <Fields extends object>(code: string, fields: Fields) => ({
  resourceType: 'SearchParameter',
  url: `https://example.org/SearchParameter/${code}`,
  name: 'Test',
  status: 'active',
  description: 'For a test',
  code,
  ...fields,
});

/** A profile of example.org, which requires nothing unless the fields say so. */
export const profile = (name: string, type: string, fields: object = {}) => ({
  resourceType: 'StructureDefinition',
  url: `https://example.org/StructureDefinition/${name}`,
  name: 'Test',
  status: 'active',
  kind: 'resource',
  abstract: false,
  type,
  baseDefinition: `http://hl7.org/fhir/StructureDefinition/${type}`,
  derivation: 'constraint',
  differential: { element: [{ id: type, path: type }] },
  ...fields,
});

/** An extension of ours, with a value or with parts. */
export const ours = (name: string, value: object | readonly object[]) => ({
  url: `https://clinical-records.example/fhir/StructureDefinition/${name}`,
  ...(Array.isArray(value) ? { extension: value } : value),
});

export interface TarEntry {
  readonly name: string;
  readonly content?: string | Buffer;
  /** `0` a file (default), `1` and `2` links, `5` a folder, `x` a pax header, `L` a long name. */
  readonly type?: string;
  /** Size in the header, if it is a wrong one. */
  readonly size?: number;
}

/** A tar archive. */
export function tar(entries: readonly TarEntry[]): Buffer {
  const blocks = entries.flatMap(({ name, content = '', type = '0', size }) => {
    const body = Buffer.from(content);
    const header = Buffer.alloc(512);
    header.write(name, 0, 100);
    header.write('0000644\0', 100);
    header.write((size ?? body.length).toString(8).padStart(11, '0'), 124);
    header.write(' '.repeat(8), 148);
    header.write(type, 156);
    header.write('ustar\x0000', 257);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    return [header, body, Buffer.alloc((512 - (body.length % 512)) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

/** A FHIR package with a manifest and resources under `package/`. */
export const fhirPackage = (manifest: object, files: Readonly<Record<string, unknown>>): Buffer =>
  gzipSync(
    tar([
      { name: 'package/package.json', content: JSON.stringify(manifest) },
      ...Object.entries(files).map(([name, content]) => ({
        name: `package/${name}`,
        content: JSON.stringify(content),
      })),
    ]),
  );

const prefixed = (folder: string, files: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(files).map(([path, content]) => [`${folder}/${path}`, content]));

function within(folder: string, loaded: LoadedModel): LoadedModel {
  const short = (text: string): string => text.replaceAll(`${folder}/`, '').replaceAll(folder, '.');
  return {
    ...loaded,
    problems: loaded.problems.map(({ file, path, text }) => ({ file: short(file), path, text: short(text) })),
    warnings: loaded.warnings.map(short),
    notices: loaded.notices.map(short),
  };
}
