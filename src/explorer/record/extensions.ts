import { asString, isObject, objectsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import { html } from '../../pages/html.ts';
import type { Html, Markup } from '../../pages/html.ts';
import { printFindings } from './findings.ts';
import { printers } from './values/index.ts';
import { printPrimitive, printUnknown } from './values/primitive.ts';
import type { RecordView } from './view.ts';

/** The rows of the extensions of an object, each under the title of its definition or the end of its URL. */
export function extensionRows(owner: JsonObject, at: { readonly place: string }, view: RecordView): readonly Html[] {
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
