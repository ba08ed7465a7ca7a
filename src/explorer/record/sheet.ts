import { asString, isObject, objectsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import type { ElementDefinition, ElementType, TypeDefinition } from '../../model/element.ts';
import { html } from '../../pages/html.ts';
import type { Html, Markup } from '../../pages/html.ts';
import { inLanguage } from '../definition/label.ts';
import { printFindings } from './findings.ts';
import type { RecordFinding } from './findings.ts';
import { narrative } from './narrative.ts';
import { printers } from './values/index.ts';
import { printPrimitive, printUnknown } from './values/primitive.ts';
import type { RecordView } from './view.ts';

/**
 * A record as a sheet: a description list of its elements in the order of its definition, each value printed by its
 * data type, findings beside their elements. What the definitions do not know is shown as JSON; of a long record the
 * beginning is shown.
 */
export function recordSheet(resource: JsonObject, whole: RecordView): Html {
  const view = { ...whole, budget: { left: mostCharacters } };
  const type = view.model.definitions.get(String(resource['resourceType']));
  if (type === undefined) return html`<p>${printUnknown(resource)}</p>`;
  const technical = view.model.definitions.get('Resource')?.elements;
  const place = { path: type.name, place: type.name };
  const isTechnical = (name: string): boolean => technical?.has(name) === true;
  const content = rows(resource, type, place, view, name => !isTechnical(name) && name !== 'text');
  const about = rows(resource, type, place, view, isTechnical);
  const text = isObject(resource['text']) ? narrative(resource['text'], view) : undefined;
  const own = view.findings.at(type.name);
  return html`${printFindings(own, view.texts)}
    <dl class="sheet">${content}</dl>
    ${view.budget.left <= 0 && html`<p class="hint">${view.texts.cut}</p>`} ${text}
    ${
      about.length > 0 &&
      html`<details class="technical">
        <summary>${inLanguage(view.labelOf(`${type.name}.meta`), view.language)}</summary>
        <dl class="sheet">${about}</dl>
      </details>`
    }`;
}

/** A view that shows a part of a long record, so that the page stays small. */
interface SheetView extends RecordView {
  /** The characters that may still be added. */
  readonly budget: { left: number };
}

/** Longest sheet, without its narrative. */
const mostCharacters = 45_000;

/** Where an element is: the path of its definition, and its place in the record as FHIRPath. */
interface ElementPlace {
  readonly path: string;
  readonly place: string;
}

/** The rows of the properties of an object that `wanted` accepts, in the order of its definition. */
function rows(
  owner: JsonObject,
  type: TypeDefinition,
  at: ElementPlace,
  view: SheetView,
  wanted: (name: string) => boolean,
): readonly Html[] {
  const known = new Set(['resourceType', 'extension', 'modifierExtension']);
  const found: Html[] = [];
  for (const element of type.elements.values()) {
    for (const elementType of element.types) {
      const { property } = elementType;
      const [value, sibling] = [owner[property], owner[`_${property}`]];
      known.add(property).add(`_${property}`);
      if ((value === undefined && sibling === undefined) || !wanted(element.name) || isExtension(element.name))
        continue;
      if (view.budget.left <= 0) return found;
      found.push(row({ element, elementType, owner, value, sibling }, at, view));
    }
  }
  if (wanted('extension')) found.push(...extensionRows(owner, at, view));
  for (const [name, value] of Object.entries(owner))
    if (!known.has(name) && wanted('extension')) found.push(unknownRow(name, value, at, view));
  return found;
}

const isExtension = (name: string): boolean => name === 'extension' || name === 'modifierExtension';

interface SheetRow {
  readonly element: ElementDefinition;
  readonly elementType: ElementType;
  readonly owner: JsonObject;
  readonly value: unknown;
  /** The `id` and `extension` of a primitive. */
  readonly sibling: unknown;
}

function row(given: SheetRow, at: ElementPlace, view: SheetView): Html {
  const { element, value, sibling } = given;
  const path = pathOf(at.path, element);
  const place = `${at.place}.${element.name}`;
  const values = Array.isArray(value) || Array.isArray(sibling) ? longer(value, sibling) : undefined;
  const items =
    values === undefined
      ? [item(given, { path, place }, given.owner, given.elementType.property, value, sibling, view)]
      : values.slice(0, mostItems).map((one, index) => {
          const list = Array.isArray(value) ? (value as readonly unknown[]) : [];
          return item(given, { path, place: `${place}[${index}]` }, list, index, one.value, one.sibling, view);
        });
  const more = (values?.length ?? 0) - mostItems;
  const findings = takeAt([place, `${at.place}.${given.elementType.property}`], view);
  const shown: readonly Markup[] = [
    ...items,
    more > 0 && html`<span class="hint">${view.texts.more(more)}</span>`,
    printFindings(findings, view.texts),
  ];
  return html`<div class="row">
    <dt>${inLanguage(view.labelOf(path), view.language)}</dt>
    ${shown.map(one => one !== undefined && one !== false && html`<dd>${one}</dd>`)}
  </div>`;
}

/** Most items of a list on a sheet. */
const mostItems = 50;

/** The items of a list of primitives, each with its sibling. */
function longer(value: unknown, sibling: unknown): readonly { readonly value: unknown; readonly sibling: unknown }[] {
  const [values, siblings] = [value, sibling].map(one => (Array.isArray(one) ? (one as readonly unknown[]) : []));
  const length = Math.max(values?.length ?? 0, siblings?.length ?? 0);
  return Array.from({ length }, (_, at) => ({ value: values?.[at], sibling: siblings?.[at] }));
}

/** The markup around a value. */
const rowCharacters = 60;

/** The path by which the element is labelled: below its data type, the path of the data type. */
const pathOf = (path: string, { name }: ElementDefinition): string => `${path}.${name}`;

function item(
  { element, elementType }: SheetRow,
  at: ElementPlace,
  owner: object,
  key: string | number,
  value: unknown,
  sibling: unknown,
  view: SheetView,
): Html {
  const content = elementType.content ?? view.model.definitions.get(elementType.code);
  const printed =
    content?.kind === 'primitive-type' || !isObject(value)
      ? printPrimitive({ value, type: elementType.code, element, owner, key }, view)
      : complex(value, elementType, content, at, view);
  const more = isObject(sibling) ? extensionRows(sibling, at, view) : [];
  if (!isObject(value) || printers.has(elementType.code))
    view.budget.left -= html`${printed}`.text.length + rowCharacters;
  const findings = isObject(value) && !printers.has(elementType.code) ? takeAt([at.place], view) : takeBelow(at, view);
  return html`${printed}${more.length > 0 && html`<dl class="sheet nested">${more}</dl>`}${printFindings(
    findings,
    view.texts,
  )}`;
}

/** A value with properties: in a line where its type has a printer, then its other properties. */
function complex(
  value: JsonObject,
  { code, content: own }: ElementType,
  content: TypeDefinition | undefined,
  at: ElementPlace,
  view: SheetView,
): Markup {
  if (content?.kind === 'resource') return containedSheet(value, at, view);
  if (content === undefined) return printUnknown(value);
  const printer = printers.get(code);
  const below = { path: own === undefined ? code : at.path, place: at.place };
  const line = printer?.print(value, view, at.place);
  const rest = rows(value, content, below, view, name => printer === undefined || !isShown(name, value, printer.shows));
  return html`${line}${rest.length > 0 && html`<dl class="sheet nested">${rest}</dl>`}`;
}

/** Properties of the line need no row, except for the extensions of their values. */
const isShown = (name: string, value: JsonObject, shows: readonly string[]): boolean =>
  name === 'id' || (shows.includes(name) && value[`_${name}`] === undefined);

function containedSheet(resource: JsonObject, { place }: ElementPlace, view: SheetView): Html {
  const [name, id] = [String(resource['resourceType']), asString(resource['id'])];
  const type = view.model.definitions.get(name);
  if (type === undefined) return printUnknown(resource);
  const inner = rows(resource, type, { path: name, place }, view, one => one !== 'id');
  return html`<section class="contained" ${id !== undefined && html` id="contained-${id}"`}>
    <p class="tag">${name} ${id}</p>
    <dl class="sheet nested">${inner}</dl>
  </section>`;
}

function unknownRow(name: string, value: unknown, at: ElementPlace, view: SheetView): Html {
  const findings = view.findings.below(`${at.place}.${name}`);
  return html`<div class="row">
    <dt><code>${name}</code></dt>
    <dd>${printUnknown(value)} <small>${view.texts.unknownProperty}</small>${printFindings(findings, view.texts)}</dd>
  </div>`;
}

const takeAt = (places: readonly string[], { findings }: RecordView): readonly RecordFinding[] =>
  places.flatMap(place => findings.at(place));

const takeBelow = ({ place }: ElementPlace, { findings }: RecordView): readonly RecordFinding[] =>
  findings.below(place);

/** The rows of the extensions of an object, each under the title of its definition or the end of its URL. */
function extensionRows(owner: JsonObject, at: { readonly place: string }, view: RecordView): readonly Html[] {
  return ['extension', 'modifierExtension'].flatMap(name =>
    objectsOf(owner[name]).map((extension, index) => {
      const place = `${at.place}.${name}[${index}]`;
      const inner = extensionRows(extension, { place }, view);
      const url = asString(extension['url']) ?? '';
      return html`<div class="row extension">
        <dt><span lang="en" title="${url}">${titleOf(url, view)}</span></dt>
        <dd>
          ${extensionValue(extension, place, view)}${inner.length > 0 && html`<dl class="sheet nested">${inner}</dl>`}
          ${printFindings(view.findings.below(place), view.texts)}
        </dd>
      </div>`;
    }),
  );
}

function titleOf(url: string, { model }: RecordView): string {
  const structure = model.snapshot(url)?.structure;
  return asString(structure?.['title']) ?? asString(structure?.['name']) ?? url.slice(url.lastIndexOf('/') + 1);
}

/** https://hl7.org/fhir/R4/extensibility.html#Extension */
function extensionValue(extension: JsonObject, place: string, view: RecordView): Markup {
  const element = view.model.definitions.get('Extension')?.elements.get('value');
  const type = element?.types.find(({ property }) => extension[property] !== undefined);
  if (element === undefined || type === undefined) return undefined;
  const value = extension[type.property];
  if (!isObject(value))
    return printPrimitive({ value, type: type.code, element, owner: extension, key: type.property }, view);
  return printers.get(type.code)?.print(value, view, place) ?? printUnknown(value);
}
