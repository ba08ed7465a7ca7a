import { meaningOf } from '../judge.ts';
import type { Verdict } from '../judge.ts';
import { sampleOf } from '../context.ts';
import type { TestContext } from '../context.ts';
import type { Known } from '../records.ts';
import type { DeclaredType } from '../statement.ts';
import { ask } from './answer.ts';
import { checkOutcome } from './media-type.ts';
import { targetsOf } from './references.ts';

/**
 * The searches of the compartments of a type, one for each type of its records in the sample. A refusal is open: the
 * statement does not say for which types a compartment is searched.
 * https://hl7.org/fhir/R4/http.html#search, https://hl7.org/fhir/R4/compartmentdefinition.html
 */
export async function checkCompartments(context: TestContext, { name }: DeclaredType): Promise<void> {
  const compartment = context.model.compartments.get(name);
  if (compartment === undefined || !context.statement.compartments.has(compartment.url)) return;
  for (const [member, codes] of compartment.parameters)
    if (member !== name && context.sample.has(member)) await checkMember(context, name, { member, codes });
}

/** Records of a type, and the parameters by which they belong to a compartment. */
interface Members {
  readonly member: string;
  readonly codes: readonly string[];
}

async function checkMember(context: TestContext, owner: string, { member, codes }: Members): Promise<void> {
  const { findings } = context;
  const sample = sampleOf(context, member);
  const [own] = sample.flatMap(known => ownersOf(context, known, owner, codes));
  if (own === undefined) return;
  const verdict = verdictOf(context, own, { member, codes });
  const path = `${own}/${member}`;
  const answer = await ask(context, member, [['_count', '200']], { findings, path });
  const { exchange, matches, isAnswered, isBroken, isComplete } = answer;
  if (!isAnswered) {
    if (isBroken) return;
    checkOutcome(exchange, path, findings);
    findings.open('search.compartment', path, `Not offered: Status ${exchange.status}`);
    return;
  }
  const found = new Set(matches.map(({ id }) => String(id)));
  const misses = sample.filter(known => isComplete && !found.has(known.id) && verdict(known) === 'yes');
  const extras = matches.flatMap(resource => {
    const known = context.records.read(resource);
    return known !== undefined && known.type === member && verdict(known) === 'no' ? [known] : [];
  });
  const listed = (known: readonly Known[]): string =>
    known
      .slice(0, 3)
      .map(({ type, id }) => `${type}/${id}`)
      .join(', ');
  const came = [
    ...(misses.length === 0 ? [] : [`Certain misses: ${listed(misses)}`]),
    ...(extras.length === 0 ? [] : [`Certain extras: ${listed(extras)}`]),
  ].join('. ');
  const expected = `The records of type ${member} in the compartment, and no others`;
  findings.decide(came === '', 'search.compartment', path, came, expected, exchange);
}

/** The records with a compartment to which a record belongs. */
const ownersOf = (context: TestContext, known: Known, owner: string, codes: readonly string[]): readonly string[] =>
  codes.flatMap(code => {
    const param = context.model.types.get(known.type)?.parameters.get(code);
    return param === undefined ? [] : targetsOf(context, param, known).filter(one => one.startsWith(`${owner}/`));
  });

/**
 * Whether a record belongs to a compartment: one of its parameters refers to the owner. Parameters that the server does
 * not declare have no meaning here, so that without them "no" is not certain.
 */
function verdictOf(context: TestContext, own: string, { member, codes }: Members): (known: Known) => Verdict {
  const { model, records, client } = context;
  const type = model.types.get(member);
  const meanings = codes.map(code => type && meaningOf(type, [[[code, own]]], { model, records, base: client.base }));
  return known => {
    const verdicts = meanings.map(meaning => meaning?.verdict(known) ?? 'open');
    if (verdicts.includes('yes')) return 'yes';
    return verdicts.every(one => one === 'no') ? 'no' : 'open';
  };
}
