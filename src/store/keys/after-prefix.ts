/** The first text after all that begin with the prefix; undefined if there is none. */
export function afterPrefix(prefix: string): string | undefined {
  let end = prefix.length;
  while (end > 0) {
    const begin = (prefix.codePointAt(end - 2) ?? 0) > 0xffff ? end - 2 : end - 1;
    const last = prefix.codePointAt(begin) ?? 0;
    if (last < 0x10ffff) return prefix.slice(0, begin) + String.fromCodePoint(last === 0xd7ff ? 0xe000 : last + 1);
    end = begin;
  }
  return undefined;
}
