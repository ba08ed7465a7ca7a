import { asString } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import type { CheckId } from '../clauses.ts';
import type { TestContext } from '../context.ts';
import type { DeclaredType } from '../statement.ts';
import { versionOf } from './created.ts';

const jsonPatch = 'application/json-patch+json';
const fhirJson = 'application/fhir+json';

/**
 * Patches of a record in each declared format: JSON Patch, whose failing test must prevent the change, and FHIRPath
 * Patch. A format that is not declared is tried, and its refusal is open.
 * https://hl7.org/fhir/R4/http.html#patch, https://hl7.org/fhir/R4/fhirpatch.html
 */
export async function checkPatches(
  context: TestContext,
  { name: type, interactions }: DeclaredType,
  name: string,
): Promise<void> {
  const { patchFormats } = context.statement;
  if (!interactions.has('patch')) return;
  const isOffered = (...formats: readonly string[]): boolean =>
    patchFormats.length === 0 || formats.some(format => patchFormats.includes(format));
  if (isOffered(jsonPatch, 'json-patch')) await checkJsonPatch(context, name);
  if (isOffered(fhirJson, 'json', 'application/json')) {
    const operation = { name: 'operation', part: replacePart(type, 'it') };
    const body = { resourceType: 'Parameters', parameter: [operation] };
    await checkPatch(context, { check: 'write.patch-fhirpath', name, format: fhirJson, body, language: 'it' });
  }
}

const replacePart = (type: string, language: string): readonly JsonObject[] => [
  { name: 'type', valueCode: 'replace' },
  { name: 'path', valueString: `${type}.language` },
  { name: 'value', valueCode: language },
];

async function checkJsonPatch(context: TestContext, name: string): Promise<void> {
  const { client, findings } = context;
  const replace = { op: 'replace', path: '/language', value: 'nl' };
  const format = jsonPatch;
  const isDone = await checkPatch(context, {
    check: 'write.patch-json',
    name,
    format,
    body: [replace],
    language: 'nl',
  });
  if (!isDone) return;
  const failing = [
    { op: 'test', path: '/language', value: 'qzxj' },
    { op: 'replace', path: '/language', value: 'es' },
  ];
  const headers = { 'Content-Type': jsonPatch };
  const exchange = await client.send('PATCH', name, { headers, body: JSON.stringify(failing) });
  const { json = {} } = await client.get(name);
  const isRight = exchange.status >= 400 && exchange.status < 500 && json['language'] === 'nl';
  const came = `Status ${exchange.status}; then language ${String(json['language'])}`;
  const subject = `${name}, a test that fails`;
  findings.decide(isRight, 'write.patch-json', subject, came, 'Status 4xx, and no change', exchange);
}

interface Patch {
  readonly check: CheckId;
  readonly name: string;
  readonly format: string;
  readonly body: unknown;
  /** What the patch sets. */
  readonly language: string;
}

/** False if the patch was refused, or not done. */
async function checkPatch(context: TestContext, { check, name, format, body, language }: Patch): Promise<boolean> {
  const { client, findings, statement } = context;
  const before = await client.get(name);
  const headers = { 'Content-Type': format };
  const exchange = await client.send('PATCH', name, { headers, body: JSON.stringify(body) });
  const { status } = exchange;
  if (statement.patchFormats.length === 0 && status >= 400 && status < 500) {
    findings.open(check, name, `Not offered: Status ${status}`);
    return false;
  }
  const after = await client.get(name);
  const shown = asString(after.json?.['language']);
  const isNew = versionOf(before.json) === undefined || versionOf(after.json) !== versionOf(before.json);
  const isRight = (status === 200 || status === 201 || status === 204) && shown === language && isNew;
  const came = `Status ${status}; then language ${String(shown)}${isNew ? '' : ', the same version'}`;
  return findings.decide(isRight, check, name, came, 'Status 200, the new content, and a new versionId', exchange);
}
