import { asObject, asString, objectsOf } from '../fhir/json-object.ts';

/** Most characters of a text of a terminology server that are quoted. */
const mostQuoted = 160;

/**
 * What a working terminology server said when it refused a call, as a part of a sentence, from the error of
 * `createFetch`; undefined for any other error.
 */
export function refusalOf(error: unknown): string | undefined {
  if (!(error instanceof Error && 'status' in error && 'bytes' in error)) return undefined;
  const { status, bytes } = error;
  if (![400, 404, 410, 422].includes(Number(status)) || !(bytes instanceof Uint8Array)) return undefined;
  return printRefusal(Number(status), parsed(bytes));
}

/** The status, and the code and text of the first issue of an OperationOutcome. */
export function printRefusal(status: number, body: unknown): string {
  const [issue = {}] = objectsOf(asObject(body)['issue']);
  const code = asString(issue['code']);
  const text = asString(asObject(issue['details'])['text']) ?? asString(issue['diagnostics']);
  const quoted = text
    ?.slice(0, mostQuoted)
    .replace(/[`\p{Cc}]/gu, ' ')
    .toWellFormed();
  const [name, ending] = [code && /^[a-z-]{1,40}$/.test(code) ? ` \`${code}\`` : '', quoted ? `: \`${quoted}\`` : ''];
  return `the terminology server answered ${status}${name}${ending}`;
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined; // no FHIR
  }
}
