import { asString, stringsOf } from '../../../fhir/json-object.ts';
import type { JsonObject } from '../../../fhir/json-object.ts';
import { html } from '../../../pages/html.ts';
import type { Markup } from '../../../pages/html.ts';
import { badge } from '../../../pages/parts.ts';
import { personName } from '../../../pages/person-name.ts';
import { safeLink } from '../view.ts';
import type { Printer } from '../view.ts';
import { joined, linked } from './primitive.ts';

/** https://hl7.org/fhir/R4/datatypes.html#HumanName */
export const humanName: Printer = {
  shows: ['text', 'family', 'given', 'prefix', 'suffix', 'use'],
  print: value => html`${nameText(value)}${tag(value)}`,
};

/** The name by which people identify a person, with the nickname beside it: `Lucas Fraser (Luc)`. */
export function namesText(names: readonly JsonObject[]): string | undefined {
  const found = personName(names);
  if (found === undefined) return undefined;
  const { name, called } = found;
  const short = called === undefined ? '' : joined(called, 'given') || nameText(called);
  return short === '' ? nameText(name) : `${nameText(name)} (${short})`;
}

/** The parts of a name in their usual order; its text if it has none. */
function nameText(value: JsonObject): string {
  const parts = ['prefix', 'given', 'family', 'suffix'].map(part => joined(value, part)).filter(Boolean);
  return parts.length > 0 ? parts.join(' ') : (asString(value['text']) ?? '');
}

/** https://hl7.org/fhir/R4/datatypes.html#Address */
export const address: Printer = {
  shows: ['text', 'line', 'city', 'district', 'state', 'postalCode', 'country', 'use', 'type'],
  print(value) {
    const place = [joined(value, 'city'), joined(value, 'district'), joined(value, 'state')].filter(Boolean).join(', ');
    const lines = [
      ...stringsOf(value['line']),
      [place, joined(value, 'postalCode')].filter(Boolean).join('  '),
      joined(value, 'country'),
    ].filter(Boolean);
    const text = lines.length > 0 ? lines.join('\n') : (asString(value['text']) ?? '');
    return html`<span class="lines">${text}</span>${tag(value)}`;
  },
};

/** Phone numbers and e-mail addresses as links. https://hl7.org/fhir/R4/datatypes.html#ContactPoint */
export const contactPoint: Printer = {
  shows: ['system', 'value', 'use'],
  print(value) {
    const text = asString(value['value']) ?? '';
    const scheme = schemes[asString(value['system']) ?? ''];
    const href = scheme === undefined || text === '' ? undefined : safeLink(scheme + text.replaceAll(/\s+/g, ''));
    return html`${linked(text, href)}${tag({ ...value, type: value['system'] })}`;
  },
};

const schemes: Readonly<Record<string, string>> = {
  phone: 'tel:',
  fax: 'tel:',
  sms: 'tel:',
  email: 'mailto:',
  url: '',
};

/** https://hl7.org/fhir/R4/datatypes.html#Identifier */
export const identifier: Printer = {
  shows: ['system', 'value', 'use'],
  print(value) {
    const { system, value: text, use } = value;
    return html`${asString(text)}${tag({ use })}${
      typeof system === 'string' && html` <small class="system">${system}</small>`
    }`;
  },
};

/** The codes of use and type beside a value. */
const tag = ({ use, type }: JsonObject): Markup =>
  [use, type].filter(one => typeof one === 'string').map(one => badge(one, 'en'));
