import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { parseStoreUrl } from '../store/url.ts';
import type { Config } from './config.ts';
import { hasAuthorizationServer } from './safe-start.ts';

/** The content of a file that a setting or a value names. Throws Error: its path, and why it cannot be read. */
export function readNamed(path: string): Buffer {
  const read = contentOf(path);
  if (typeof read === 'string') throw new Error(read);
  return read;
}

/** The content of the file of a setting. Throws Error with a sentence that names both. */
export function readSetting(setting: string, path: string): Buffer {
  const read = contentOf(path);
  if (typeof read === 'string') throw new Error(sentence(setting, read));
  return read;
}

/** Reads a file like `readNamed`, as text in UTF-8. */
export const readNamedText = (path: string): string => readNamed(path).toString('utf8');

/**
 * Problems of the files and folders that a server with these settings reads, one whole sentence each: those that are
 * missing, of the wrong kind, not readable or empty. A pipe is not read.
 */
export function fileProblems(config: Config): readonly string[] {
  const { keyFile, accounts, logo, tlsCert, tlsKey, definitions, capability, store } = config;
  const authorizes = hasAuthorizationServer(config);
  const named: readonly (readonly [setting: string, path: string | undefined, is: Kind])[] = [
    ['key-file', authorizes ? keyFile : undefined, 'file'],
    ['accounts', authorizes ? accounts : undefined, 'file'],
    ['logo', authorizes || config.explorer === 'on' ? logo : undefined, 'file'],
    ['tls-cert', tlsCert, 'file'],
    ['tls-key', tlsKey, 'file'],
    ...definitions.map(path => ['definitions', path, 'any'] as const),
    ['capability', capability, 'folder'],
  ];
  const problems = named.flatMap(([setting, path, is]) => {
    const fault = path === undefined ? undefined : faultOf(path, is);
    return fault === undefined ? [] : [sentence(setting, fault)];
  });
  const place = parseStoreUrl(store);
  const fault = place?.kind === 'sqlite' ? storeFault(place.file) : undefined;
  return fault === undefined ? problems : [...problems, sentence('store', fault)];
}

const sentence = (setting: string, fault: string): string =>
  `\`${setting}\` cannot be used: ${fault}.${remedies[setting] ?? ''}`;

type Kind = 'file' | 'folder' | 'any';

const remedies: Readonly<Record<string, string>> = {
  'key-file':
    ' It must be the file with which this store was first served, or for a new store one that ' +
    '`(umask 077; openssl rand -base64 32 > crs.key)` makes.',
};

/** The content; as text why it cannot be read. */
function contentOf(path: string): Buffer | string {
  try {
    return readFileSync(path);
  } catch (error) {
    return whyNot(error, path);
  }
}

function faultOf(path: string, is: Kind): string | undefined {
  try {
    const found = statSync(path);
    if (is === 'file' && found.isDirectory()) return isFolder(path);
    if (is === 'folder' && !found.isDirectory()) return `\`${path}\` is not a folder`;
    // Some file systems, such as /proc, give no size.
    if (found.isFile() && found.size === 0 && readFileSync(path).length === 0) return `\`${path}\` is empty`;
    accessSync(path, constants.R_OK);
    return undefined;
  } catch (error) {
    return whyNot(error, path);
  }
}

/** The file of a store need not exist. */
function storeFault(path: string): string | undefined {
  try {
    const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
    return isFolder ? `\`${path}\` is a folder; name a file in it` : undefined;
  } catch (error) {
    return whyNot(error, path);
  }
}

const isFolder = (path: string): string => `\`${path}\` is a folder, not a file`;

function whyNot(error: unknown, path: string): string {
  const { code = '', message } = error as NodeJS.ErrnoException; // of a file system
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return `there is no \`${path}\`${isAbsolute(path) ? '' : ` in \`${process.cwd()}\``}`;
    case 'EISDIR':
      return isFolder(path);
    case 'EACCES':
    case 'EPERM':
      return `the user of this process may not read \`${path}\` (${code}); check the modes of it and of its folder`;
    default:
      return `\`${path}\`: ${message}`;
  }
}
