/** Characters that an attribute cannot have as they are. */
// oxlint-disable-next-line no-control-regex
export const special = /[&<>"\u0000-\u001f\ufffe\uffff]/;
/** Characters that XML 1.0 does not have. https://www.w3.org/TR/xml/#charsets */
// oxlint-disable-next-line no-control-regex
export const beyond = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** The text of an attribute value between double quotes: line breaks and tabs are numbers, which parsers keep. */
export const escapeAttribute = (text: string): string =>
  text.replace(/[&<>"\t\n\r]/g, found => entities[found] ?? `&#${found.charCodeAt(0)};`);

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
