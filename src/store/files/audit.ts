import { constants } from 'node:fs';
import { type FileHandle, open, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type ChainPlace, isChainName, type KeptLine, type OpenChain } from '../audit/line.ts';
import { ifThere, makeFolder, ownerOnly, syncFolder } from './durable.ts';
import { type Doing, failureOf, unavailable } from './failures.ts';

/**
 * Chains of audit events as files of lines in a folder beside the file of the store, readable by their owner only, and
 * opened for appending only.
 */
export function auditFiles(file: string): ChainPlace {
  const folder = auditFolder(file);
  const pathOf = (chain: string): string => chainPath(file, chain);
  return {
    chains: () => namesIn(folder),
    async begin(chain) {
      if (makeFolder(folder) !== undefined) await syncFolder(dirname(folder));
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND;
      const handle = await open(pathOf(chain), flags, ownerOnly.file);
      try {
        await syncFolder(folder);
      } catch (error) {
        await handle.close();
        throw error;
      }
      return openChain(handle);
    },
    lines: chain => linesOf(pathOf(chain)),
    last: chain => lastLine(pathOf(chain)),
    async remove(chain) {
      await rm(pathOf(chain), { force: true });
      await syncFolder(folder);
    },
  };
}

/** The chains of an open store: where the disk fails, they throw `StoreUnavailable`. */
export function auditChains(file: string): ChainPlace {
  const files = auditFiles(file);
  const onDisk = async <T>(doing: Doing, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      const failure = failureOf(error, doing, auditFolder(file));
      throw failure === undefined ? error : unavailable(failure, error);
    }
  };
  return {
    chains: () => onDisk('read', () => files.chains()),
    async begin(chain) {
      const { write, close } = await onDisk('write', () => files.begin(chain));
      return { write: (n, lines) => onDisk('write', () => write(n, lines)), close };
    },
    lines: chain => files.lines(chain),
    last: chain => onDisk('read', () => files.last(chain)),
    remove: chain => onDisk('write', () => files.remove(chain)),
  };
}

const ending = '.ndjson';

export const auditFolder = (file: string): string => `${file}.audit`;

export const chainPath = (file: string, chain: string): string => join(auditFolder(file), `${chain}${ending}`);

function openChain(handle: FileHandle): OpenChain {
  return {
    async write(_, lines) {
      await handle.appendFile(`${lines.join('\n')}\n`);
      await handle.datasync();
    },
    close: () => handle.close(),
  };
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const names = (await ifThere(() => readdir(folder))) ?? [];
  return names
    .filter(name => name.endsWith(ending))
    .map(name => name.slice(0, -ending.length))
    .filter(isChainName)
    .sort();
}

async function* linesOf(path: string): AsyncIterable<KeptLine> {
  let rest = '';
  const handle = await ifThere(() => open(path));
  if (handle === undefined) return; // pruned meanwhile
  for await (const chunk of handle.createReadStream({ encoding: 'utf8', highWaterMark: 256 * 1024 })) {
    const lines = (rest + String(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines) yield { text, whole: true };
  }
  if (rest !== '') yield { text: rest, whole: false };
}

/** Reads from the end, in growing parts until there is a whole line. */
async function lastLine(path: string): Promise<string | undefined> {
  const handle = await ifThere(() => open(path));
  if (handle === undefined) return undefined;
  try {
    const { size } = await handle.stat();
    for (let length = 16 * 1024; ; length *= 8) {
      const from = Math.max(0, size - length);
      const bytes = Buffer.alloc(size - from);
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, from);
      const text = bytes.toString('latin1', 0, bytesRead); // positions are in bytes
      const end = text.lastIndexOf('\n');
      const start = end <= 0 ? -1 : text.lastIndexOf('\n', end - 1);
      if (end >= 0 && (start >= 0 || from === 0)) return bytes.toString('utf8', start + 1, end);
      if (from === 0) return undefined;
    }
  } finally {
    await handle.close();
  }
}
