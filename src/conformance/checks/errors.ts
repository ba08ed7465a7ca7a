import type { Exchange } from '../client.ts';
import type { TestContext } from '../context.ts';
import type { DeclaredType } from '../statement.ts';
import { codeOf, pairsOf } from '../url.ts';
import { linkOf } from './answer.ts';
import { checkOutcome } from './media-type.ts';

const strict = { Prefer: 'handling=strict' };

/** What a server must not accept. https://hl7.org/fhir/R4/search.html#errors */
export async function checkErrors(context: TestContext): Promise<void> {
  const { client, findings, types } = context;
  const unknown = await client.get('QzxjNoSuchType');
  const subject = 'QzxjNoSuchType';
  const isRefused = unknown.status >= 400 && unknown.status < 500;
  if (isRefused && unknown.status !== 404) findings.open('error.unknown-type', subject, `Status ${unknown.status}`);
  else findings.decide(isRefused, 'error.unknown-type', subject, `Status ${unknown.status}`, 'Status 404', unknown);
  if (isRefused) checkOutcome(unknown, subject, findings);
  for (const type of types.filter(({ interactions }) => interactions.has('search-type')))
    await checkType(context, type);
}

async function checkType(context: TestContext, { name, parameters }: DeclaredType): Promise<void> {
  await mustRefuse(context, 'error.unknown-parameter', `${name}?qzxj-no-such-parameter=1`);
  const date = parameters.find(({ type }) => type === 'date');
  if (date !== undefined) await mustRefuse(context, 'error.value', `${name}?${date.name}=qzxj-no-date`);
  const any = parameters.find(({ type, name: code }) => type === 'token' && !code.startsWith('_'));
  if (any !== undefined) await mustRefuse(context, 'modifier.unknown', `${name}?${any.name}:qzxj-no-such-modifier=1`);
}

/**
 * An error, or an answer whose self link shows that the parameter was not used; that does not suffice for a modifier,
 * which a server must reject.
 */
async function mustRefuse(
  { client, findings }: TestContext,
  check: 'error.unknown-parameter' | 'error.value' | 'modifier.unknown',
  subject: string,
): Promise<void> {
  const exchange = await client.get(subject, strict);
  const { status } = exchange;
  if (status >= 400 && status < 500) {
    findings.pass(check, subject);
    checkOutcome(exchange, subject, findings);
    return;
  }
  const isIgnored = status === 200 && linkOf(exchange, 'self') !== undefined && !isUsed(exchange, subject);
  if (isIgnored && check !== 'modifier.unknown') findings.open(check, subject, 'Ignored, as the self link shows');
  else findings.fail(check, subject, `Status ${status}`, 'Status 400 with an OperationOutcome', exchange);
}

function isUsed(exchange: Exchange, subject: string): boolean {
  const [sent = ''] = pairsOf(subject, 'http://localhost')[0] ?? [];
  return pairsOf(linkOf(exchange, 'self') ?? '', 'http://localhost').some(([name]) => codeOf(name) === codeOf(sent));
}
