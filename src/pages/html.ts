/** Text that is already HTML, so that it is not escaped again. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A value in a template: lists are joined, `undefined` and `false` are empty, all other text is escaped. */
export type Markup = Html | string | number | undefined | false | readonly Markup[];

/**
 * HTML from a template: an inserted value cannot end an element or a quoted attribute. Attribute values must be quoted
 * in the template. https://html.spec.whatwg.org/multipage/syntax.html
 */
export function html(template: TemplateStringsArray, ...parts: readonly Markup[]): Html {
  const [first = '', ...rest] = template;
  return new Html(first + rest.map((text, at) => print(parts[at]) + text).join(''));
}

/** The text with all special characters as references; characters that no document may contain (U+0000 …) as U+FFFD. */
export function escapeText(text: string): string {
  return text.toWellFormed().replace(meaning, one => references[one] ?? '\ufffd');
}

function print(part: Markup): string {
  if (part === undefined || part === false) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(print).join('');
  return escapeText(String(part));
}

// oxlint-disable-next-line no-control-regex -- these are what is looked for
const meaning = /[&<>"'`\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;

const references: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};
