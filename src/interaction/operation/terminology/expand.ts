import { fhirError } from '../../../fhir/error.ts';
import type { FhirError } from '../../../fhir/error.ts';
import { Turns } from '../../../limits/turns.ts';
import { asObject, asString, objectsOf } from '../../../fhir/json-object.ts';
import type { JsonObject } from '../../../fhir/json-object.ts';
import { PATTERNS_TOO_COSTLY } from '../../../terminology/expansion.ts';
import type { Codes, Expansion } from '../../../terminology/expansion.ts';
import type { Engine, FhirRequest, Interaction } from '../../interaction.ts';
import { readArguments } from '../arguments.ts';
import type { Arguments } from '../arguments.ts';
import { inLanguage } from '../../../terminology/concepts.ts';
import type { FindSystem } from '../../../terminology/concepts.ts';
import { askServer } from './ask-server.ts';
import { displaysIn, keyOf } from './displays.ts';
import type { StatedCode } from './displays.ts';
import { givenDefinition, notLoaded } from './given-definition.ts';
import type { GivenDefinition } from './given-definition.ts';
import { terminologyOf } from '../../../terminology/service.ts';

/**
 * `$expand`: the codes of a ValueSet, in pages if they are requested: of loaded definitions, or of one in the call;
 * else of the terminology server. https://hl7.org/fhir/R4/valueset-operation-expand.html
 */
export const expand: Interaction = async (engine, request) => {
  const given = readArguments(engine, request);
  const { resourceType: type = '' } = request;
  const definition = givenDefinition(engine, request, given, {
    type,
    inline: 'valueSet',
    version: 'valueSetVersion',
  });
  if (definition === undefined) throw fhirError(400, 'required', `Name the ${type} by its \`url\`.`, 'http.url');
  requirePage(given);
  if (definition.from === 'elsewhere') return askServer(engine, request, given, notLoaded(type, definition.canonical));
  const expansion = expansionOf(engine, definition);
  if ('problem' in expansion) return askServer(engine, request, given, notExpanded(expansion.problem));
  return { status: 200, body: await expanded(engine, request, given, definition.resource, expansion.codes) };
};

function expansionOf({ model }: Engine, definition: Exclude<GivenDefinition, { from: 'elsewhere' }>): Expansion {
  return definition.from === 'call'
    ? model.expansions.resource(definition.resource)
    : model.expansions.valueSet(definition.canonical);
}

const notExpanded = (problem: string): FhirError =>
  fhirError(
    422,
    problem.startsWith('it has more') || problem === PATTERNS_TOO_COSTLY ? 'too-costly' : 'not-supported',
    `The ValueSet cannot be expanded: ${problem}.`,
  );

function requirePage(given: Arguments): void {
  const wrong = ['offset', 'count'].find(name => (given.number(name) ?? 0) < 0);
  if (wrong !== undefined) throw fhirError(400, 'value', `\`${wrong}\` must be 0 or more.`, `http.${wrong}`);
}

/**
 * The text of the expanded ValueSet. Large ones are listed and printed in turns with other requests.
 * https://hl7.org/fhir/R4/valueset-definitions.html#ValueSet.expansion
 */
async function expanded(
  engine: Engine,
  request: FhirRequest,
  given: Arguments,
  valueSet: JsonObject,
  codes: Codes,
): Promise<string> {
  const { system } = terminologyOf(engine.definitions);
  const list = createListCode(system, displaysIn(valueSet, engine.definitions), {
    language: given.text('displayLanguage'),
    withDesignations: given.flag('includeDesignations'),
    designations: given.texts('designation'),
  });
  const words = (given.text('filter') ?? '').toLowerCase().split(/\s+/);
  const isActiveOnly = given.flag('activeOnly');
  const offset = given.number('offset') ?? 0;
  const end = offset + (given.number('count') ?? Infinity);
  const contains: string[] = [];
  let total = 0;
  const turns = new Turns();
  for (const { system: url, codes: own } of codes)
    for (const code of own) {
      await turns.next();
      const one = list(url, code);
      if (!isFound(one, words) || (isActiveOnly && one['inactive'] === true)) continue;
      if (total >= offset && total < end) contains.push(JSON.stringify(one));
      total += 1;
    }
  const { expansion: _expansion, compose, text: _text, ...about } = valueSet;
  const around = JSON.stringify({
    resourceType: request.resourceType,
    status: 'active',
    ...about,
    ...(given.flag('includeDefinition') && compose !== undefined ? { compose: asObject(compose) } : {}),
    expansion: {
      timestamp: new Date(engine.now()).toISOString(),
      total,
      ...(given.all('offset').length + given.all('count').length > 0 ? { offset } : {}),
      ...withItems('parameter', [...parametersOf(given), ...versionsOf(codes, system)]),
    },
  });
  // The expansion is the last element, and `contains` the last one in it.
  return contains.length === 0 ? around : `${around.slice(0, -2)},"contains":[${contains.join(',')}]}}`;
}

/** The parameters that shape the expansion. */
const parametersOf = (given: Arguments): readonly JsonObject[] => [
  ...named(given, ['filter', 'displayLanguage'], 'valueString'),
  ...named(given, ['offset', 'count'], 'valueInteger'),
  ...named(given, ['activeOnly', 'includeDesignations', 'excludeNested'], 'valueBoolean'),
];

const named = (given: Arguments, names: readonly string[], property: string): readonly JsonObject[] =>
  names.flatMap(name => given.all(name).map(value => ({ name, [property]: value })));

/** The versions of the CodeSystems from which the codes are. */
const versionsOf = (codes: Codes, system: ReturnType<typeof terminologyOf>['system']): readonly JsonObject[] =>
  codes.flatMap(({ system: url }) => {
    const version = system(url)?.resource['version'];
    return typeof version === 'string' ? [{ name: 'version', valueUri: `${url}|${version}` }] : [];
  });

const withItems = (name: string, items: readonly JsonObject[]): JsonObject =>
  items.length === 0 ? {} : { [name]: items };

interface ListOptions {
  readonly language: string | undefined;
  readonly withDesignations: boolean;
  /** Languages, or `system|code` of uses; empty for all. */
  readonly designations: readonly string[];
}

/**
 * Creates the function that makes an item of an expansion: with the display of the ValueSet, else of the CodeSystem.
 * https://hl7.org/fhir/R4/valueset-definitions.html#ValueSet.expansion.contains
 */
function createListCode(
  findSystem: FindSystem,
  stated: ReadonlyMap<string, StatedCode>,
  { language, withDesignations, designations: wanted }: ListOptions,
): (system: string, code: string) => JsonObject {
  return (system, code) => {
    const own = stated.get(keyOf(system, code));
    const concept = findSystem(system)?.concept(code);
    const designations = [...(own?.designations ?? []), ...(concept?.designations ?? [])];
    const display =
      (language === undefined ? undefined : inLanguage(designations, language)) ?? own?.display ?? concept?.display;
    const shown = withDesignations ? designations.filter(one => isWanted(one, wanted)) : [];
    return {
      system,
      ...(concept?.abstract === true ? { abstract: true } : {}),
      ...(concept?.inactive === true ? { inactive: true } : {}),
      code,
      ...(display === undefined ? {} : { display }),
      ...(shown.length === 0 ? {} : { designation: shown }),
    };
  };
}

function isWanted({ language, use }: JsonObject, wanted: readonly string[]): boolean {
  const [coding] = objectsOf([use]);
  const names = [
    language,
    `urn:ietf:bcp:47|${String(language)}`,
    `${String(coding?.['system'])}|${String(coding?.['code'])}`,
  ];
  return wanted.length === 0 || names.some(name => typeof name === 'string' && wanted.includes(name));
}

/** True if an item has each of these words, in lower case, in its code, its display or a designation. */
function isFound(item: JsonObject, words: readonly string[]): boolean {
  const texts = [item['code'], item['display'], ...objectsOf(item['designation']).map(({ value }) => value)];
  const folded = texts.map(text => (asString(text) ?? '').toLowerCase());
  return words.every(word => folded.some(text => text.includes(word)));
}
