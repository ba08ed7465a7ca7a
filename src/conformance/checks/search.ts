import { caseOf } from '../cases/case.ts';
import type { Case } from '../cases/case.ts';
import { deriveCases } from '../cases/derive.ts';
import { absentOf } from '../cases/source.ts';
import { sampleOf } from '../context.ts';
import type { TestContext } from '../context.ts';
import type { SearchParam } from '../../model/model.ts';
import type { DeclaredType } from '../statement.ts';
import { runCase } from './case.ts';

/** Every declared search parameter of a type, with the values of its sample. */
export async function checkSearches(context: TestContext, type: DeclaredType): Promise<void> {
  const { records, client, model, depth } = context;
  const sample = sampleOf(context, type.name);
  const known = model.types.get(type.name)?.parameters;
  const plain: Case[] = [];
  for (const declared of type.parameters) {
    const param = known?.get(declared.name);
    const source = param && { param, sample, records, base: client.base, depth };
    const cases = source === undefined ? [] : deriveCases(source);
    for (const one of cases.length === 0 ? probes(declared) : cases) await runCase(context, type.name, one);
    plain.push(...cases.slice(0, 1).filter(({ alternatives, check }) => isPlain(alternatives, check)));
  }
  await checkCombined(context, type, plain);
}

const isPlain = ({ length }: Case['alternatives'], check: string): boolean =>
  length === 1 && check.startsWith('search.');

/** A search by name alone, for a parameter whose meaning is not known. */
function probes({ name, type }: { readonly name: string; readonly type: string }): readonly Case[] {
  const kind = kinds.find(one => one === type);
  const value = kind === undefined ? undefined : absentOf({ type: kind });
  return value === undefined || name.startsWith('_')
    ? []
    : [{ ...caseOf('search.special', name, value), optional: kind === 'token' }]; // it may be a truth
}

const kinds = [
  'string',
  'token',
  'reference',
  'uri',
  'date',
  'number',
  'quantity',
] as const satisfies readonly SearchParam['type'][];

/** Two parameters together, and a search by POST. */
async function checkCombined(context: TestContext, { name }: DeclaredType, plain: readonly Case[]): Promise<void> {
  const [first, second] = [plain.find(({ pairs }) => !pairs[0]?.[0].startsWith('_')), plain.at(-1)];
  if (first === undefined || second === undefined) return;
  if (first !== second) {
    const pairs = [...first.pairs, ...second.pairs];
    await runCase(context, name, { ...first, check: 'search.and', pairs, alternatives: [pairs], optional: true });
  }
  await runCase(context, name, { ...first, check: 'search.post' }, { isPosted: true });
}
