/** A package that is rejected, in one sentence that names the entry. */
export class PackageRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PackageRefused';
  }
}

/** Limits of a package. */
export interface TarLimits {
  readonly entries: number;
  /** Uncompressed bytes: of one entry, and of the whole archive. */
  readonly entryBytes: number;
  readonly totalBytes: number;
}

export const tarLimits: TarLimits = { entries: 50_000, entryBytes: 64 * 1024 ** 2, totalBytes: 1024 ** 3 };

/**
 * The regular files of a tar archive (ustar, with pax and GNU long names) that `wanted` selects, one after the other,
 * without writing to disk. Throws PackageRefused for links and devices, absolute paths, `..`, and exceeded limits.
 * https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html#tag_20_94_13_06
 */
export async function* readTar(
  chunks: AsyncIterable<Uint8Array>,
  wanted: (name: string) => boolean,
  limits: TarLimits = tarLimits,
): AsyncGenerator<{ readonly name: string; readonly bytes: Buffer }> {
  const input = createInput(chunks, limits);
  let entries = 0;
  let longName: string | undefined;
  for (;;) {
    const header = await input.take(blockSize, 'the archive');
    if (header === undefined || header.every(byte => byte === 0)) return;
    const { type, size, ...short } = readHeader(header);
    const name = (longName ?? short.name).replace(/^(\.\/)+/, ''); // of `tar -cz ./package`
    const shown = JSON.stringify(name);
    if (++entries > limits.entries)
      throw new PackageRefused(`The package has more than ${limits.entries} entries; ${shown} is one too many.`);
    if (size > limits.entryBytes)
      throw new PackageRefused(`The entry ${shown} is larger than ${limits.entryBytes} bytes.`);
    const special = type === 'x' || type === 'L' || type === 'g' || type === 'K';
    if (!special) checkEntry(name, type);
    const keep = special || (type === '0' && wanted(name));
    const bytes = keep ? await input.take(size, shown) : await input.skip(size, shown);
    await input.skip(padding(size), shown);
    if (type === 'x') longName = paxPath(bytes ?? Buffer.alloc(0)) ?? longName;
    else if (type === 'L') longName = text(bytes ?? Buffer.alloc(0));
    else if (!special) {
      longName = undefined;
      if (keep && bytes !== undefined) yield { name, bytes };
    }
  }
}

const blockSize = 512;
const padding = (size: number): number => (blockSize - (size % blockSize)) % blockSize;

function readHeader(header: Buffer): { readonly name: string; readonly type: string; readonly size: number } {
  const sum = header.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 0x20 : byte), 0);
  if (octal(header.subarray(148, 156)) !== sum)
    throw new PackageRefused('The file is not a tar archive, or it is damaged: a header has a wrong checksum.');
  const prefix = text(header.subarray(257, 262)) === 'ustar' ? text(header.subarray(345, 500)) : '';
  const name = text(header.subarray(0, 100));
  const size = octal(header.subarray(124, 136));
  if (size === undefined) throw new PackageRefused(`The entry ${JSON.stringify(name)} has no size that can be read.`);
  const type = String.fromCharCode(header[156] ?? 0);
  return { name: prefix === '' ? name : `${prefix}/${name}`, type: type === '\0' || type === '7' ? '0' : type, size };
}

/** Links could lead out of the package and names out of a folder; valid packages have neither. */
function checkEntry(name: string, type: string): void {
  const shown = JSON.stringify(name);
  if (type === '1' || type === '2')
    throw new PackageRefused(`The entry ${shown} is a link; packages hold plain files.`);
  if (type !== '0' && type !== '5')
    throw new PackageRefused(`The entry ${shown} is neither a file nor a folder (type ${JSON.stringify(type)}).`);
  if (/^([/\\]|[A-Za-z]:)/.test(name)) throw new PackageRefused(`The entry ${shown} has an absolute path.`);
  if (name.split(/[/\\]/).includes('..'))
    throw new PackageRefused(`The entry ${shown} leads out of the package by \`..\`.`);
}

/** `path` of a pax header: records of the form `length key=value\n`. */
function paxPath(bytes: Buffer): string | undefined {
  for (let start = 0; start < bytes.length;) {
    const space = bytes.indexOf(0x20, start);
    const length = Number(bytes.toString('latin1', start, space));
    if (space < 0 || !Number.isInteger(length) || length <= 0) throw new PackageRefused('A pax header cannot be read.');
    const record = bytes.toString('utf8', space + 1, start + length - 1);
    if (record.startsWith('path=')) return record.slice('path='.length);
    if (record.startsWith('size='))
      throw new PackageRefused('A pax header gives a size of its own, which is not accepted.');
    start += length;
  }
  return undefined;
}

function octal(bytes: Buffer): number | undefined {
  const digits = text(bytes).trim();
  return /^[0-7]+$/.test(digits) ? parseInt(digits, 8) : undefined;
}

const text = (bytes: Buffer): string => {
  const end = bytes.indexOf(0);
  return bytes.toString('utf8', 0, end < 0 ? bytes.length : end);
};

interface Input {
  /** The next bytes; undefined at the end of the archive. Throws PackageRefused if it ends within them. */
  take(size: number, entry: string): Promise<Buffer | undefined>;
  skip(size: number, entry: string): Promise<undefined>;
}

function createInput(chunks: AsyncIterable<Uint8Array>, limits: TarLimits): Input {
  const iterator = chunks[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  let total = 0;
  const more = async (entry: string): Promise<boolean> => {
    const next = await iterator.next();
    if (next.done === true) return false;
    rest = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength);
    total += rest.length;
    if (total > limits.totalBytes)
      throw new PackageRefused(`The package is larger than ${limits.totalBytes} bytes in all, at ${entry}.`);
    return true;
  };
  const read = async (size: number, entry: string, use: (part: Buffer) => void): Promise<number> => {
    let missing = size;
    while (missing > 0 && (rest.length > 0 || (await more(entry)))) {
      use(rest.subarray(0, missing));
      const used = Math.min(missing, rest.length);
      rest = rest.subarray(used);
      missing -= used;
    }
    return size - missing;
  };
  return {
    async take(size, entry) {
      const parts: Buffer[] = [];
      const found = await read(size, entry, part => parts.push(part));
      if (found === 0 && size > 0) return undefined;
      if (found < size) throw new PackageRefused(`The package ends in the middle of ${entry}.`);
      return Buffer.concat(parts);
    },
    async skip(size, entry) {
      if ((await read(size, entry, () => undefined)) < size)
        throw new PackageRefused(`The package ends in the middle of ${entry}.`);
      return undefined;
    },
  };
}
