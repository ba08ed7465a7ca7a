import { fhirError } from '../../../fhir/error.ts';
import { asObject, asString, objectsOf } from '../../../fhir/json-object.ts';
import type { JsonObject } from '../../../fhir/json-object.ts';
import type { Engine, FhirRequest, Interaction } from '../../interaction.ts';
import { readArguments } from '../arguments.ts';
import type { Arguments } from '../arguments.ts';
import { printParameters } from '../parameters.ts';
import type { ParameterPart } from '../parameters.ts';
import { askServer } from './ask-server.ts';
import { givenCodes, printCode } from './given-codes.ts';
import type { GivenCode } from './given-codes.ts';
import { givenDefinition, notLoaded } from './given-definition.ts';
import { mapCode } from '../../../terminology/map-code.ts';
import type { Dependency, Mapped } from '../../../terminology/map-code.ts';
import type { TerminologySource } from '../../../terminology/source.ts';
import { sourceOf } from './call.ts';

/**
 * `$translate`: the codes to which a ConceptMap maps a code: one that the call names, or all loaded ones of its source
 * and target. https://hl7.org/fhir/R4/conceptmap-operation-translate.html
 */
export const translate: Interaction = async (engine, request) => {
  const given = readArguments(engine, request);
  const codes = givenCodes(given);
  if (codes.some(({ system }) => system === undefined))
    throw fhirError(400, 'required', 'Give the `system` of the code.', 'http.system');
  const source = sourceOf(engine, given);
  const maps = mapsOf(source, engine, request, given);
  if (maps instanceof Error) return askServer(engine, request, given, maps);
  const options = {
    reverse: given.flag('reverse'),
    targetSystem: given.text('targetsystem'),
    dependencies: given.all('dependency').flatMap(dependencyOf),
    findMap: (canonical: string) => source.find('ConceptMap', canonical)?.resource(),
  };
  const mapped = codes.flatMap(code => maps.flatMap(map => mapCode(map, code, options)));
  const body = printParameters(resultOf(codes, mapped));
  return { status: 200, body };
};

/** The ConceptMaps of a call; an error if none is loaded. */
function mapsOf(
  source: TerminologySource,
  engine: Engine,
  request: FhirRequest,
  given: Arguments,
): readonly JsonObject[] | ReturnType<typeof fhirError> {
  const names = { type: 'ConceptMap', inline: 'conceptMap', version: 'conceptMapVersion' } as const;
  const definition = givenDefinition(source, engine, request, given, names);
  if (definition?.from === 'elsewhere') return notLoaded('ConceptMap', definition.canonical);
  if (definition !== undefined) return [definition.resource];
  const [from, to] = [given.text('source'), given.text('target')];
  const ends = given.flag('reverse') ? ([to, from] as const) : ([from, to] as const);
  const found = source
    .all('ConceptMap')
    .map(one => one.resource())
    .filter(map => isOf(map, 'source', ends[0]) && isOf(map, 'target', ends[1]));
  if (found.length > 0) return found;
  return fhirError(404, 'not-found', `No ConceptMap of this source and target is loaded. Name one by its \`url\`.`);
}

/** Whether a map has this ValueSet as its source or target; each has, if undefined. */
const isOf = (map: JsonObject, end: 'source' | 'target', wanted: string | undefined): boolean =>
  wanted === undefined || [map[`${end}Uri`], map[`${end}Canonical`]].includes(wanted);

/** https://hl7.org/fhir/R4/conceptmap-operation-translate.html: `dependency` has the parts `element` and `concept`. */
function dependencyOf(value: unknown): readonly Dependency[] {
  const parts = objectsOf(asObject(value)['part']);
  const [element, concept] = ['element', 'concept'].map(name => parts.find(one => one['name'] === name));
  const uri = asString(element?.['valueUri']);
  if (uri !== undefined && concept !== undefined)
    return [{ element: uri, concept: asObject(concept['valueCodeableConcept']) }];
  throw fhirError(400, 'value', 'A `dependency` has the parts `element` (a uri) and `concept`.', 'http.dependency');
}

function resultOf(codes: readonly GivenCode[], mapped: readonly Mapped[]): readonly ParameterPart[] {
  const distinct = [...new Map(mapped.map(one => [JSON.stringify(one), one])).values()];
  const isMapped = distinct.some(({ equivalence }) => equivalence !== 'unmatched' && equivalence !== 'disjoint');
  const list = codes.map(printCode).join(', ');
  return [
    { name: 'result', valueBoolean: isMapped },
    ...(isMapped ? [] : [{ name: 'message', valueString: `No map leads from ${list} to another code.` }]),
    ...distinct.map(matchPart),
  ];
}

function matchPart({ equivalence, concept, products, source }: Mapped): ParameterPart {
  const part: ParameterPart[] = [
    { name: 'equivalence', valueCode: equivalence },
    ...(concept === undefined ? [] : [{ name: 'concept', valueCoding: concept }]),
    ...products.map(productPart),
    ...(source === undefined ? [] : [{ name: 'source', valueUri: source }]),
  ];
  return { name: 'match', part };
}

function productPart(product: JsonObject): ParameterPart {
  const { property, system, value, display } = product;
  const valueCoding = asObject({
    ...(asString(system) === undefined ? {} : { system }),
    code: value,
    ...(asString(display) === undefined ? {} : { display }),
  });
  return {
    name: 'product',
    part: [
      { name: 'element', valueUri: property },
      { name: 'concept', valueCoding },
    ],
  };
}
