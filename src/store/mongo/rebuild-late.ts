import type { ResourceType } from '../../model/model.ts';
import { ofPartition } from './attachment-bucket.ts';
import { type Core, type PartitionInfo, resources } from './core.ts';
import { livingServers } from './heartbeat.ts';
import { pagesOf } from './pages.ts';
import { readable, type Readable, remake } from './remake.ts';
import { definitionsDigest, madeBy, noDefinitions } from './wanted.ts';

/** How long after noticing other definitions a write of another process may still arrive, in milliseconds. */
const margin = 6_000;

/** A wait that was not polled for this time starts again, in milliseconds. */
const forgotten = 60_000;

/**
 * Before indexes of a type become ready: finds documents that processes with other definitions wrote since ours were
 * registered, and rebuilds their fields. Such processes notice within a second, and their requests arrive within the
 * timeout of an operation. False before that time.
 */
export async function remakeLate(core: Core, partition: PartitionInfo, type: ResourceType): Promise<boolean> {
  const ours = definitionsDigest(core.options.model);
  const others = (await livingServers(core)).some(
    ({ definitions }) => definitions !== ours && definitions !== noDefinitions,
  );
  if (!others && !core.beganBeside) return true;
  if (others && !isOver(core, `${partition.p}/${type.name}`)) return false;
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
