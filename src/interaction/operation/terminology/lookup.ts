import { fhirError } from '../../../fhir/error.ts';
import type { JsonObject } from '../../../fhir/json-object.ts';
import { asString, objectsOf } from '../../../fhir/json-object.ts';
import type { DescribedConcept, DescribedSystem } from '../../../terminology/concepts.ts';
import { inLanguage } from '../../../terminology/concepts.ts';
import { readArguments } from '../arguments.ts';
import { printParameters } from '../parameters.ts';
import type { ParameterPart } from '../parameters.ts';
import { askServer } from './ask-server.ts';
import { givenCodes, printCode } from './given-codes.ts';
import { terminologyOf } from '../../../terminology/service.ts';
import type { Interaction } from '../../interaction.ts';

/**
 * `$lookup`: the names and properties of a code, of loaded CodeSystems or else of the terminology server.
 * https://hl7.org/fhir/R4/codesystem-operation-lookup.html
 */
export const lookup: Interaction = async (engine, request) => {
  const given = readArguments(engine, request);
  const [code] = givenCodes(given);
  const system = code?.system;
  if (code === undefined || system === undefined)
    throw fhirError(400, 'required', 'Give the `system` of the code.', 'http.system');
  const found = terminologyOf(engine.definitions).system(
    code.version === undefined ? system : `${system}|${code.version}`,
  );
  const concept = found?.concept(code.code);
  if (found === undefined || concept === undefined) {
    const why = found === undefined ? 'no such CodeSystem is loaded' : 'the loaded CodeSystem does not have it';
    const unknown = fhirError(404, 'not-found', `The code ${printCode(code)} is unknown: ${why}.`, 'http.code');
    if (found?.codes.complete === true) throw unknown;
    return askServer(engine, request, given, unknown);
  }
  const language = given.text('displayLanguage');
  const display = language === undefined ? undefined : inLanguage(concept.designations, language);
  const name = asString(found.resource['name']) ?? system;
  const version = asString(found.resource['version']);
  const body = printParameters([
    { name: 'name', valueString: name },
    ...(version === undefined ? [] : [{ name: 'version', valueString: version }]),
    { name: 'display', valueString: display ?? concept.display ?? concept.code },
    ...detailsOf(found, concept, given.texts('property')),
  ]);
  return { status: 200, body };
};

/** Designations and properties: all of them, or those that are requested. */
function detailsOf(
  { resource }: DescribedSystem,
  { definition, designations, properties, parents, children }: DescribedConcept,
  wanted: readonly string[],
): readonly ParameterPart[] {
  const isWanted = (code: string): boolean => wanted.length === 0 || wanted.includes(code);
  const described = new Map(objectsOf(resource['property']).map(one => [one['code'], one['description']]));
  const property = (code: string, value: JsonObject): ParameterPart => {
    const description = described.get(code);
    const about = typeof description === 'string' ? [{ name: 'description', valueString: description }] : [];
    return { name: 'property', part: [{ name: 'code', valueCode: code }, { name: 'value', ...value }, ...about] };
  };
  const named = designations.filter(one => isWanted('designation') || isWanted(`lang.${String(one['language'])}`));
  const all = [
    ...(definition === undefined ? [] : [property('definition', { valueString: definition })]),
    ...parents.map(valueCode => property('parent', { valueCode })),
    ...children.map(valueCode => property('child', { valueCode })),
    ...properties.map(({ code, ...value }) => property(String(code), valueOf(value))),
  ];
  return [...named.map(designationPart), ...all.filter(({ part }) => isWanted(codeIn(part)))];
}

const codeIn = (part: unknown): string => String(objectsOf(part)[0]?.['valueCode']);

/** The `value[x]`, without extensions and the like. */
const valueOf = (property: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(property).filter(([name]) => name.startsWith('value')));

function designationPart({ language, use, value }: JsonObject): ParameterPart {
  const part = [
    ...(language === undefined ? [] : [{ name: 'language', valueCode: language }]),
    ...(use === undefined ? [] : [{ name: 'use', valueCoding: use }]),
    { name: 'value', valueString: value },
  ];
  return { name: 'designation', part };
}
