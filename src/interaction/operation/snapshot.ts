import { definitionsAbove, givenDefinition } from '../../definitions/stored.ts';
import { FhirError, fhirError } from '../../fhir/error.ts';
import { asString } from '../../fhir/json-object.ts';
import { printSnapshotProblem } from '../../model/snapshot/snapshot.ts';
import { snapshotsOf } from '../../model/snapshot/snapshots.ts';
import { shorten } from '../../validation/report.ts';
import type { Interaction } from '../interaction.ts';
import { readArguments } from './arguments.ts';

/**
 * `$snapshot`: a StructureDefinition with the snapshot that follows from its differential and its base, as validation
 * uses it: of a record, of a definition of the server, or of one in the call. Throws FhirError 404 for an unknown one,
 * 422 if no snapshot follows. https://hl7.org/fhir/R4/structuredefinition-operation-snapshot.html
 */
export const snapshot: Interaction = async (engine, request) => {
  const given = readArguments(engine, request);
  const { resourceType: type = '', id } = request;
  const { definitions } = engine;
  const [url, sent] = [given.text('url'), given.object('definition')];
  if ([url, sent, id].filter(one => one !== undefined).length !== 1)
    throw fhirError(400, 'required', 'Give one of the id in the URL, `url` and `definition`.', 'http.url');
  const record = definitions.above?.records.find(one => one.resourceType === type && one.id === id);
  const named = url ?? record?.url ?? asString(sent?.['url']) ?? '';
  const { below = definitions, records = [] } = definitions.above ?? {};
  const source =
    sent === undefined
      ? definitions
      : definitionsAbove(below, [...records.filter(one => one.url !== named), givenDefinition(sent, '')]);
  const { version } = (sent === undefined ? record : givenDefinition(sent, '')) ?? {};
  const canonical = version === undefined ? named : `${named}|${version}`;
  const found = source.find(type, canonical);
  if (found === undefined) {
    const what = id === undefined ? `with the url \`${shorten(named)}\`` : `${type}/${id}`;
    throw fhirError(404, 'not-found', `There is no ${type} ${what} here.`, id === undefined ? 'http.url' : 'http.id');
  }
  const made = sent === undefined ? engine.model.snapshot(canonical) : snapshotsOf(source)(canonical);
  const problems = made === undefined ? [] : made.problems;
  if (made === undefined || made.elements.length === 0 || problems.length > 0)
    throw new FhirError(
      422,
      [
        ...problems.map(one => printSnapshotProblem(canonical, one)),
        ...(problems.length === 0 ? [noSnapshot] : []),
      ].map(text => ({ severity: 'error', code: 'processing', text })),
    );
  return { status: 200, body: JSON.stringify({ ...found.resource(), snapshot: { element: made.elements } }) };
};

const noSnapshot = 'No snapshot follows from the definition: its base is not known here.';
