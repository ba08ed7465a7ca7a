import { asObject, asString } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';

/** The name by which people identify a person, and the one by which the person is called beside it. */
export interface PersonName {
  readonly name: JsonObject;
  readonly called: JsonObject | undefined;
}

/**
 * The name of a person from the recorded ones: the official, else the usual, else one with a family name, else any. A
 * usual name without a family name is not enough to identify a person, so that it comes after those with one. Names
 * whose period has an end come after others of their use. `called` is a nickname, or a usual name that was passed over.
 * Undefined without a name. https://hl7.org/fhir/R4/valueset-name-use.html
 */
export function personName(names: readonly JsonObject[]): PersonName | undefined {
  const [name, ...others] = names.filter(isFilled).toSorted((a, b) => rank(a) - rank(b));
  if (name === undefined) return undefined;
  const isSmall = (other: JsonObject): boolean =>
    other['use'] === 'nickname' || (other['use'] === 'usual' && !hasFamily(other));
  return { name, called: others.find(other => isSmall(other) && !isEnded(other)) };
}

const isFilled = ({ text, family, given }: JsonObject): boolean =>
  [text, family, ...(Array.isArray(given) ? (given as readonly unknown[]) : [])].some(
    part => typeof part === 'string' && part !== '',
  );

const hasFamily = ({ family, given, text }: JsonObject): boolean =>
  asString(family) !== undefined || (given === undefined && asString(text) !== undefined);

const isEnded = ({ period }: JsonObject): boolean => asString(asObject(period)['end']) !== undefined;

/** Uses of a name in the order of preference. */
const uses = ['official', 'usual', undefined, 'temp', 'anonymous', 'maiden', 'nickname', 'old'];

/** Lower is better. */
function rank(name: JsonObject): number {
  const use = uses.indexOf(asString(name['use']));
  const isWhole = name['use'] === 'official' || hasFamily(name);
  return (isWhole ? 0 : 100) + 2 * (use < 0 ? uses.length : use) + (isEnded(name) ? 1 : 0);
}
