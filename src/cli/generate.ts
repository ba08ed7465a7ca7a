import type { Flag } from '../config/flag.ts';
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { integer } from '../config/values.ts';
import { DEFAULT_DATE, generate } from '../demo/generate.ts';
import type { Generated } from '../demo/generate.ts';
import { makeFolder } from '../store/files/durable.ts';
import { defineCommand } from './command.ts';

import { counted } from '../observability/counted.ts';

const flags = [
  { flag: 'patients', value: 'NUMBER', read: integer(1, 1_000_000), default: '100', meaning: 'How many patients' },
  {
    flag: 'seed',
    value: 'NUMBER',
    read: integer(0, 999_999),
    default: '1',
    meaning: 'Another seed, other people; it is part of every id',
  },
  {
    flag: 'date',
    value: 'YYYY-MM-DD',
    read: date,
    default: DEFAULT_DATE,
    meaning: 'The day on which the records are taken',
  },
  { flag: 'out', value: 'DIR', read: String, meaning: 'Folder for one NDJSON file a type, instead of stdout' },
] as const satisfies readonly Flag[];

/** Writes synthetic records: to stdout patient by patient, or to a folder with one NDJSON file per type. */
export const command = defineCommand({
  details: `People of Ontario with their appointments, encounters, observations, problems, prescriptions and family
histories, about 55 records each. The same flags always give the same bytes.

  npm run --silent cli -- generate --patients 1000 --seed 7 --out ./generated
  npm run --silent cli -- generate --patients 10 | npm run cli -- load --partition demo -`,
  takes: ['debug'],
  whenStopped: 'The output is not complete; the same command writes all of it again.',
  own: flags,
  async run({ own }) {
    const options = { patients: own.patients, seed: own.seed, date: own.date };
    if (own.out === undefined) {
      await pipeline(Readable.from(lines(generate(options))), process.stdout, { end: false });
    } else {
      await writeFolder(own.out, generate(options));
    }
  },
});

function date(text: string): string {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (!Number.isNaN(time) && new Date(time).toISOString().startsWith(text) && text >= '2011') return text;
  throw new Error(`is \`${text}\`, but must be a date from 2011 on, such as \`2026-06-30\`.`);
}

/** Minimum number of characters per write, so that there are few writes. */
const blockLength = 65_536;

/** Lines in blocks. */
function* lines(records: Iterable<Generated>): Iterable<string> {
  let block = '';
  for (const { text } of records) {
    block += `${text}\n`;
    if (block.length < blockLength) continue;
    yield block;
    block = '';
  }
  yield block;
}

async function writeFolder(folder: string, records: Iterable<Generated>): Promise<void> {
  // The records are synthetic, but the folder above may later contain a store.
  makeFolder(folder);
  const files = new Map<string, { readonly path: string; block: string; records: number }>();
  for (const { type, text } of records) {
    let file = files.get(type);
    if (file === undefined) {
      files.set(type, (file = { path: join(folder, `${type}.ndjson`), block: '', records: 0 }));
      await writeFile(file.path, '');
    }
    file.records++;
    file.block += `${text}\n`;
    if (file.block.length < blockLength) continue;
    await appendFile(file.path, file.block);
    file.block = '';
  }
  for (const { path, block, records } of files.values()) {
    await appendFile(path, block);
    console.error(`${path}: ${counted(records, 'record')}`);
  }
}
