import type { Exchange } from '../../client.ts';
import type { CheckId } from '../../clauses.ts';
import type { TestContext } from '../../context.ts';
import { checkMediaType, checkOutcome } from '../media-type.ts';

/**
 * Calls an operation by GET; the answer with status 200, undefined after a refusal, which is open. A failure of the
 * server is a failure of the check.
 */
export async function call(context: TestContext, check: CheckId, target: string): Promise<Exchange | undefined> {
  const { client, findings } = context;
  const exchange = await client.get(target);
  const { status, failure } = exchange;
  if (status === 200) {
    checkMediaType(exchange, target, findings);
    return exchange;
  }
  if (status >= 400 && (status < 500 || status === 501)) {
    checkOutcome(exchange, target, findings);
    findings.open(check, target, `Not offered: Status ${status}`);
  } else findings.fail(check, target, failure ?? `Status ${status}`, 'Status 200, or a refusal', exchange);
  return undefined;
}
