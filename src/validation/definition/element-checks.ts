import { asObject, asString, objectsOf, stringsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import { didYouMean } from '../../fhir/suggest.ts';
import { isA } from '../../fhirpath/result-type.ts';
import { lastOf, nearest } from './nearest.ts';
import { codesOf } from './place.ts';
import type { ElementPlace } from './place.ts';
import type { Loaded, ReportFinding, WrittenElement } from './profile.ts';

/**
 * `min` above `max`, and a `max` that is not a number.
 * https://hl7.org/fhir/R4/elementdefinition-definitions.html#ElementDefinition.min
 */
export function checkCardinality(element: WrittenElement, report: ReportFinding): void {
  const { json, merged = json } = element;
  const max = asString(json['max']);
  if (max !== undefined && !/^(\*|\d+)$/.test(max))
    return report(element, 'max', `\`max\` is \`${max}\`; write a whole number or \`*\`.`);
  if (json['min'] === undefined && max === undefined) return;
  const [least, most] = [
    Number(merged['min'] ?? 0),
    merged['max'] === '*' ? Infinity : Number(merged['max'] ?? Infinity),
  ];
  if (least > most)
    report(
      element,
      json['min'] === undefined ? 'max' : 'min',
      `\`min\` ${least} is above \`max\` ${most}: no record could meet this.`,
    );
}

/**
 * `fixed[x]`, `pattern[x]`, `minValue[x]` and `maxValue[x]` of a type that the element does not have.
 * https://hl7.org/fhir/R4/elementdefinition-definitions.html#ElementDefinition.fixed_x_
 */
export function checkValueTypes(
  element: WrittenElement,
  place: ElementPlace,
  { types }: Loaded,
  report: ReportFinding,
): void {
  const codes = codesOf(element.merged ?? element.json) ?? place.values?.map(({ code }) => code);
  if (codes === undefined || codes.length === 0 || codes.includes('')) return;
  for (const key of Object.keys(element.json)) {
    const [, kind = '', type = ''] = /^(fixed|pattern|minValue|maxValue)([A-Z]\w*)$/.exec(key) ?? [];
    if (kind === '' || codes.some(code => capital(code) === type)) continue;
    // A complex type includes those that are derived from it, as Quantity includes Age.
    const isNear = codes.some(code => isA(code, type, types) || isA(type, code, types));
    if (isNear && types.get(type)?.kind === 'complex-type') continue;
    const offer = [...new Set(codes)].map(code => `\`${kind}${capital(code)}\``).join(' or ');
    report(element, key, `\`${key}\` does not fit its type; write ${offer}.`);
  }
}

const capital = (code: string): string => code.charAt(0).toUpperCase() + code.slice(1);

/**
 * Types that do not exist or that the base does not allow here; profiles of types and targets that are not loaded.
 * https://hl7.org/fhir/R4/elementdefinition-definitions.html#ElementDefinition.type
 */
export function checkTypes(element: WrittenElement, place: ElementPlace, loaded: Loaded, report: ReportFinding): void {
  const { types } = loaded;
  const allowed = place.isRoot ? undefined : place.values?.map(({ code }) => code);
  const targets = place.values?.filter(({ code }) => code === 'Reference').flatMap(one => one.targets ?? []) ?? [];
  objectsOf(element.json['type']).forEach((type, index) => {
    const code = asString(type['code']) ?? '';
    const at = `type[${index}]`;
    if (!code.includes(':')) {
      if (types.get(code) === undefined)
        report(
          element,
          `${at}.code`,
          `There is no type \`${code}\`.${didYouMean(code, [...types.resourceTypes, ...(allowed ?? [])])}`,
        );
      else if (allowed !== undefined && !allowed.some(one => isA(code, one, types)))
        report(element, `${at}.code`, `The base takes no \`${code}\` here; it takes ${quoted(allowed)}.`);
    }
    for (const list of ['profile', 'targetProfile'])
      stringsOf(type[list]).forEach((canonical, place) => {
        if (list === 'targetProfile' && code === 'Reference') {
          const target = loaded.snapshots(canonical)?.type;
          if (target !== undefined && !mayLeadTo(target, targets, types))
            report(
              element,
              `${at}.${list}[${place}]`,
              `The base takes no reference to ${target} here; it takes ${quoted(targets)}.`,
            );
        }
        if (canonical.startsWith('#') || loaded.has('StructureDefinition', canonical)) return;
        const name = lastOf(canonical);
        const hint = nearest(canonical, loaded.urls('StructureDefinition'));
        const isOfR4 = ofR4.test(canonical) && !canonical.includes('|');
        const what = list === 'profile' ? 'The profile' : 'The target';
        report(
          element,
          `${at}.${list}[${place}]`,
          `${what} \`${canonical}\` is not loaded.${hint}`,
          !isOfR4 || !isType(name),
        );
      });
  });
}

/** Whether references with these targets (any type if there are none) may lead to a type, or to one derived from it. */
const mayLeadTo = (type: string, targets: readonly string[], types: Loaded['types']): boolean =>
  targets.length === 0 || targets.some(target => isA(type, target, types) || isA(target, type, types));

/** Whether a name has the form of a resource type: all types of R4 are loaded. */
const isType = (name: string): boolean => /^[A-Z][A-Za-z]*$/.test(name);
const ofR4 = /^http:\/\/hl7\.org\/fhir\/StructureDefinition\//;

const quoted = (codes: readonly string[]): string => [...new Set(codes)].map(code => `\`${code}\``).join(', ');

/** A required ValueSet that is not loaded: without a terminology server it would not be checked. */
export function checkBinding(element: WrittenElement, loaded: Loaded, report: ReportFinding): void {
  const { strength, valueSet } = asObject(element.json['binding']);
  if (strength !== 'required' || typeof valueSet !== 'string' || valueSet.startsWith('#')) return;
  if (loaded.has('ValueSet', valueSet)) return;
  const text = `The required ValueSet \`${valueSet}\` is not loaded; only a terminology server can decide its codes.`;
  report(element, 'binding.valueSet', `${text}${nearest(valueSet, loaded.urls('ValueSet'))}`, true);
}

/**
 * A binding that is weaker than that of the base: R4 lets a profile only tighten it, and validation follows the
 * profile. `base` has the elements of the base, by id. https://hl7.org/fhir/R4/profiling.html#binding
 */
export function checkLoosened(
  element: WrittenElement,
  base: ReadonlyMap<string, JsonObject>,
  report: ReportFinding,
): void {
  const own = asString(asObject(element.json['binding'])['strength']);
  const above = base.get(element.id) ?? base.get(element.id.replace(/:[^.]*/g, ''));
  const inherited = asString(asObject(above?.['binding'])['strength']);
  if (own === undefined || inherited === undefined || strengths.indexOf(own) >= strengths.indexOf(inherited)) return;
  if (!strengths.includes(own)) return; // the check of codes reports it
  const text = `The binding is \`${own}\`, and that of the base \`${inherited}\`; a profile may only tighten it.`;
  report(element, 'binding.strength', text, true);
}

const strengths = ['example', 'preferred', 'extensible', 'required'];
