// Hand-written scanners: each visits each character once, whatever a client sends.

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
const isSpace = (code: number): boolean => code === 0x20 || (code >= 0x09 && code <= 0x0d);

/**
 * A value of type `uri`, `url` or `canonical`: not empty, no white space. https://hl7.org/fhir/R4/datatypes.html#uri
 */
export function isWithoutSpace(value: string): boolean {
  for (let at = 0; at < value.length; at++) if (isSpace(value.charCodeAt(at))) return false;
  return value !== '';
}

/** A value of type `code`: `[^\s]+(\s[^\s]+)*`. https://hl7.org/fhir/R4/datatypes.html#code */
export function isCode(value: string): boolean {
  let space = true;
  for (let at = 0; at < value.length; at++) {
    const here = isSpace(value.charCodeAt(at));
    if (here && space) return false;
    space = here;
  }
  return !space;
}

/** A value of type `oid`: `urn:oid:[0-2](\.(0|[1-9][0-9]*))+`. https://hl7.org/fhir/R4/datatypes.html#oid */
export function isOid(value: string): boolean {
  if (!value.startsWith('urn:oid:')) return false;
  let at = 8;
  const first = value.charCodeAt(at++);
  if (!(first >= 0x30 && first <= 0x32) || at === value.length) return false;
  while (at < value.length) {
    if (value.charCodeAt(at++) !== 0x2e) return false;
    const start = at;
    while (at < value.length && isDigit(value.charCodeAt(at))) at++;
    if (at === start || (at > start + 1 && value.charCodeAt(start) === 0x30)) return false;
  }
  return true;
}

/** A value of type `uuid`, in lower case. https://hl7.org/fhir/R4/datatypes.html#uuid */
export function isUuid(value: string): boolean {
  if (value.length !== 45 || !value.startsWith('urn:uuid:')) return false;
  for (let at = 9; at < 45; at++) {
    const code = value.charCodeAt(at);
    const dash = at === 17 || at === 22 || at === 27 || at === 32;
    if (dash ? code !== 0x2d : !(isDigit(code) || (code >= 0x61 && code <= 0x66))) return false;
  }
  return true;
}

const base64 = 1;
const pad = 2;
const space = 3;
/** The kind of each byte in base64; 0 for any other. */
const base64Kinds = Uint8Array.from({ length: 256 }, (_, code) => {
  const character = String.fromCharCode(code);
  if ('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'.includes(character)) return base64;
  if (character === '=') return pad;
  return isSpace(code) ? space : 0;
});

/**
 * A value of type `base64Binary`: groups of four characters, white space allowed between any of them, padding at the
 * end only. https://hl7.org/fhir/R4/datatypes.html#base64Binary
 */
export function isBase64(value: string): boolean {
  let count = 0;
  let padding = 0;
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at);
    const kind = code < 256 ? base64Kinds[code] : 0;
    if (kind === base64 && padding === 0) count++;
    else if (kind === pad && padding < 2) padding++;
    else if (kind !== space) return false;
  }
  return count > 0 && (count + padding) % 4 === 0;
}
