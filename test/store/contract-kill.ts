import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { buffer } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import type { Place } from './contract-create.ts';
import { bytesOf, digestOf } from './support/bytes-of.ts';
import { openClinic, shippedModel } from './support/shipped.ts';

const child = fileURLToPath(new URL('support/create-child.ts', import.meta.url));

/** What creates that are killed leave behind: nothing acknowledged lost or doubled, and no bytes without a record. */
export function killContract(newPlace: () => Promise<Place>, rounds: number): void {
  it(
    `creates that are killed lose and double nothing, ${rounds} times`,
    { timeout: 60_000 + rounds * 10_000 },
    async () => {
      const place = await newPlace();
      const model = await shippedModel();
      /** The id of each picture that was acknowledged, by its name. */
      const acknowledged = new Map<string, string>();
      let open: readonly string[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const said = await createAndKill(place.url, `r${round}`, open, (round * 37) % 250);
        for (const [name, id] of said.done) {
          if (acknowledged.has(name)) expect(id).toBe(acknowledged.get(name));
          acknowledged.set(name, id);
        }
        open = said.begun.filter(name => !acknowledged.has(name));

        const { store, clinic } = await openClinic(place.url, model);
        const names = new Map<string, string>();
        for await (const { id, text = '' } of clinic.scan('Media')) {
          const name = /"value":"([^"]+)"/.exec(text)?.[1] ?? '';
          expect(names.has(name), `${name} is there twice`).toBe(false);
          names.set(name, id);
        }
        for (const [name, id] of acknowledged) expect(names.get(name), name).toBe(id);
        for (const name of names.keys()) expect(acknowledged.has(name) || open.includes(name), name).toBe(true);
        const carried = new Map((await Array.fromAsync(clinic.attachments('Media'))).map(one => [one.id, one]));
        for (const [name, id] of names) expect(carried.get(id)?.digest).toBe(digestOf(bytesOf(name)));
        await store.close();

        // The start has swept; nobody serves now, so that all bytes without a record are told.
        const reading = await openClinic(place.url, model, { mode: 'read' });
        for await (const { findings } of reading.clinic.verifyAttachments()) expect(findings).toEqual([]);
        const [some] = carried.values();
        const stream = some === undefined ? undefined : await reading.clinic.attachment(some.digest);
        if (stream !== undefined) expect(digestOf(await buffer(stream))).toBe(some?.digest);
        await reading.store.close();
      }
      expect(acknowledged.size).toBeGreaterThan(rounds);
      await place.remove();
    },
  );
}

interface Said {
  readonly begun: readonly string[];
  readonly done: readonly (readonly [name: string, id: string])[];
}

/** Runs creates in a process of its own and kills it so many milliseconds after it has begun new ones. */
async function createAndKill(url: string, prefix: string, again: readonly string[], after: number): Promise<Said> {
  const creating = spawn(process.execPath, [child, url, prefix, ...again], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  let isDue = false;
  creating.stdout.on('data', (text: Buffer) => {
    said += text.toString();
    if (isDue || !said.includes('ready\n')) return;
    isDue = true;
    setTimeout(() => creating.kill('SIGKILL'), after);
  });
  await once(creating, 'close');
  expect(creating.signalCode).toBe('SIGKILL');
  const lines = said.split('\n').slice(0, -1).map(line => line.split(' ')); // prettier-ignore
  return {
    begun: lines.flatMap(([what, name = '']) => (what === 'begin' ? [name] : [])),
    done: lines.flatMap(([what, name = '', id = '']) => (what === 'done' ? [[name, id] as const] : [])),
  };
}
