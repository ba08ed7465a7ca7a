import { isWithin, restriction } from '../../auth/restrict.ts';
import { notToBeWritten } from '../../auth/refusals.ts';
import { attachmentPlaces, checkAttached, readContents } from '../../attachment/content.ts';
import type { Content } from '../../attachment/content.ts';
import { cutBody } from '../../attachment/cut.ts';
import { isObject } from '../../definitions/json-object.ts';
import type { JsonObject } from '../../definitions/json-object.ts';
import { FhirError, fhirError } from '../../fhir/error.ts';
import { JsonError, compactJson, parseJson } from '../../fhir/json.ts';
import type { ParsedJson } from '../../fhir/json.ts';
import type { Issue } from '../../fhir/outcome.ts';
import { withoutProperty } from '../../fhir/edit-text.ts';
import { decodeUtf8 } from '../../fhir/utf8.ts';
import type { ResourceType } from '../../model/model.ts';
import { checkProfile } from '../../validation/profile.ts';
import { shorten } from '../../validation/report.ts';
import { checkRules } from '../../validation/rules.ts';
import { checkStructure } from '../../validation/structure.ts';
import type { Engine, FhirRequest } from '../interaction.ts';
import { checkReferences } from './references.ts';
import { fillServerSet } from './server-set.ts';

/** What is to be stored of a body. */
export interface CheckedRecord {
  /** Compact, without attachments, with what the server sets. */
  readonly text: string;
  readonly contents: readonly Content[];
}

/**
 * Reads the body of a write as a record of a type and checks all of it before anything is stored: strict JSON, structure
 * (400), what the caller may write (403), then profile, codes, references and attachments (422); everything that is wrong is
 * told at once. Attachments are decoded
 * within `body`, which is overwritten. Throws FhirError, also 413. https://hl7.org/fhir/R4/http.html#create
 */
export async function readRecord(
  engine: Engine,
  type: ResourceType,
  body: Buffer,
  place: Pick<FhirRequest, 'partition' | 'base' | 'access'>,
): Promise<CheckedRecord> {
  const { model, maxBody } = engine;
  const { attachment } = type;
  const path = attachment?.path.split('.').slice(1) ?? [];
  const { rest, spans } = attachment === undefined ? { rest: body, spans: [] } : cutBody(body, path);
  if (rest.length > maxBody) throw tooLong(maxBody, attachment?.path);
  const { text, parsed } = parse(rest, type.name);
  const resource = resourceOf(parsed.value, type.name);

  const structure = [...checkStructure(resource, model, type.name, { decimals: parsed.decimals })];
  if (structure.length === 0) refuseOutside(engine, type, text, place);
  const rules: Issue[] = type.profile === undefined ? [] : [...checkProfile(resource, type.profile, model)];
  const places = attachment === undefined ? [] : attachmentPlaces(resource, attachment);
  let contents: readonly Content[] = [];
  if (attachment !== undefined) {
    for (const place of places) rules.push(...checkAttached(place, attachment));
    contents = await readContents(body, spans, places, attachment, { structure, rules });
  }
  const found = checkRules(resource, type, model, new Set(places.map(({ owner }) => owner)));
  rules.push(...found.issues);
  rules.push(...(await checkReferences(engine, type, found.references, resource, place)));
  refuse(structure, rules);

  const { settings } = place.partition;
  const compact = compactJson(text);
  const kept = spans.length === 0 ? compact : withoutProperty(compact, path);
  const times = { now: engine.now(), zone: settings.zone };
  return { text: fillServerSet(kept, resource, type, model.definitions, times), contents };
}

function parse(rest: Buffer, typeName: string): { text: string; parsed: ParsedJson } {
  try {
    const text = decodeUtf8(rest);
    return { text, parsed: parseJson(text) };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const place = error.path.replace(/^\$/, typeName);
    const expression = /^[\w.[\]]{1,200}$/.test(place) ? place : undefined;
    const text = `The body is not JSON as FHIR has it: ${error.message} This is at \`${shorten(error.path)}\`, line ${error.line}.`;
    throw fhirError(400, 'structure', text, expression);
  }
}

/** Throws FhirError 403 where the record, as it would be, is none that the caller may write. */
function refuseOutside(
  { extract, now }: Engine,
  type: ResourceType,
  text: string,
  { access, partition, base }: Pick<FhirRequest, 'partition' | 'access' | 'base'>,
): void {
  const record = { id: '', lastUpdated: now(), text };
  if (!isWithin(restriction(access, type, 'c'), type, record, extract, partition))
    throw notToBeWritten(base, type.name);
}

/** https://hl7.org/fhir/R4/http.html#create: the body is a resource of the type that the URL names. */
function resourceOf(value: unknown, typeName: string): JsonObject {
  const given = isObject(value) ? value['resourceType'] : undefined;
  if (isObject(value) && given === typeName) return value;
  const what = typeof given === 'string' ? `\`${shorten(given)}\`` : 'no resource with a `resourceType`';
  throw fhirError(
    400,
    'structure',
    `The URL takes a resource of type ${typeName}; the body is ${what}.`,
    'resourceType',
  );
}

/** Throws where anything is wrong, each thing once: 400 where the structure is, else 422. */
function refuse(structure: readonly Issue[], rules: readonly Issue[]): void {
  if (structure.length + rules.length === 0) return;
  const distinct = new Map<string, Issue>();
  for (const issue of [...structure, ...rules]) {
    const key = `${issue.code} ${issue.expression ?? ''}`;
    if (!distinct.has(key)) distinct.set(key, issue);
  }
  throw new FhirError(structure.length > 0 ? 400 : 422, [...distinct.values()].slice(0, mostIssues));
}

const mostIssues = 100;

function tooLong(most: number, path: string | undefined): FhirError {
  const beside = path === undefined ? '' : ` beside \`${path}\``;
  return fhirError(413, 'too-long', `The resource${beside} is larger than the ${most} bytes that are taken.`);
}
