import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startChild } from '../child.ts';
import { loadInto, ndjson, partition, temporary } from '../data/dataset.ts';
import { writeTransactionInterface } from '../data/join-interface.ts';
import type { LoadResult } from '../loader.ts';
import { median } from '../statistics.ts';
import { processorTime } from './processor-time.ts';
import { answered, freePort } from './start.ts';

/** Transactions beside a load of the same records, in milliseconds for 60 records. */
export interface TransactionResults {
  /** From the request to its answer, one after another. */
  readonly wall: number;
  /** Of the processor, of all threads of the server. */
  readonly cpu: number;
  readonly loadWall: number;
  readonly loadCpu: number;
}

const entries = 60;
const command = fileURLToPath(new URL('../../../src/start.js', import.meta.url));

/**
 * Sends records in transactions of 60 entries, and loads the same records into another store, in turns: medians of the
 * turns, since one of either says little on a machine that does other work too.
 */
export async function measureTransactions(
  { warmUp, transactions, turns }: { readonly warmUp: number; readonly transactions: number; readonly turns: number },
  say: (text: string) => void,
): Promise<TransactionResults> {
  const scratch = temporary('transactions');
  try {
    const source = await ndjson((warmUp + transactions) * entries, 5, join(scratch.folder, 'records.ndjson'));
    const texts = readFileSync(source.file, 'utf8').split('\n').filter(Boolean);
    const results: TransactionResults[] = [];
    for (let turn = 0; turn < turns; turn += 1) {
      say(`Sending ${warmUp + transactions} transactions of ${entries} entries, ${turn + 1} of ${turns} …`);
      const folder = join(scratch.folder, String(turn));
      mkdirSync(folder);
      results.push({ ...(await load(folder, source.file)), ...(await send(folder, texts, warmUp)) });
    }
    const of = (name: keyof TransactionResults): number => median(results.map(result => result[name]));
    return { wall: of('wall'), cpu: of('cpu'), loadWall: of('loadWall'), loadCpu: of('loadCpu') };
  } finally {
    scratch.remove();
  }
}

async function load(folder: string, source: string): Promise<Pick<TransactionResults, 'loadWall' | 'loadCpu'>> {
  const loader = await startChild('./loader.ts', { arguments: [join(folder, 'loaded.sqlite'), partition] });
  const { records, seconds, cpuSeconds } = await loader.ask<LoadResult>([source]);
  await loader.stop();
  const ofEntries = (entries * 1000) / records;
  return { loadWall: seconds * ofEntries, loadCpu: cpuSeconds * ofEntries };
}

async function send(
  folder: string,
  texts: readonly string[],
  warmUp: number,
): Promise<Pick<TransactionResults, 'wall' | 'cpu'>> {
  const records = texts.map(text => ({ ...(JSON.parse(text) as { resourceType: string; id: string }), text }));
  const capability = writeTransactionInterface(folder, [...new Set(records.map(({ resourceType }) => resourceType))]);
  const file = join(folder, 'records.sqlite');
  writeFileSync(join(folder, 'first.ndjson'), '{"resourceType":"Patient","id":"first"}\n');
  await loadInto(file, join(folder, 'first.ndjson'));
  const port = await freePort();
  const flags = ['--port', String(port), '--store', `sqlite:${file}`, '--capability', capability, '--log', 'off'];
  const server = spawn(process.execPath, [command, 'serve', ...flags, '--access', 'open'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(server, 'exit');
  try {
    const base = `http://127.0.0.1:${port}/r4/${partition}`;
    await answered(`${base}/metadata`, () => server.exitCode === null);
    let [from, used] = [0, 0];
    let measured = 0;
    for (let at = 0; at < records.length; at += entries) {
      if (at === warmUp * entries) [from, used] = [performance.now(), processorTime(server.pid)];
      const list = records.slice(at, at + entries).map(({ resourceType, id, text }) => {
        return `{"resource":${text},"request":{"method":"PUT","url":"${resourceType}/${id}"}}`;
      });
      const body = `{"resourceType":"Bundle","type":"transaction","entry":[${list.join(',')}]}`;
      const headers = { 'Content-Type': 'application/fhir+json', Prefer: 'return=minimal' };
      const answer = await fetch(base, { method: 'POST', headers, body });
      const said = await answer.text();
      if (answer.status !== 200) throw new Error(`A transaction was answered ${answer.status}: ${said}`);
      if (at >= warmUp * entries) measured += list.length / entries;
    }
    return { wall: (performance.now() - from) / measured, cpu: (processorTime(server.pid) - used) / measured };
  } finally {
    server.kill('SIGTERM');
    await ended;
  }
}
