import type { SearchParam } from '../../model/model.ts';
import type { QueryPair } from '../../search/request.ts';
import { caseOf } from '../cases/case.ts';
import type { Case } from '../cases/case.ts';
import { deriveCases } from '../cases/derive.ts';
import { absentOf } from '../cases/source.ts';
import { sampleOf } from '../context.ts';
import type { TestContext } from '../context.ts';
import type { Known } from '../records.ts';
import type { DeclaredType } from '../statement.ts';
import { mayRefer } from '../target.ts';
import { runCase } from './case.ts';
import { recordAt, referenceParameters, targetsOf } from './references.ts';

/**
 * Chains over each reference of a type, and `_has` of each type that refers to it. A capability statement does not
 * declare them, so that a refusal is no failure. https://hl7.org/fhir/R4/search.html#chaining
 */
export async function checkChains(context: TestContext, type: DeclaredType): Promise<void> {
  for (const param of referenceParameters(context, type.name)) await checkChain(context, type, param);
  for (const source of context.sample.keys())
    for (const param of referenceParameters(context, source).filter(one => mayRefer(one, type.name)))
      await checkHas(context, type, source, param);
}

async function checkChain(context: TestContext, { name }: DeclaredType, param: SearchParam): Promise<void> {
  const targets: Known[] = [];
  for (const known of sampleOf(context, name))
    for (const target of targetsOf(context, param, known)) {
      const found = await recordAt(context, target);
      if (found !== undefined && context.model.types.has(found.type)) targets.push(found);
    }
  const [first] = targets;
  if (first === undefined) return;
  const same = targets.filter(({ type }) => type === first.type);
  // Whether a record of the answer matches is certain if all the records to which it refers can be read.
  const canJudge = async (known: Known): Promise<boolean> => {
    const found = targetsOf(context, param, known).map(target => recordAt(context, target));
    return (await Promise.all(found)).every(one => one !== undefined);
  };
  for (const one of innerCases(context, first.type, same).slice(0, context.depth))
    await runCase(context, name, prefixed(one, `${param.code}:${first.type}.`, 'search.chain'), { canJudge });
}

/** A record outside of the sample may refer to an extra, so that extras are never certain. */
async function checkHas(
  context: TestContext,
  { name }: DeclaredType,
  source: string,
  param: SearchParam,
): Promise<void> {
  const isAbout = (known: Known): boolean => targetsOf(context, param, known).some(one => one.startsWith(`${name}/`));
  const referring = sampleOf(context, source).filter(isAbout);
  const [one] = innerCases(context, source, referring);
  if (one === undefined) return;
  await runCase(context, name, {
    ...prefixed(one, `_has:${source}:${param.code}:`, 'search.has'),
    mayFindMore: true,
  });
}

/** Plain searches for the values of records. */
function innerCases({ model, records, client }: TestContext, type: string, sample: readonly Known[]): readonly Case[] {
  return [...(model.types.get(type)?.parameters.values() ?? [])]
    .filter(param => inner.has(param.type) && (!param.code.startsWith('_') || param.code === '_id'))
    .toSorted((a, b) => Number(a.code === '_id') - Number(b.code === '_id'))
    .flatMap(param =>
      deriveCases({ param, sample, records, base: client.base, depth: 1 })
        .filter(({ check, pairs }) => check === `search.${param.type}` && pairs[0]?.[1] !== absentOf(param))
        .slice(0, 1),
    );
}

const inner: ReadonlySet<string> = new Set(['string', 'token', 'date', 'quantity', 'number']);

function prefixed(one: Case, prefix: string, check: Case['check']): Case {
  const named = (pairs: readonly QueryPair[]): readonly QueryPair[] =>
    pairs.map(([name, value]) => [`${prefix}${name}`, value]);
  const [[name, value] = ['', '']] = named(one.pairs);
  return { ...caseOf(check, name, value, { optional: true }), alternatives: one.alternatives.map(named) };
}
