import { asString, objectsOf } from '../../../fhir/json-object.ts';
import { fhirError } from '../../../fhir/error.ts';
import type { JsonObject } from '../../../fhir/json-object.ts';
import type { CodeSystem, Concept } from '../../../terminology/code-system.ts';
import { nameIn } from '../../../terminology/languages.ts';
import { namesOf } from '../../../terminology/names.ts';
import { withReads } from '../../../terminology/reads.ts';
import type { Interaction } from '../../interaction.ts';
import { readArguments } from '../arguments.ts';
import { printParameters } from '../parameters.ts';
import type { ParameterPart } from '../parameters.ts';
import { askServer } from './ask-server.ts';
import { languagesOf, serviceOf, sourceOf, terminologyError } from './call.ts';
import { givenCodes, printCode } from './given-codes.ts';

/**
 * `$lookup`: the names and properties of a code, of the CodeSystems here or else of the terminology server.
 * https://hl7.org/fhir/R4/codesystem-operation-lookup.html
 */
export const lookup: Interaction = async (engine, request, partition) => {
  const given = readArguments(engine, request);
  const [code] = givenCodes(given);
  const url = code?.system;
  if (code === undefined || url === undefined)
    throw fhirError(400, 'required', 'Give the `system` of the code.', 'http.system');
  const service = await serviceOf({ engine, partition, source: sourceOf(engine, given) }, given, undefined);
  const system = await withReads(() => service.system(url, code.version));
  const concept = system?.concept(code.code);
  if (system === undefined || concept === undefined) {
    const why = system === undefined ? 'no such CodeSystem is loaded' : 'the CodeSystem does not have it';
    const text = `The code ${printCode(code)} is unknown: ${why}.`;
    const unknown = terminologyError(
      404,
      'not-found',
      system === undefined ? 'not-found' : 'invalid-code',
      text,
      'http.code',
    );
    if (system?.complete === true) throw unknown;
    return askServer(engine, request, given, unknown);
  }
  const near = [...concept.parents, ...concept.children];
  await system.stored?.read([concept.code, ...near]);
  const names = namesOf(concept, undefined, { ofSystem: asString(system.resource['language']), ofSet: undefined });
  const display = nameIn(names, languagesOf(request, given, undefined)?.languages) ?? names.display;
  const { version } = system;
  const body = printParameters([
    { name: 'name', valueString: asString(system.resource['name']) ?? url },
    ...(version === undefined ? [] : [{ name: 'version', valueString: version }]),
    { name: 'display', valueString: display?.value ?? concept.code },
    { name: 'code', valueCode: concept.code },
    { name: 'system', valueUri: system.url },
    { name: 'abstract', valueBoolean: concept.abstract },
    ...detailsOf(system, concept, given.texts('property')),
    ...service.supplements.map(one => ({ name: 'used-supplement', valueUri: `${one.url}|${one.version ?? ''}` })),
  ]);
  return { status: 200, body };
};

/** Designations and properties: all of them, or those that are requested. */
function detailsOf(system: CodeSystem, concept: Concept, wanted: readonly string[]): readonly ParameterPart[] {
  const { definition, designations, properties, parents, children, inactive } = concept;
  const isWanted = (code: string): boolean => wanted.length === 0 || wanted.includes(code) || wanted.includes('*');
  const described = new Map(objectsOf(system.resource['property']).map(one => [one['code'], one['description']]));
  const property = (code: string, value: JsonObject, description: unknown = described.get(code)): ParameterPart => {
    const about = typeof description === 'string' ? [{ name: 'description', valueString: description }] : [];
    return { name: 'property', part: [{ name: 'code', valueCode: code }, { name: 'value', ...value }, ...about] };
  };
  const related = (name: string, codes: readonly string[]): readonly ParameterPart[] =>
    codes.map(valueCode => property(name, { valueCode }, system.concept(valueCode)?.display));
  const named = designations.filter(one => isWanted('designation') || isWanted(`lang.${String(one['language'])}`));
  const isStated = properties.some(({ code }) => code === 'inactive');
  const all = [
    ...related('parent', parents),
    ...related('child', children),
    ...(isStated ? [] : [property('inactive', { valueBoolean: inactive })]),
    ...properties.map(({ code, ...value }) => property(String(code), valueOf(value))),
  ];
  return [
    ...(definition !== undefined && isWanted('definition') ? [{ name: 'definition', valueString: definition }] : []),
    ...named.map(designationPart),
    ...all.filter(({ part }) => isWanted(codeIn(part))),
  ];
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
