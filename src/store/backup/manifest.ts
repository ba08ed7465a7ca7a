import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import program from '../../../package.json' with { type: 'json' };
import { isChainName } from '../audit/line.ts';
import { StoreRefused } from '../port/errors.ts';
import { isDigest } from '../record/digest.ts';

/**
 * The content of a backup: the file that is written last, so that a folder without it is not a backup. Sizes in bytes.
 */
export interface Manifest {
  readonly format: typeof format;
  /** The version of the folder and this file. */
  readonly version: number;
  /** Program and version. */
  readonly madeBy: string;
  /** Every write that was acknowledged before this instant is in the backup. ISO 8601, UTC. */
  readonly time: string;
  /** The layout of the database. */
  readonly layout: number;
  readonly database: Size & { readonly digest: string; readonly partitions: number; readonly records: number };
  readonly attachments: Size & { readonly files: number };
  readonly audit: readonly (Size & { readonly chain: string; readonly digest: string })[];
  /** Number of findings in the store. */
  readonly findings: number;
  /** The files that a service needs in addition. */
  readonly notIncluded: readonly string[];
}

interface Size {
  readonly size: number;
}

const format = 'clinical-records-backup';
const version = 1;

export const manifestName = 'backup.json';
/** The database; `.attachments` and `.audit` are beside it, as beside a store. */
export const databaseName = 'records.sqlite';

/** Not in a backup: configuration, and secrets that must not be beside the data that they protect. */
export const notIncluded = ['settings', 'key file', 'accounts file', 'TLS certificate and key', 'definitions'];

/** The manifest of a new backup. */
export function createManifest(content: Omit<Manifest, 'format' | 'version' | 'madeBy' | 'notIncluded'>): Manifest {
  return { format, version, madeBy: `${program.name} ${program.version}`, ...content, notIncluded };
}

export function printManifest(manifest: Manifest): string {
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/**
 * Reads the manifest of a backup. Throws `StoreRefused` if the folder has no complete backup, or one of a newer
 * version.
 */
export async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, manifestName);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
    const left = existsSync(`${folder}.partial`) ? `; \`${folder}.partial\` is what an interrupted run has left` : '';
    throw new StoreRefused(`\`${folder}\` is not a whole backup: it has no \`${manifestName}\`${left}`);
  }
  return parseManifest(text, path);
}

/** Throws `StoreRefused`; `path` is for its message. */
export function parseManifest(text: string, path: string): Manifest {
  const manifest = parsed(text);
  if (typeof manifest !== 'object' || manifest === null || manifest.format !== format)
    throw new StoreRefused(`\`${path}\` is not the manifest of a backup, or is damaged`);
  const { version: found, madeBy } = manifest;
  if (typeof found === 'number' && found > version)
    throw new StoreRefused(`\`${path}\` was written by a newer version (${String(madeBy)}); use that version`);
  if (!isManifest(manifest)) throw new StoreRefused(`\`${path}\` is damaged; take another backup`);
  return manifest;
}

type Unchecked = { readonly [field in keyof Manifest]?: unknown };

function parsed(text: string): Unchecked | null {
  try {
    return JSON.parse(text) as Unchecked | null; // each field is checked
  } catch {
    return null;
  }
}

function isManifest(value: Unchecked): value is Manifest {
  const { database, attachments, audit } = value;
  return (
    value.version === version &&
    typeof value.madeBy === 'string' &&
    typeof value.time === 'string' &&
    !Number.isNaN(Date.parse(value.time)) &&
    areCounts(value, ['layout', 'findings']) &&
    areCounts(database, ['size', 'partitions', 'records']) &&
    hasDigest(database) &&
    areCounts(attachments, ['size', 'files']) &&
    Array.isArray(audit) &&
    audit.every(one => areCounts(one, ['size']) && hasDigest(one) && isChainName(String(one.chain)))
  );
}

function areCounts(value: unknown, names: readonly string[]): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const fields = value as Readonly<Record<string, unknown>>; // each is checked
  return names.every(name => Number.isSafeInteger(fields[name]) && Number(fields[name]) >= 0);
}

function hasDigest(value: unknown): boolean {
  return isDigest(String((value as { readonly digest?: unknown }).digest)); // an object, as was checked before
}
