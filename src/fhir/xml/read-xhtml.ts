import { SaxesParser } from 'saxes';
import type { SaxesTagNS } from 'saxes';
import { XmlError } from './error.ts';
import { xhtmlNamespace } from './layout.ts';

/** Characters that an attribute cannot have as they are. */
// oxlint-disable-next-line no-control-regex
export const special = /[&<>"\u0000-\u001f\ufffe\uffff]/;
/** Characters that XML 1.0 does not have. https://www.w3.org/TR/xml/#charsets */
// oxlint-disable-next-line no-control-regex
export const beyond = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** The text of an attribute value between double quotes: line breaks and tabs are numbers, which parsers keep. */
export const escapeAttribute = (text: string): string => text.replace(/[&<>"\t\n\r]/g, found => entityOf(found));

const entityOf = (character: string): string => entities[character] ?? `&#${character.charCodeAt(0)};`;

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Deepest nesting of a narrative, as its check has it. */
const deepest = 200;

/**
 * Writes a narrative from the events of a parser: the same XML, with `xmlns` first on its `div`, no prefixes, double
 * quotes and no processing instructions. https://hl7.org/fhir/R4/narrative.html#xhtml
 */
export class XhtmlWriter {
  text = '';
  #depth = 0;

  /** Returns what is wrong with an element, as a sentence. */
  open(tag: SaxesTagNS): string | undefined {
    if (tag.uri !== xhtmlNamespace)
      return `\`${tag.local}\` in a narrative has the namespace \`${tag.uri}\` instead of \`${xhtmlNamespace}\`.`;
    if (++this.#depth > deepest) return `The narrative is nested more than ${deepest} levels deep.`;
    let text = `<${tag.local}${this.#depth === 1 ? ` xmlns="${xhtmlNamespace}"` : ''}`;
    for (const { name, prefix, value } of Object.values(tag.attributes)) {
      if (name === 'xmlns' || prefix === 'xmlns') continue;
      if (prefix !== '' && prefix !== 'xml') return `A narrative may not have the attribute \`${name}\`.`;
      text += ` ${name}="${escapeAttribute(value)}"`;
    }
    this.text += tag.isSelfClosing ? `${text}/>` : `${text}>`;
    return undefined;
  }

  write(text: string): void {
    this.text += text.replace(/[&<>\r]/g, found => entityOf(found));
  }

  comment(text: string): void {
    this.text += `<!--${text}-->`;
  }

  /** Returns whether the narrative ends here. */
  close(tag: SaxesTagNS): boolean {
    if (!tag.isSelfClosing) this.text += `</${tag.local}>`;
    return --this.#depth === 0;
  }
}

/**
 * A narrative as XML that means the same, with the namespace of XHTML. Throws XmlError if it is not one well-formed
 * element.
 */
export function printedXhtml(text: string): string {
  const parser = new SaxesParser({ xmlns: true, position: false, additionalNamespaces: { '': xhtmlNamespace } });
  const writer = new XhtmlWriter();
  const fail = (message: string): never => {
    throw new XmlError(message, '');
  };
  let opened = 0;
  let isOver = false;
  parser.on('error', ({ message }) => fail(message));
  parser.on('doctype', () => fail('It has a DTD.'));
  parser.on('opentag', tag => {
    opened++;
    if (opened === 1 && tag.local !== 'div') fail('It does not begin with `<div`.');
    const wrong = writer.open(tag);
    if (wrong !== undefined) fail(wrong);
  });
  parser.on('closetag', tag => void (isOver = writer.close(tag)));
  parser.on('text', found => {
    if (opened > 0 && !isOver) writer.write(found);
  });
  parser.on('cdata', found => writer.write(found));
  parser.on('comment', found => {
    if (opened > 0 && !isOver) writer.comment(found);
  });
  parser.write(text).close();
  return writer.text;
}
