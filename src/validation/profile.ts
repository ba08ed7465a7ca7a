import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../definitions/json-object.ts';
import type { JsonObject } from '../definitions/json-object.ts';
import type { Issue } from '../fhir/outcome.ts';
import type { Model } from '../model/model.ts';
import type { ProfileElement } from '../model/profile.ts';
import { checkCode } from './code.ts';
import { checkReferenceType } from './reference-type.ts';
import { Report, shorten } from './report.ts';

/**
 * What a resource lacks of a profile, by its snapshot: cardinalities, the types of choices, fixed values, patterns, required
 * bindings, targets of references. Slices and invariants are not looked at. `canonical` names the profile.
 * https://hl7.org/fhir/R4/profiling.html#snapshot
 */
export function checkProfile(
  resource: unknown,
  canonical: string,
  model: Pick<Model, 'codes' | 'profile'>,
): readonly Issue[] {
  const profile = model.profile(canonical);
  const report = new Report(50);
  if (profile === undefined || !isObject(resource)) return report.issues;
  report.path.push(profile.name);
  checkChildren(resource, profile);
  return report.issues;

  function checkChildren(owner: JsonObject, parent: ProfileElement): void {
    for (const element of parent.children) {
      report.path.push(element.name);
      checkElement(owner, element);
      report.path.pop();
    }
  }

  function checkElement(owner: JsonObject, element: ProfileElement): void {
    const found = propertiesOf(owner, element);
    const count = Math.max(0, ...found.map(name => Math.max(countOf(owner[name]), countOf(owner[`_${name}`]))));
    if (count < element.min) {
      const times = element.min === 1 ? '' : ` ${element.min} times`;
      report.add('required', `\`${nameOf(element)}\` must be there${times}; the profile ${canonical} says so.`);
    }
    if (count > element.max) {
      const most = element.max === 0 ? 'must not be there' : `may be there ${element.max} times at most`;
      report.add('structure', `\`${nameOf(element)}\` ${most}; the profile ${canonical} says so.`);
    }
    for (const name of found) {
      const type = typeOf(name, element);
      if (element.choice && type === undefined) {
        const known = element.types.map(({ code }) => `\`${code}\``).join(', ');
        report.add('structure', `\`${name}\` is of a type that the profile ${canonical} does not take: use ${known}.`);
      }
      each(owner[name], value => checkValue(value, element, type));
    }
  }

  function checkValue(
    value: unknown,
    element: ProfileElement,
    type: ProfileElement['types'][number] | undefined,
  ): void {
    if (value === undefined || value === null) return;
    const { fixed, pattern } = element;
    if (fixed !== undefined && !isDeepStrictEqual(value, fixed)) {
      report.add('value', `This must be \`${shorten(JSON.stringify(fixed))}\`; the profile ${canonical} says so.`);
    }
    if (pattern !== undefined && !holds(value, pattern)) {
      report.add('value', `This must hold \`${shorten(JSON.stringify(pattern))}\`; the profile ${canonical} says so.`);
    }
    if (element.valueSet !== undefined) checkCode(value, element.valueSet, model, report);
    if (type?.code === 'Reference') checkReferenceType(value, type, report);
    if (isObject(value)) checkChildren(value, element);
  }

  function each(value: unknown, one: (value: unknown) => void): void {
    if (!Array.isArray(value)) return one(value);
    value.forEach((item: unknown, index) => {
      report.path.push(index);
      one(item);
      report.path.pop();
    });
  }
}

/** The JSON properties by which an element is there, without underscore. */
function propertiesOf(owner: JsonObject, { name, choice }: ProfileElement): readonly string[] {
  const there = (property: string): boolean => owner[property] !== undefined || owner[`_${property}`] !== undefined;
  if (!choice) return there(name) ? [name] : [];
  const plain = Object.keys(owner).map(property => (property.startsWith('_') ? property.slice(1) : property));
  return [...new Set(plain)].filter(
    property => property.startsWith(name) && /^[A-Z]/.test(property.slice(name.length)),
  );
}

function typeOf(
  property: string,
  { name, choice, types }: ProfileElement,
): ProfileElement['types'][number] | undefined {
  if (!choice) return types[0];
  return types.find(({ code }) => property === name + code.charAt(0).toUpperCase() + code.slice(1));
}

const nameOf = ({ name, choice }: ProfileElement): string => (choice ? `${name}[x]` : name);

const countOf = (value: unknown): number => (Array.isArray(value) ? value.length : value === undefined ? 0 : 1);

/** True where a value has all that a pattern has; each item of the pattern's arrays somewhere in its own. */
function holds(value: unknown, pattern: unknown): boolean {
  if (Array.isArray(pattern)) {
    return Array.isArray(value) && pattern.every(wanted => value.some(item => holds(item, wanted)));
  }
  if (!isObject(pattern)) return value === pattern;
  return isObject(value) && Object.entries(pattern).every(([name, wanted]) => holds(value[name], wanted));
}
