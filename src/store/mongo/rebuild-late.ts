import type { ResourceType } from '../../model/model.ts';
import { ofPartition } from './attachment-bucket.ts';
import { type Core, type PartitionInfo, resources } from './core.ts';
import { livingServers } from './heartbeat.ts';
import { pagesOf } from './pages.ts';
import { readable, type Readable, remake } from './remake.ts';
import { definitionsDigest, madeBy } from './wanted.ts';

/** How much later a write of another may arrive than its process has noticed other definitions, in milliseconds. */
const margin = 6_000;

/** After what time a wait that nobody asks about begins again, in milliseconds. */
const forgotten = 60_000;

/**
 * Before indexes of a type become ready: finds what processes with other definitions wrote since ours were registered, and
 * makes its fields again. They notice within a second, and what they have sent arrives within the time of an operation. False
 * where that time is not over yet.
 */
export async function remakeLate(core: Core, partition: PartitionInfo, type: ResourceType): Promise<boolean> {
  const ours = definitionsDigest(core.options.model);
  const others = (await livingServers(core)).some(({ definitions }) => definitions !== ours);
  if (!others) return true;
  if (!isOver(core, `${partition.p}/${type.name}`)) return false;
  const { p, settings } = partition;
  const late = { p, text: { $exists: true }, made: { $ne: madeBy(type, settings.zone) } };
  const options = { within: ofPartition(p), project: { ...readable, text: 1 } };
  for await (const page of pagesOf<Readable>(resources(core, type.name), late, options))
    await remake(core, partition, type, page);
  return true;
}

interface Wait {
  readonly since: number;
  asked: number;
}

const waits = new WeakMap<Core, Map<string, Wait>>();

function isOver(core: Core, place: string): boolean {
  const known = waits.get(core) ?? new Map<string, Wait>();
  waits.set(core, known);
  const now = performance.now();
  const wait = known.get(place);
  if (wait === undefined || now - wait.asked > forgotten) {
    known.set(place, { since: now, asked: now });
    return false;
  }
  wait.asked = now;
  return now - wait.since >= core.options.deadline + margin;
}
