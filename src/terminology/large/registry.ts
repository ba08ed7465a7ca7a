import { Cache } from '../../limits/cache.ts';
import type { CodeSystem } from '../code-system.ts';
import { NotRead } from '../reads.ts';
import type { TerminologyResource } from '../source.ts';
import { headsOf } from './layout.ts';
import type { DocumentPlace, Head } from './layout.ts';
import { openSystem } from './system.ts';

/** The code systems of a partition whose concepts are in the store, as they were when a call began. */
export interface LargeSystems {
  /** The versions of a system. */
  versions(url: string): readonly TerminologyResource[];
  all(): readonly TerminologyResource[];
  /** The system of one of these. Throws NotRead until its codes have been read. */
  open(definition: TerminologyResource): CodeSystem | undefined;
}

/** Most systems whose codes and hierarchies stay in memory. */
const most = 4;

const opened = new Cache<CodeSystem>(most);
const opening = new Map<string, Promise<unknown>>();

/** Reads which systems there are; what is read of them is kept by the load that wrote it. */
export async function largeSystemsOf(place: DocumentPlace, partition: string): Promise<LargeSystems> {
  const heads = await headsOf(place, partition);
  if (heads.length === 0) return noLargeSystems;
  const definitions = new Map<TerminologyResource, Head>(
    heads.map(head => [{ url: head.url, version: head.version, resource: () => head.resource }, head]),
  );
  const all = [...definitions.keys()];
  return {
    all: () => all,
    versions: url => all.filter(one => one.url === url),
    open(definition) {
      const head = definitions.get(definition);
      return head === undefined ? undefined : openOne(place, partition, head);
    },
  };
}

export const noLargeSystems: LargeSystems = { all: () => [], versions: () => [], open: () => undefined };

function openOne(place: DocumentPlace, partition: string, head: Head): CodeSystem {
  const { generation } = head;
  const known = opened.get(generation);
  if (known !== undefined) return known;
  const reading =
    opening.get(generation) ??
    openSystem(place, partition, head)
      .then(system => opened.put(generation, system))
      .finally(() => opening.delete(generation));
  opening.set(generation, reading);
  throw new NotRead(reading);
}
