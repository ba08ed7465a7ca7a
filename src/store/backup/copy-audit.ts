import { type FileHandle, link, open, rm, stat } from 'node:fs/promises';
import { type AuditDamage, verifyChains } from '../audit/verify.ts';
import { auditFiles, auditFolder, chainPath } from '../files/audit.ts';
import { ifThere, makeFolder, openNew } from '../files/durable.ts';
import type { Places } from './attachments.ts';
import type { Manifest } from './manifest.ts';
import { digestOfFile, type Pace } from './pace.ts';
import type { BackupFinding } from './port.ts';

const slice = 1024 * 1024;
const rounds = 3;

type Chains = Manifest['audit'];

/**
 * Copies the audit log, each chain up to its last whole line, and verifies the copy; gives what is damaged in it.
 *
 * Chains are only appended to, but one names the ends of those before it. So the newest is copied first: what it names
 * is then in the older ones, which are copied later. Where a chain is missed all the same (it began while the folder
 * was read, a clock went back, old days were dropped), what has grown since is copied in a second round.
 */
export async function copyAudit(
  places: Places,
  previous: Chains,
  pace: Pace,
  step: (done: number, of: number) => void,
): Promise<readonly BackupFinding[]> {
  const copied = new Map<string, number>();
  for (let round = 1; ; round += 1) {
    const sizes = await sizesOf(places.from);
    const changed = [...sizes].filter(([chain, size]) => copied.get(chain) !== size).toReversed();
    const of = changed.reduce((sum, [, size]) => sum + size, 0);
    if (changed.length > 0) makeFolder(auditFolder(places.to));
    let done = 0;
    for (const [chain, size] of changed) {
      copied.set(chain, await copyChain(places, chain, previous, pace));
      done += size;
      step(done, of);
    }
    const damage = await damageIn(places.to);
    if (round === rounds || changed.length === 0 || damage.every(({ is }) => is !== 'missing'))
      return damage.map(one => ({ in: 'audit', ...one }));
  }
}

async function damageIn(file: string): Promise<readonly AuditDamage[]> {
  const damage: AuditDamage[] = [];
  for await (const one of verifyChains(auditFiles(file))) damage.push(one);
  return damage;
}

/** The manifest's description of a copied audit log. */
export async function describeAudit(file: string, pace: Pace): Promise<Chains> {
  const chains: Chains[number][] = [];
  for (const [chain, size] of await sizesOf(file))
    chains.push({ chain, size, digest: await digestOfFile(chainPath(file, chain), pace) });
  return chains;
}

/** In the order of their creation. */
async function sizesOf(file: string): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  for (const chain of await auditFiles(file).chains()) {
    const found = await ifThere(() => stat(chainPath(file, chain)));
    if (found !== undefined) sizes.set(chain, found.size); // else it was pruned meanwhile
  }
  return sizes;
}

/** Returns the size of the chain that was read; 0 if it was pruned meanwhile. */
async function copyChain(places: Places, chain: string, previous: Chains, pace: Pace): Promise<number> {
  const [from, to] = [chainPath(places.from, chain), chainPath(places.to, chain)];
  await rm(to, { force: true }); // never overwritten: it may be a link to another backup
  const copied = await ifThere(async () => {
    const linked = await linkChain(places, chain, previous, pace);
    if (linked !== undefined) return linked;
    const handle = await open(from);
    const { size } = await handle.stat();
    await copyLines(handle, size, to, pace);
    return size;
  });
  return copied ?? 0;
}

async function linkChain(places: Places, chain: string, previous: Chains, pace: Pace): Promise<number | undefined> {
  const older = previous.find(one => one.chain === chain);
  if (places.previous === undefined || older === undefined) return undefined;
  const from = chainPath(places.from, chain);
  if ((await stat(from)).size !== older.size || (await digestOfFile(from, pace)) !== older.digest) return undefined;
  try {
    await link(chainPath(places.previous, chain), chainPath(places.to, chain));
    return older.size;
  } catch {
    return undefined; // another file system, or one without links
  }
}

/** Copies the first bytes up to the last end of a line, and closes the source. */
async function copyLines(from: FileHandle, size: number, path: string, pace: Pace): Promise<void> {
  const to = await openNew(path);
  try {
    let [length, whole] = [0, 0];
    const stream = size === 0 ? [] : from.createReadStream({ end: size - 1, highWaterMark: slice });
    for await (const bytes of stream) {
      const piece = bytes as Buffer; // a stream without encoding returns bytes
      await to.writeFile(piece);
      const end = piece.lastIndexOf(newline);
      if (end >= 0) whole = length + end + 1;
      length += piece.length;
      await pace.spend(piece.length);
    }
    await to.truncate(whole);
    await to.sync();
  } finally {
    await from.close();
    await to.close();
  }
}

const newline = 0x0a;
