import { expect, it } from 'vitest';
import type { Model } from '../../src/model/model.ts';
import { bytesOf, digestOf } from './support/bytes-of.ts';
import type { Place } from './support/fixture.ts';
import { runAndKill } from './support/run-and-kill.ts';
import { openClinic, shippedModel } from './support/shipped.ts';
import { current } from './support/current.ts';
import { attachmentSteps } from './support/verified.ts';
import { attachmentsIn } from '../support/attached.ts';

/** What creates that are killed leave behind: nothing acknowledged lost or doubled, and no bytes lost or damaged. */
export function killContract(newPlace: () => Promise<Place>, rounds: number): void {
  const timeout = 60_000 + rounds * 60_000;
  it(`creates that are killed ${rounds} times lose and double nothing`, { timeout }, async () => {
    const place = await newPlace();
    const model = await shippedModel();
    /** The id of each picture that was acknowledged, by its name. */
    const acknowledged = new Map<string, string>();
    let open: readonly string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      // Every other time it has acknowledged a new one, however slow the machine.
      const due = round % 2 === 0 ? /^ready$/m : /^ready$[^]*^done /m;
      const said = await createAndKill([place.url, `r${round}`, ...open], (round * 37) % 250, due);
      for (const [name, id] of said.done) {
        expect(id).toBe(acknowledged.get(name) ?? id);
        acknowledged.set(name, id);
      }
      open = said.begun.filter(name => !acknowledged.has(name));
      await checkPlace(place.url, model, acknowledged, open);
    }
    expect(acknowledged.size).toBeGreaterThanOrEqual(Math.floor(rounds / 2));
    await place.remove();
  });
}

async function checkPlace(
  url: string,
  model: Model,
  acknowledged: ReadonlyMap<string, string>,
  open: readonly string[],
): Promise<void> {
  const { store, clinic } = await openClinic(url, model);
  const pictures: { name: string; id: string }[] = [];
  for await (const { id, text = '' } of current(clinic, 'Media'))
    pictures.push({ name: /"value":"([^"]+)"/.exec(text)?.[1] ?? '', id });
  const names = new Map(pictures.map(({ name, id }) => [name, id]));
  expect(names.size).toBe(pictures.length);
  const unsaid = [...names].filter(([name]) => open.includes(name));
  expect(new Map([...acknowledged, ...unsaid])).toEqual(names);
  const digests = (await attachmentsIn(clinic, 'Media')).map(({ id, digest }) => [id, digest] as const);
  expect(new Map(digests)).toEqual(new Map(pictures.map(({ name, id }) => [id, digestOf(bytesOf(name))])));
  await store.close();

  const reading = await openClinic(url, model, { mode: 'read' });
  for (const { findings } of await attachmentSteps(reading.store, 'clinic')) expect(findings).toEqual([]);
  await reading.store.close();
}

/** The names of creates that were begun, and of those that were acknowledged. */
interface Printed {
  readonly begun: readonly string[];
  readonly done: readonly (readonly [name: string, id: string])[];
}

/** Runs creates in a process of its own, which is killed so many milliseconds after a line that `due` matches. */
async function createAndKill(args: readonly string[], after: number, due: RegExp): Promise<Printed> {
  const lines = (await runAndKill('create-child.ts', args, after, due)).map(line => line.split(' '));
  return {
    begun: lines.flatMap(([what, name = '']) => (what === 'begin' ? [name] : [])),
    done: lines.flatMap(([what, name = '', id = '']) => (what === 'done' ? [[name, id] as const] : [])),
  };
}
