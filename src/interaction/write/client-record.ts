import { isWithin, restriction } from '../../auth/restrict.ts';
import { recordNotWritable } from '../../auth/refusals.ts';
import { attachmentPlaces } from '../../attachment/content.ts';
import type { Content } from '../../attachment/content.ts';
import { isObject } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import { FhirError, fhirError } from '../../fhir/error.ts';
import type { Issue } from '../../fhir/outcome.ts';
import type { ResourceType } from '../../model/model.ts';
import { checkBinaries } from '../../validation/binaries.ts';
import { severityFor } from '../../validation/policy.ts';
import type { ValidationIssue } from '../../validation/profile/findings.ts';
import { findReferences } from '../../validation/references.ts';
import { limitIssues, shorten } from '../../validation/report.ts';
import type { Engine } from '../interaction.ts';
import { cutAttachments, parseBody, requireLength } from './body.ts';
import { mostIssues, validateInTurn } from './validate-in-turn.ts';
import { checkRecord, isOfStructure, textWithoutAttachments } from './record.ts';
import { checkReferences } from './references.ts';
import type { RecordPlace } from './references.ts';
import { fillServerSet } from './server-set.ts';

/** What is to be stored of a body. */
export interface ClientRecord {
  /** Compact, without attachments, with what the server sets. */
  readonly text: string;
  readonly contents: readonly Content[];
  /** Warnings and notes: nothing that keeps it from being stored. */
  readonly told: readonly Issue[];
}

/**
 * Reads the body that a client sends to be written as a record of a type and checks all of it before anything is stored: strict
 * JSON, structure (400), what the caller may write (403), then what `validation-policy` says of R4's rules and profiles,
 * references and attachments (422); all errors are reported together. Attachments are decoded within `body`, which is
 * overwritten. Throws FhirError, also 413. https://hl7.org/fhir/R4/http.html#create
 */
export async function readClientRecord(
  engine: Engine,
  type: ResourceType,
  body: Buffer,
  place: RecordPlace,
): Promise<ClientRecord> {
  const { model, maxBody } = engine;
  const { attachment } = type;
  const { rest, spans } = cutAttachments(body, type);
  requireLength(rest, maxBody, attachment);
  const { text, parsed } = parseBody(rest, type.name);
  const resource = resourceOf(parsed.value, type.name);

  const found = await validateInTurn(engine, type, parsed, severityFor(type, { occasion: 'create' }));
  if (!found.some(issue => issue.severity === 'error' && isOfStructure(issue)))
    refuseOutside(engine, type, text, place);
  const record = { type, text, parsed, body, spans };
  const { contents, structure, rules } = await checkRecord(record, found, { contentOptional: false });
  const places = attachment === undefined ? [] : attachmentPlaces(resource, attachment);
  const binaries = checkBinaries(resource, type, model, new Set(places.map(({ owner }) => owner)));
  const references = await checkReferences(engine, type, findReferences(resource, type, model), resource, place);
  const told = found.filter(({ severity }) => severity !== 'error');
  refuse(structure, [...rules, ...binaries, ...references], told);

  const times = { now: engine.now(), zone: place.partition.settings.zone };
  const filled = fillServerSet(textWithoutAttachments(record), resource, type, model.definitions, times);
  return { text: filled, contents, told };
}

/** Throws FhirError 403 where the record, as it would be, is none that the caller may write. */
function refuseOutside(
  { extract, now }: Engine,
  type: ResourceType,
  text: string,
  { access, partition, base }: RecordPlace,
): void {
  const record = { id: '', lastUpdated: now(), text };
  if (!isWithin(restriction(access, type, 'c'), type, record, extract, partition))
    throw recordNotWritable(base, type.name);
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

/**
 * Throws where anything is wrong, with all that is to be mended, each thing once: 400 where the structure is, else 422. Of what
 * is only told, no more than that not all is listed.
 */
function refuse(structure: readonly Issue[], rules: readonly ValidationIssue[], told: readonly Issue[]): void {
  if (structure.length + rules.length === 0) return;
  const cut = told.filter(({ code }) => code === 'incomplete');
  const wrong = limitIssues([...eachOnce(structure, rules), ...cut], mostIssues);
  throw new FhirError(structure.length > 0 ? 400 : 422, wrong);
}

/**
 * Leaves out what is told of the same place already: what attachments and references lack, profiles ask for too.
 */
function eachOnce(structure: readonly Issue[], rules: readonly ValidationIssue[]): readonly Issue[] {
  const keyOf = ({ code, expression = '' }: Issue): string => `${code} ${expression}`;
  const wrong = new Map(structure.map(issue => [keyOf(issue), issue]));
  const asked = rules.filter(issue => !isOfStructure(issue));
  const seen = new Set(asked.map(keyOf));
  const others = rules.filter(issue => isOfStructure(issue) && !seen.has(keyOf(issue)));
  return [...wrong.values(), ...asked, ...new Map(others.map(issue => [keyOf(issue), issue])).values()];
}
