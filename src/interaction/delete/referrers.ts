import { isWithin, restriction } from '../../auth/restrict.ts';
import { FhirError } from '../../fhir/error.ts';
import type { Issue } from '../../fhir/outcome.ts';
import type { ResourceType } from '../../model/model.ts';
import type { Query } from '../../search/ast.ts';
import type { Partition } from '../../store/partitions.ts';
import type { StoredVersion } from '../../store/records.ts';
import type { Engine, FhirRequest } from '../interaction.ts';
import { refuseCostly } from '../search/costly.ts';
import { findPage } from '../search/find.ts';
import { anyOrder } from '../search/joined.ts';

/** Referrers of each type that are read. */
const mostRead = 100;

/** Referrers that an answer names. */
const mostNamed = 50;

/**
 * Throws FhirError 409 if records refer to a record, by any indexed parameter, with those that the caller may see. A
 * reference of the record to itself does not count. https://hl7.org/fhir/R4/http.html#delete
 */
export async function refuseReferred(
  engine: Pick<Engine, 'model' | 'extract'>,
  { access, base }: Pick<FhirRequest, 'access' | 'base'>,
  partition: Partition,
  type: ResourceType,
  id: string,
): Promise<void> {
  const { model, extract } = engine;
  const seen: string[] = [];
  let isReferred = false;
  for (const from of model.types.values()) {
    const referrers = await referrersOf(engine, partition, { from, type, id, base });
    if (referrers.length > 0) isReferred = true;
    for (const { text, ...record } of referrers) {
      const isSeen = (['r', 's'] as const).some(
        letter =>
          text !== undefined &&
          isWithin(restriction(access, from, letter), from, { ...record, text }, extract, partition),
      );
      if (isSeen) seen.push(`${from.name}/${record.id}`);
    }
  }
  if (isReferred) throw new FhirError(409, issuesOf(`${type.name}/${id}`, seen));
}

interface Target {
  readonly from: ResourceType;
  readonly type: ResourceType;
  readonly id: string;
  readonly base: string;
}

async function referrersOf(
  { extract }: Pick<Engine, 'extract'>,
  partition: Partition,
  { from, type, id, base }: Target,
): Promise<readonly StoredVersion[]> {
  const of = [...from.indexed.values()]
    .filter(param => param.type === 'reference' && param.reads === undefined)
    .filter(({ targets }) => targets.length === 0 || targets.includes(type.name))
    .map((param): Query => ({ kind: 'param', param, test: { kind: 'reference', type: type.name, id, base } }));
  if (of.length === 0) return [];
  const search = { type: from, query: { kind: 'or', of } as const, sort: anyOrder, limit: mostRead, after: undefined };
  const { versions } = await refuseCostly(findPage(search, { partition, extract, base }));
  return versions.filter(one => from !== type || one.id !== id);
}

function issuesOf(record: string, seen: readonly string[]): readonly Issue[] {
  const shown = seen.slice(0, mostNamed);
  const what = shown.length === 0 ? 'other records refer to it' : 'these records refer to it, and possibly others';
  const text = `\`${record}\` is not deleted, since ${what}. Change or delete them first.`;
  return [
    { severity: 'error', code: 'conflict', text },
    ...shown.map((name): Issue => ({ severity: 'error', code: 'conflict', text: `\`${name}\` refers to it.` })),
  ];
}
