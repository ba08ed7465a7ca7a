import { isObject } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import type { ElementDefinition, ElementType } from '../../model/element.ts';
import { html } from '../../pages/html.ts';
import type { Markup } from '../../pages/html.ts';
import { printers } from '../record/values/index.ts';
import { printPrimitive } from '../record/values/primitive.ts';
import type { RecordView } from '../record/view.ts';

/** Most values of a list in a cell. */
const most = 3;

/** The value of an element in a cell: the first values of a list, those of a backbone element by its first parts. */
export function cell(resource: JsonObject, element: ElementDefinition, view: RecordView): Markup {
  for (const type of element.types) {
    const value = resource[type.property];
    if (value === undefined) continue;
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    const owner = Array.isArray(value) ? value : resource;
    const shown = values.slice(0, most).map((one, at) => {
      const key = Array.isArray(value) ? at : type.property;
      return html`<div>${print(one, type, { element, owner, key }, view)}</div>`;
    });
    return html`${shown}${values.length > most && html`<div class="hint">+ ${values.length - most}</div>`}`;
  }
  return undefined;
}

interface ValuePlace {
  readonly element: ElementDefinition;
  readonly owner: object;
  readonly key: string | number;
}

function print(value: unknown, { code, content }: ElementType, place: ValuePlace, view: RecordView): Markup {
  if (!isObject(value)) return printPrimitive({ value, type: code, ...place }, view);
  const printer = printers.get(code);
  if (printer !== undefined) return printer.print(value, view, place.element.name);
  const parts = [...((content ?? view.model.definitions.get(code))?.elements.values() ?? [])].filter(
    ({ name }) => name !== 'id' && name !== 'extension' && name !== 'modifierExtension',
  );
  const filled = parts.filter(({ types }) => types.some(({ property }) => value[property] !== undefined));
  return filled.slice(0, 2).map(part => html`<span>${cell(value, part, view)}</span> `);
}
