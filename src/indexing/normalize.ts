/**
 * The normal form of a text for string searches, without case, accents, punctuation and runs of white space. Dashes and
 * separators become a space (`Jean-Pierre` is `jean pierre`), other punctuation is removed (`O'Brien` is `obrien`).
 * Text of only punctuation stays unchanged, so that only white space folds to the empty text.
 * https://hl7.org/fhir/R4/search.html#string
 */
export function foldString(text: string): string {
  if (/^[a-z0-9]*$/.test(text)) return text;
  const letters = isAscii(text) ? text.toLowerCase() : foldLetters(text);
  const folded = spaced(letters.replace(separators, ' ').replace(punctuation, ''));
  return folded === '' ? spaced(letters) : folded;
}

/** The normal form of a case-insensitive code. https://hl7.org/fhir/R4/search.html#token */
export function foldCode(text: string): string {
  return text.toLowerCase();
}

/**
 * The digits by which telephone numbers are compared: without punctuation and extension, and of eleven digits without a
 * leading 1 (the country code of North America). Undefined for a text that does not look like a telephone number.
 * https://hl7.org/fhir/R4/search.html#token
 */
export function phoneDigits(text: string): string | undefined {
  if (text.length > 64) return undefined;
  const number = text.replace(/^\s*tel:/i, '').replace(/\s*(?:;ext=|ext(?:ension)?\.?|x|#)\s*[0-9]{1,8}\s*$/i, '');
  if (!/^[0-9+().\-/\s]*$/.test(number)) return undefined;
  const digits = number.replace(/[^0-9]/g, '');
  if (digits.length < 3 || digits.length > 20) return undefined;
  return digits.length === 11 && digits.startsWith('1') ? digits.slice(1) : digits;
}

const separators = /[\p{Pd}\p{Pc}/\\,;:|&+]/gu;
const punctuation = /[\p{P}\p{Sk}\u02b9-\u02bf]/gu;
/**
 * Combining marks of Latin, Greek and Cyrillic, Hebrew points and Arabic vowel signs; marks of other scripts spell
 * words.
 */
const accents =
  /[\u0300-\u036f]|[\u1ab0-\u1aff]|[\u1dc0-\u1dff]|[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5]|[\u064b-\u065f\u0670]/gu;
/** Letters that Unicode does not decompose. */
const plain: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ı: 'i',
  ŋ: 'n',
  ŧ: 't',
  ς: 'σ',
};

function foldLetters(text: string): string {
  return text
    .normalize('NFKD')
    .replace(accents, '')
    .toLowerCase()
    .replace(accents, '')
    .replace(/[ßæœøłđðþħıŋŧς]/g, letter => plain[letter] ?? letter)
    .normalize('NFC');
}

function spaced(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) > 127) return false;
  return true;
}
