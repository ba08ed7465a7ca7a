/**
 * The character code that a backslash and this character mean in a JSON string; -1 if there is no such escape, as for
 * `u`, which four digits follow. https://www.rfc-editor.org/rfc/rfc8259#section-7
 */
export const escapeMeaning = (code: number): number => meanings[code] ?? -1;

const escapes: readonly (readonly [character: string, meaning: string])[] = [
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
];

const meanings = new Int8Array(128).fill(-1);
for (const [character, meaning] of escapes) meanings[character.charCodeAt(0)] = meaning.charCodeAt(0);
