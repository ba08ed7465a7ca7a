import { FhirError, fhirError } from '../../../fhir/error.ts';
import { asString, isObject } from '../../../fhir/json-object.ts';
import type { JsonObject } from '../../../fhir/json-object.ts';
import { operationOf } from '../../../model/operation-call.ts';
import type { Refused } from '../../../terminology/forward.ts';
import { isCode, isUri } from '../../../terminology/question.ts';
import type { Engine, FhirRequest, FhirResponse } from '../../interaction.ts';
import type { Arguments } from '../arguments.ts';

/** The form of what may be sent, by the type of a parameter: nothing else of a call leaves this server. */
const forms: Readonly<Record<string, (value: unknown) => boolean>> = {
  uri: value => typeof value === 'string' && isUri(value.replace(/\|.*/s, '')),
  canonical: value => typeof value === 'string' && isUri(value),
  code: value => typeof value === 'string' && isCode(value),
  integer: value => typeof value === 'number',
  boolean: value => typeof value === 'boolean',
};

/** Texts that are versions, and the words by which a user looks for codes. */
const texts: ReadonlySet<string> = new Set(['version', 'valueSetVersion', 'conceptMapVersion', 'filter']);

/**
 * Calls the same operation of the terminology server, of what the loaded definitions cannot answer: canonicals,
 * systems, codes and the words of a `filter` are sent, if they have the form of such. Throws `otherwise` without a
 * server or if it cannot answer either, and FhirError 503 if it does not answer.
 */
export async function askServer(
  engine: Engine,
  request: FhirRequest,
  given: Arguments,
  otherwise: FhirError,
): Promise<FhirResponse> {
  const { terminologyOperations: server, model } = engine;
  const { resourceType = '', operation = '', id } = request;
  const parameters = operationOf(model, request)?.parameters ?? new Map<never, never>();
  const sent: JsonObject[] = [];
  for (const { name, type = '' } of [...parameters.values()].filter(one => one.name !== 'display'))
    for (const value of given.all(name)) {
      const part = partOf(name, type, value);
      if (part === undefined) throw otherwise;
      sent.push(part);
    }
  if (server === undefined || id !== undefined) throw otherwise;
  const answer = await server.call(resourceType, operation, { resourceType: 'Parameters', parameter: sent });
  if (answer === 'unreachable') throw unreachable(operation);
  if (isRefused(answer)) throw withRefusal(otherwise, answer);
  return { status: 200, body: JSON.stringify(answer) };
}

function partOf(name: string, type: string, value: unknown): JsonObject | undefined {
  if (type === 'Coding' && isObject(value)) return codingPart(name, value);
  const isText = type === 'string' && texts.has(name) && typeof value === 'string' && value.length <= 64;
  if (!isText && forms[type]?.(value) !== true) return undefined;
  return { name, [`value${type.charAt(0).toUpperCase()}${type.slice(1)}`]: value };
}

function codingPart(name: string, { system, version, code }: JsonObject): JsonObject | undefined {
  if (!isUri(asString(system) ?? '') || !isCode(asString(code) ?? '')) return undefined;
  return { name, valueCoding: { system, ...(typeof version === 'string' ? { version } : {}), code } };
}

const isRefused = (answer: JsonObject | Refused): answer is Refused => typeof answer['refused'] === 'string';

/** The error with what the terminology server said. */
function withRefusal({ status, issues, headers }: FhirError, { refused }: Refused): FhirError {
  const said = `${refused.charAt(0).toUpperCase()}${refused.slice(1)}.`;
  return new FhirError(
    status,
    issues.map(issue => ({ ...issue, text: `${issue.text} ${said}` })),
    headers,
  );
}

const unreachable = (operation: string): FhirError =>
  fhirError(
    503,
    'transient',
    `The terminology server, which this \`$${operation}\` needs, does not answer. Retry later.`,
    undefined,
    { 'Retry-After': '30' },
  );
