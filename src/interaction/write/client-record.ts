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

/** The record of a body. */
export interface ClientRecord {
  /** Compact, without attachments, with the elements that the server sets. */
  readonly text: string;
  readonly contents: readonly Content[];
  /** Warnings and notes, which do not reject it. */
  readonly warnings: readonly Issue[];
}

/**
 * Parses and checks the body of a client as a record of a type before anything is stored: strict JSON, structure (400),
 * the caller's rights (403), then R4's rules and profiles by the `validation-policy`, references and attachments (422);
 * all errors are reported together. Attachments are decoded within `body`, which is overwritten. Throws FhirError, also
 * 413. https://hl7.org/fhir/R4/http.html#create
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
  const warnings = found.filter(({ severity }) => severity !== 'error');
  refuse(structure, [...rules, ...binaries, ...references], warnings);

  const times = { now: engine.now(), zone: place.partition.settings.zone };
  const filled = fillServerSet(textWithoutAttachments(record), resource, type, model.definitions, times);
  return { text: filled, contents, warnings };
}

/** Throws FhirError 403 if the caller may not write the record, as it would be stored. */
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
  const what = typeof given === 'string' ? `\`${shorten(given)}\`` : 'a resource without a `resourceType`';
  throw fhirError(
    400,
    'structure',
    `The URL takes a resource of type ${typeName}; the body is ${what}.`,
    'resourceType',
  );
}

/**
 * Throws with all errors, each once: 400 for errors of structure, else 422. Warnings are omitted if there are errors,
 * with a note if the list is cut.
 */
function refuse(structure: readonly Issue[], rules: readonly ValidationIssue[], warnings: readonly Issue[]): void {
  if (structure.length + rules.length === 0) return;
  const cut = warnings.filter(({ code }) => code === 'incomplete');
  const wrong = limitIssues([...eachOnce(structure, rules), ...cut], mostIssues);
  throw new FhirError(structure.length > 0 ? 400 : 422, wrong);
}

/** Removes duplicates at the same place: attachments and references that are missing are also findings of profiles. */
function eachOnce(structure: readonly Issue[], rules: readonly ValidationIssue[]): readonly Issue[] {
  const keyOf = ({ code, expression = '' }: Issue): string => `${code} ${expression}`;
  const wrong = new Map(structure.map(issue => [keyOf(issue), issue]));
  const asked = rules.filter(issue => !isOfStructure(issue));
  const seen = new Set(asked.map(keyOf));
  const others = rules.filter(issue => isOfStructure(issue) && !seen.has(keyOf(issue)));
  return [...wrong.values(), ...asked, ...new Map(others.map(issue => [keyOf(issue), issue])).values()];
}
