import { sampleOf } from '../context.ts';
import type { QueryPair } from '../../search/request.ts';
import type { TestContext } from '../context.ts';
import type { SearchParam } from '../../model/model.ts';
import type { Known } from '../records.ts';
import type { DeclaredType } from '../statement.ts';
import { mayRefer } from '../target.ts';
import { ask } from './answer.ts';
import type { ServerAnswer } from './answer.ts';
import { checkOutcome } from './media-type.ts';
import { recordAt, referenceParameters, targetsOf } from './references.ts';

/** Records of the sample from which includes start. */
const starts = 5;

/** The declared includes of a type. https://hl7.org/fhir/R4/search.html#revinclude */
export async function checkIncludes(context: TestContext, type: DeclaredType): Promise<void> {
  const offered = (param: SearchParam): boolean =>
    type.includes.some(text => text === '*' || text === `${type.name}:*` || isOf(text, type.name, param.code));
  for (const param of referenceParameters(context, type.name).filter(offered)) await checkInclude(context, type, param);
  const sources = [...context.statement.types.keys()].filter(name => context.sample.has(name));
  for (const source of sources)
    for (const param of referenceParameters(context, source).filter(one => mayRefer(one, type.name)))
      if (type.revincludes.some(text => text === '*' || text === `${source}:*` || isOf(text, source, param.code)))
        await checkRevinclude(context, type, source, param);
}

const isOf = (text: string, type: string, code: string): boolean =>
  text === `${type}:${code}` || text.startsWith(`${type}:${code}:`);

/** Each record to which a match refers, if it can be read; nothing to which no match refers. */
async function checkInclude(context: TestContext, { name }: DeclaredType, param: SearchParam): Promise<void> {
  const referring = sampleOf(context, name).filter(known => targetsOf(context, param, known).length > 0);
  const include = `${name}:${param.code}`;
  if (referring.length === 0) return;
  const found = await askFor(context, name, referring.slice(0, starts), '_include', include, 'search.include');
  if (found === undefined) return;
  const { answer, subject, present } = found;
  const wanted = new Set<string>();
  for (const resource of answer.matches) {
    const known = context.records.read(resource);
    for (const target of known === undefined ? [] : targetsOf(context, param, known)) wanted.add(target);
  }
  const misses: string[] = [];
  for (const target of wanted)
    if (!present.has(target) && (await recordAt(context, target)) !== undefined) misses.push(target);
  const extras = includedIn(answer).filter(one => !wanted.has(one));
  decide(context, 'search.include', subject, { misses, extras, answer });
}

/** Each record of the sample that refers to a match; nothing that refers to none. */
async function checkRevinclude(
  context: TestContext,
  { name }: DeclaredType,
  source: string,
  param: SearchParam,
): Promise<void> {
  const referring = sampleOf(context, source);
  const targets = referring
    .flatMap(known => targetsOf(context, param, known))
    .filter(one => one.startsWith(`${name}/`));
  const target = targets.length === 0 ? undefined : await recordAt(context, targets[0] ?? '');
  if (target === undefined) return;
  const include = `${source}:${param.code}`;
  const found = await askFor(context, name, [target], '_revinclude', include, 'search.revinclude');
  if (found === undefined) return;
  const { answer, subject, present } = found;
  const matched = new Set(answer.matches.map(({ id }) => `${name}/${String(id)}`));
  const refers = (known: Known): boolean => targetsOf(context, param, known).some(one => matched.has(one));
  const isTruncated = answer.entries.some(({ mode }) => mode === 'outcome');
  const misses = isTruncated
    ? []
    : referring
        .filter(known => refers(known) && !present.has(`${source}/${known.id}`))
        .map(({ id }) => `${source}/${id}`);
  const extras = answer.entries.flatMap(({ mode, resource }) => {
    const known = mode === 'include' ? context.records.read(resource) : undefined;
    return known !== undefined && !refers(known) ? [`${known.type}/${known.id}`] : [];
  });
  decide(context, 'search.revinclude', subject, { misses, extras, answer });
}

type Check = 'search.include' | 'search.revinclude';

async function askFor(
  context: TestContext,
  type: string,
  matches: readonly Known[],
  how: '_include' | '_revinclude',
  include: string,
  check: Check,
) {
  const { findings } = context;
  const ids = matches.map(({ id }) => id).join(',');
  const subject = `${type}?_id=${ids}&${how}=${include}`;
  const pairs: readonly QueryPair[] = [
    ['_id', ids],
    [how, include],
  ];
  const answer = await ask(context, type, pairs, { findings });
  if (!answer.isAnswered) {
    checkOutcome(answer.exchange, subject, findings);
    const came = `Status ${answer.exchange.status}`;
    findings.fail(check, subject, came, 'Status 200: the include is declared', answer.exchange);
    return undefined;
  }
  const named = answer.entries.map(({ resource }) => `${String(resource['resourceType'])}/${String(resource['id'])}`);
  return { answer, subject, present: new Set(named) };
}

const includedIn = ({ entries }: ServerAnswer): readonly string[] =>
  entries
    .filter(({ mode }) => mode === 'include')
    .map(({ resource }) => `${String(resource['resourceType'])}/${String(resource['id'])}`);

function decide(
  { findings }: TestContext,
  check: Check,
  subject: string,
  { misses, extras, answer }: { misses: readonly string[]; extras: readonly string[]; answer: ServerAnswer },
): void {
  const came = [
    ...(misses.length === 0 ? [] : [`Not included: ${misses.slice(0, 3).join(', ')}`]),
    ...(extras.length === 0 ? [] : [`Included without a reference: ${extras.slice(0, 3).join(', ')}`]),
  ].join('. ');
  const expected = 'The records that the references name, and no others';
  findings.decide(came === '', check, subject, came, expected, answer.exchange);
}
