import { asString, isObject } from '../../../fhir/json-object.ts';
import { html } from '../../../pages/html.ts';
import type { Markup } from '../../../pages/html.ts';
import { linkOf, safeLink } from '../view.ts';
import type { Printer, RecordView } from '../view.ts';
import { linked, longText, sizeText } from './primitive.ts';
import { periodText, timeElement, timeText } from '../../../pages/time-text.ts';

/** https://hl7.org/fhir/R4/datatypes.html#Period */
export const period: Printer = {
  shows: ['start', 'end'],
  print({ start, end }, { language, texts }) {
    if (typeof start === 'string' && typeof end === 'string') return periodText(start, end, language);
    if (typeof start === 'string') return texts.from(timeText(start, language));
    return typeof end === 'string' ? texts.until(timeText(end, language)) : undefined;
  },
};

/** A link to the record, if this server can return it. https://hl7.org/fhir/R4/references.html */
export const reference: Printer = {
  shows: ['reference', 'display', 'type'],
  print(value, view) {
    const target = asString(value['reference']);
    const text = asString(value['display']) ?? target ?? asString(value['type']);
    if (text === undefined) return undefined;
    return html`${linked(text, target === undefined ? undefined : hrefOf(target, view))}${
      target !== undefined && target !== text && html` <small class="system">${target}</small>`
    }`;
  },
};

/** Contained resources are on the same page. */
const hrefOf = (target: string, view: RecordView): string | undefined =>
  target.startsWith('#') ? `#contained-${target.slice(1)}` : (linkOf(view, target) ?? safeLink(target));

/** A picture, or the type and the size of a file. https://hl7.org/fhir/R4/datatypes.html#Attachment */
export const attachment: Printer = {
  shows: ['contentType', 'data', 'url', 'title', 'size'],
  print(value, view, place) {
    const { contentType, data, url, title, size } = value;
    const type = asString(contentType) ?? '';
    const bytes = typeof data === 'string' ? Math.floor((data.length * 3) / 4) : Number(size ?? 0);
    const about = view.texts.file(type, bytes > 0 ? sizeText(bytes, view) : '');
    const picture = typeof data === 'string' && pictureTypes.has(type.toLowerCase()) ? view.pictureLink : undefined;
    const name = asString(title) ?? (picture === undefined ? undefined : type);
    const href = asString(url);
    return html`${
        picture !== undefined &&
        html`<img class="picture" src="${picture(place)}" alt="${view.texts.picture(name ?? type)}" loading="lazy" />`
      }<span
        >${name !== type && name} ${href !== undefined && linked(href, linkOf(view, href) ?? safeLink(href))}
        <small>${about}</small></span
      >`;
  },
};

/** Raster formats that browsers show and that run no scripts. */
export const pictureTypes: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** https://hl7.org/fhir/R4/datatypes.html#Annotation */
export const annotation: Printer = {
  shows: ['text', 'time', 'authorString', 'authorReference'],
  print(value, view, place) {
    const { authorString, authorReference, time, text } = value;
    const author: Markup = isObject(authorReference)
      ? reference.print(authorReference, view, place)
      : asString(authorString);
    const when = typeof time === 'string' ? timeElement(time, view.language) : undefined;
    return html`${longText(asString(text) ?? '', view)}${
      (author !== undefined || when !== undefined) && html` <small>${author} ${when}</small>`
    }`;
  },
};
