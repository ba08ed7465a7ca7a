import type { Db } from 'mongodb';
import type { ResourceType } from '../../model/model.ts';
import { idTerm, urlTerm } from '../keys/terms.ts';
import { paramsReferringTo, readyIndexes } from '../plan/indexes.ts';
import type { RecordKey, Referred } from '../port/records.ts';
import { ofPartition } from './attachment-bucket.ts';
import { insertNew, usedTypes } from './collections.ts';
import { anyOf } from './conditions.ts';
import { type Core, type PartitionInfo, resources, type Step, withSession } from './core.ts';
import { indexesOf } from './lower.ts';

/** What this process has listed. */
const listed = new WeakMap<Db, Set<string>>();

/** Lists the types of records that are about to be written to a partition, before the first of each. */
export async function listTypes({ database }: Core, p: string, types: Iterable<string>): Promise<void> {
  const known = listed.get(database) ?? new Set();
  listed.set(database, known);
  for (const type of new Set(types)) {
    const _id = `${p}/${type}`;
    if (known.has(_id)) continue;
    await insertNew(usedTypes(database), { _id });
    known.add(_id);
  }
}

/** The types that a partition uses, if only before: a write that was acknowledged before is among them. */
export async function usedTypesOf({ database }: Core, p: string): Promise<ReadonlySet<string>> {
  const found = await usedTypes(database)
    .find({ _id: ofPartition(p) })
    .toArray();
  return new Set(found.map(({ _id }) => _id.slice(p.length + 1)));
}

/** Terms that one command has: they take less than half of a document of 16 MiB. */
const termsAtOnce = 40_000;

/** Types that one command searches. */
const typesAtOnce = 200;

/**
 * The types of records that refer to one of some others, apart from those in `except`: one command for all types, if
 * the records are few. Throws `IndexPending`.
 */
export async function findReferring(
  core: Core,
  { p }: Pick<PartitionInfo, 'p'>,
  to: Referred,
  { except = [], step = {} }: { readonly except?: readonly RecordKey[]; readonly step?: Step } = {},
): Promise<readonly string[]> {
  const asked: Asked[] = [];
  const used = await usedTypesOf(core, p);
  for (const [type, params] of paramsReferringTo(core.options.model, to.type)) {
    if (!used.has(type.name)) continue;
    const indexes = readyIndexes(indexesOf(type, p, await core.registry.ready(p, type)), params);
    for (const { code } of params) core.options.used?.(type, code, 'search');
    const terms = indexes.flatMap(({ start }) =>
      to.ids.flatMap(id => [start + idTerm(id, to.type), start + urlTerm(`${to.base}/${to.type}/${id}`)]),
    );
    const apart = except.filter(one => one.type === type.name).map(({ id }) => `${p}/${id}`);
    asked.push({ type, terms, apart });
  }
  const found: string[] = [];
  // A transaction refuses `$unionWith`.
  for (const some of inCommands(asked, step.session === undefined ? typesAtOnce : 1))
    found.push(...(await searchTypes(core, p, some, step)));
  return [...new Set(found)];
}

/** What is searched in one type: the terms, and the `_id`s that do not count. */
interface Asked {
  readonly type: ResourceType;
  readonly terms: readonly string[];
  readonly apart: readonly string[];
}

function inCommands(asked: readonly Asked[], types: number): readonly (readonly Asked[])[] {
  const commands: Asked[][] = [];
  let [command, size]: [Asked[], number] = [[], 0];
  for (const one of asked)
    for (let at = 0; at < one.terms.length; at += termsAtOnce) {
      const terms = one.terms.slice(at, at + termsAtOnce);
      if (command.length === 0 || command.length === types || size + terms.length > termsAtOnce) {
        commands.push((command = []));
        size = 0;
      }
      command.push({ ...one, terms });
      size += terms.length;
    }
  return commands;
}

/** https://www.mongodb.com/docs/manual/reference/operator/aggregation/unionWith/#restrictions */
async function searchTypes(core: Core, p: string, asked: readonly Asked[], step: Step): Promise<readonly string[]> {
  const [first, ...others] = asked.map(({ type: { name }, terms, apart }) => ({
    name,
    stages: [
      {
        $match: {
          t: anyOf(terms),
          ...(core.deployment.sharded ? { p } : {}),
          ...(apart.length === 0 ? {} : { _id: { $nin: apart } }),
        },
      },
      { $limit: 1 },
      { $project: { _id: { $literal: name } } },
    ],
  }));
  if (first === undefined) return [];
  const unions = others.map(({ name, stages }) => ({ $unionWith: { coll: name, pipeline: stages } }));
  const options = { maxTimeMS: core.options.deadline, ...withSession(step) };
  const found = await resources(core, first.name)
    .aggregate<{ _id: string }>([...first.stages, ...unions], options)
    .toArray();
  return found.map(({ _id }) => _id);
}
