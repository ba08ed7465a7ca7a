import { fhirError } from '../../../fhir/error.ts';
import { asObject, asString } from '../../../fhir/json-object.ts';
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
import { mapCode } from './map-code.ts';
import type { Mapped } from './map-code.ts';

/**
 * `$translate`: the codes to which a ConceptMap maps a code: one that the call names, or all loaded ones of its source
 * and target. https://hl7.org/fhir/R4/conceptmap-operation-translate.html
 */
export const translate: Interaction = async (engine, request) => {
  const given = readArguments(engine, request);
  const codes = givenCodes(given);
  if (codes.some(({ system }) => system === undefined))
    throw fhirError(400, 'required', 'Give the `system` of the code.', 'http.system');
  const maps = mapsOf(engine, request, given);
  if (maps instanceof Error) return askServer(engine, request, given, maps);
  const options = { reverse: given.flag('reverse'), targetSystem: given.text('targetsystem') };
  const mapped = codes.flatMap(code => maps.flatMap(map => mapCode(map, code, options)));
  const body = printParameters(resultOf(codes, mapped));
  return { status: 200, body };
};

/** The ConceptMaps of a call; an error if none is loaded. */
function mapsOf(
  engine: Engine,
  request: FhirRequest,
  given: Arguments,
): readonly JsonObject[] | ReturnType<typeof fhirError> {
  const { resourceType: type = '' } = request;
  const names = { type, inline: 'conceptMap', version: 'conceptMapVersion' };
  const definition = givenDefinition(engine, request, given, names);
  if (definition?.from === 'elsewhere') return notLoaded(type, definition.canonical);
  if (definition !== undefined) return [definition.resource];
  const [source, target] = [given.text('source'), given.text('target')];
  const ends = given.flag('reverse') ? ([target, source] as const) : ([source, target] as const);
  const found = engine.definitions
    .all(type)
    .map(one => one.resource())
    .filter(map => isOf(map, 'source', ends[0]) && isOf(map, 'target', ends[1]));
  if (found.length > 0) return found;
  return fhirError(404, 'not-found', `No ${type} of this source and target is loaded. Name one by its \`url\`.`);
}

/** Whether a map has this ValueSet as its source or target; each has, if undefined. */
const isOf = (map: JsonObject, end: 'source' | 'target', wanted: string | undefined): boolean =>
  wanted === undefined || [map[`${end}Uri`], map[`${end}Canonical`]].includes(wanted);

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
