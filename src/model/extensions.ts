import { asString, isObject, objectsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import { didYouMean, suggest } from '../fhir/suggest.ts';
import { extensionBase, extensionShapes } from './extension-shapes.ts';
import type { ExtensionParts, Value } from './extension-shapes.ts';

/** Reports a problem: the path within the definition, and the sentence. */
export type Report = (path: string, text: string) => void;

/**
 * Checks every extension in a definition that is one of ours or resembles one: its name, its element, its cardinality,
 * and its content. A misspelt one must never drop a restriction silently.
 */
export function checkExtensions(definition: JsonObject, report: Report): void {
  walk(definition, String(definition['resourceType']), '', (extensions, element) => {
    const seen = new Map<string, number>();
    extensions.forEach(({ json, at }) => {
      const name = ourName(json, at, report);
      if (name === undefined) return;
      const shape = extensionShapes[name];
      if (shape === undefined) return;
      const count = (seen.get(name) ?? 0) + 1;
      seen.set(name, count);
      const places = shape.on.map(place => (shape.modifier === true ? `${place}.modifierExtension` : place));
      if (!places.includes(element))
        report(
          at,
          `The extension \`${name}\` is not allowed on \`${element}\`; it belongs on ` +
            `${places.map(place => `\`${place}\``).join(' or ')}.`,
        );
      else if (count > shape.max) report(at, `The extension \`${name}\` is repeated here.`);
      checkShape(json, shape, `The extension \`${name}\``, at, report);
    });
  });
}

/** The extensions of ours with a name on an element, with their paths. */
export function extensionsOf(
  element: JsonObject,
  name: string,
): readonly { readonly json: JsonObject; readonly path: string }[] {
  return partsOf(element, extensionBase + name);
}

/** The parts of a complex extension with a url, with their paths. */
export function partsOf(
  extension: JsonObject,
  url: string,
): readonly { readonly json: JsonObject; readonly path: string }[] {
  return objectsOf(extension['extension']).flatMap((json, index) =>
    json['url'] === url ? [{ json, path: `extension[${index}]` }] : [],
  );
}

/** The text of an extension's value; undefined without one. */
export const textOf = (extension: JsonObject | undefined): string | undefined =>
  asString(extension?.['valueString'] ?? extension?.['valueCode'] ?? extension?.['valueCanonical']);

/** The name of one of our extensions; reports a url that resembles one of ours. */
function ourName(extension: JsonObject, at: string, report: Report): string | undefined {
  const url = asString(extension['url']) ?? '';
  const names = Object.keys(extensionShapes);
  const name = url.slice(url.lastIndexOf('/') + 1);
  if (url.startsWith(extensionBase)) {
    if (names.includes(name)) return name;
    report(
      `${at}.url`,
      `No extension \`${url}\` exists.${didYouMean(url.slice(extensionBase.length), names)} The ` +
        `extensions are ${names.map(known => `\`${known}\``).join(', ')}.`,
    );
    return undefined;
  }
  if (url.startsWith('http://hl7.org/fhir/')) return undefined;
  const meant = names.includes(name) ? name : suggest(name, names);
  const near = url === name || suggest(url.slice(0, url.length - name.length), [extensionBase]) !== undefined;
  if (meant !== undefined && near)
    report(`${at}.url`, `No extension \`${url}\` exists. Did you mean \`${extensionBase}${meant}\`?`);
  return undefined;
}

function checkShape(json: JsonObject, shape: Value | ExtensionParts, what: string, at: string, report: Report): void {
  if ('parts' in shape) return checkParts(json, shape, what, at, report);
  const found = Object.keys(json).filter(key => key.startsWith('value'));
  const value = json[shape.value];
  if (found.length !== 1 || found[0] !== shape.value || json['extension'] !== undefined)
    return report(
      at,
      `${what} has ${found.length === 0 ? 'no value' : found.map(key => `\`${key}\``).join(' and ')}; ` +
        `expected \`${shape.value}\` alone.`,
    );
  const valueAt = `${at}.${shape.value}`;
  if (shape.value === 'valuePositiveInt') {
    if (!Number.isInteger(value) || Number(value) < 1)
      report(valueAt, `${what} has ${JSON.stringify(value)}; expected a whole number above 0.`);
  } else if (typeof value !== 'string' || value.trim() === '')
    report(valueAt, `${what} has ${JSON.stringify(value)}; expected a text.`);
  else if (shape.pattern?.test(value) === false)
    report(valueAt, `${what} has \`${value}\`; expected ${shape.expected ?? ''}.`);
}

function checkParts(json: JsonObject, { parts }: ExtensionParts, what: string, at: string, report: Report): void {
  const value = Object.keys(json).find(key => key.startsWith('value'));
  if (value !== undefined)
    report(
      `${at}.${value}`,
      `${what} has \`${value}\`; its values are extensions inside it: ${Object.keys(parts)
        .map(name => `\`${name}\``)
        .join(', ')}.`,
    );
  objectsOf(json['extension']).forEach((part, index) => {
    const name = asString(part['url']) ?? '';
    const shape = parts[name];
    const path = `${at}.extension[${index}]`;
    if (shape === undefined)
      report(
        `${path}.url`,
        `${what} has no part \`${name}\`.${didYouMean(name, Object.keys(parts))} Its parts are ${Object.keys(parts)
          .map(known => `\`${known}\``)
          .join(', ')}.`,
      );
    else checkShape(part, shape, partOf(name, what), path, report);
  });
  for (const [name, shape] of Object.entries(parts)) {
    const count = partsOf(json, name).length;
    if (count < (shape.min ?? 0)) report(at, `${what} needs its part \`${name}\`.`);
    if (count > (shape.max ?? Infinity)) report(at, `${what} has its part \`${name}\` more than once.`);
  }
}

const partOf = (name: string, whole: string): string => `The part \`${name}\` of ${whole.replace('The', 'the')}`;

/** An extension and its path in the definition. */
interface WrittenExtension {
  readonly json: JsonObject;
  readonly at: string;
}

/** Visits the extensions of every element, except those inside an extension. */
function walk(
  value: JsonObject,
  element: string,
  path: string,
  visit: (extensions: readonly WrittenExtension[], element: string) => void,
): void {
  const at = (name: string): string => (path === '' ? name : `${path}.${name}`);
  for (const [name, child] of Object.entries(value)) {
    if (name === 'extension' || name === 'modifierExtension') {
      const found = objectsOf(child).map((json, index) => ({ json, at: `${at(name)}[${index}]` }));
      visit(found, name === 'extension' ? element : `${element}.modifierExtension`);
    } else if (isObject(child)) walk(child, `${element}.${name}`, at(name), visit);
    else if (Array.isArray(child))
      child.forEach((item, index) => {
        if (isObject(item)) walk(item, `${element}.${name}`, `${at(name)}[${index}]`, visit);
      });
  }
}
