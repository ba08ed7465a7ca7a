import { request } from 'node:http';
import { join } from 'node:path';
import { readConfig } from '../../../src/config/read.ts';
import { startEngine } from '../../../src/engine/engine.ts';
import type { RunningEngine } from '../../../src/engine/engine.ts';
import { splitForStamp } from '../../../src/fhir/resource-text.ts';
import { requireModel } from '../../support/loaded-once.ts';
import type { Place } from '../../support/store-place.ts';
import { testTokens } from '../../support/tokens.ts';
import type { TestTokens } from '../../support/tokens.ts';
import type { Recorded, Resource } from './records.ts';
import type { Asked } from './requests.ts';
import { storedParameters } from './stored-parameters.ts';

export const publicUrl = 'https://twins.example';

/** Two servers that differ in nothing but the records which they are given. */
export interface Twins {
  readonly tokens: TestTokens;
  readonly servers: readonly [Server, Server];
  close(): Promise<void>;
}

export interface Server {
  readonly running: RunningEngine;
  /** Makes a partition with the records, the version n of record m always at the same time. */
  fill(partition: string, all: readonly Recorded[], held: readonly Recorded[]): Promise<void>;
  /** Asks at a moment of the partition; everything that an answer says, as a text. */
  ask(partition: string, asked: Asked, token: string, moment: number): Promise<string>;
}

/** `isDefining`: their partitions have the search parameters of stored-parameters.ts. */
export async function startTwins(guarded: boolean, newPlace: () => Promise<Place>, isDefining = false): Promise<Twins> {
  const tokens = testTokens();
  const folders = [...(guarded ? ['guarded'] : []), ...(isDefining ? ['defining'] : [])];
  const flags = folders.flatMap(name => ['--definitions', join(import.meta.dirname, '../../fixtures', name)]);
  const one = async (): Promise<readonly [Server, () => Promise<void>]> => {
    const place = await newPlace();
    const config = readConfig([
      '--port',
      '0',
      '--store',
      place.url,
      '--log',
      'off',
      '--access',
      'token',
      '--authorization-server',
      'off',
      '--public-url',
      publicUrl,
      ...flags,
    ]);
    const clock = { now: Date.UTC(2026, 0, 1), ids: 0 };
    const parts = { verify: tokens.verify, now: () => clock.now, newId: () => `new-${clock.ids++}` };
    const running = await startEngine(config, undefined, { load: requireModel, ...parts });
    const close = async (): Promise<void> => {
      await running.close();
      await place.remove();
    };
    return [serverOf(running, clock, isDefining ? storedParameters : []), close];
  };
  const [first, second] = [await one(), await one()];
  return {
    tokens,
    servers: [first[0], second[0]],
    close: async () => {
      await first[1]();
      await second[1]();
    },
  };
}

function serverOf(
  running: RunningEngine,
  clock: { now: number; ids: number },
  definitions: readonly Resource[],
): Server {
  const starts = new Map<string, number>();
  return {
    running,
    async fill(name, all, held) {
      // Each partition has an hour of its own, so that time never goes back.
      const start = Date.UTC(2026, 0, 1) + (starts.size + 1) * 3_600_000;
      starts.set(name, start);
      await running.engine.store.partitions.add(name, { zone: 'UTC' });
      const partition = await running.engine.store.partition(name);
      if (partition === undefined) throw new Error('no partition');
      clock.now = start - 1_000;
      await partition.write(
        definitions.map(one => {
          const { resourceType: type, id } = one;
          return { kind: 'put', type, id, text: splitForStamp(JSON.stringify(one), id) };
        }),
      );
      for (const [index, record] of all.entries()) {
        if (!held.includes(record)) continue;
        const texts = record.versions.map(version => JSON.stringify(version));
        for (const [number, text] of texts.entries()) {
          const { resourceType: type = '', id = '' } = record.versions[number] ?? {};
          clock.now = start + index * 10_000 + number * 1_000;
          await partition.write([{ kind: 'put', type, id, text: splitForStamp(text, id) }]);
          if (!record.deleted || number < texts.length - 1) continue;
          clock.now += 500;
          await partition.write([{ kind: 'remove', type, id }]);
        }
      }
    },
    ask(name, asked, token, moment) {
      clock.now = (starts.get(name) ?? 0) + 1_800_000 + moment * 1_000;
      clock.ids = moment * 100; // a transaction takes several
      return send(running.port, `/r4/${name}${asked.path}`, asked, token);
    },
  };
}

function send(port: number, path: string, { method, headers, body }: Asked, token: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const all = { Authorization: `Bearer ${token}`, 'X-Request-Id': 'twin', ...headers };
    const sent = request({ port, host: '127.0.0.1', method, path, headers: all }, response => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const said = { ...response.headers };
        delete said.date;
        resolve(JSON.stringify([response.statusCode, said, Buffer.concat(chunks).toString()]));
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
