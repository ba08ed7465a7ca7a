import { stringEnd } from './text-cursor.ts';

/** Returns the JSON without white space outside of strings; numbers and strings stay unchanged. Requires valid JSON. */
export function compactJson(text: string): string {
  let result = '';
  let from = 0;
  let index = 0;
  while (index < text.length) {
    const code = text.charCodeAt(index);
    if (code === 0x22) index = stringEnd(text, index);
    else if (code > 0x20) index++;
    else {
      result += text.slice(from, index);
      do index++;
      while (index < text.length && text.charCodeAt(index) <= 0x20);
      from = index;
    }
  }
  return from === 0 ? text : result + text.slice(from);
}

/**
 * Returns the JSON with line breaks and an indentation of two spaces; numbers and strings stay unchanged. Requires
 * valid JSON.
 */
export function prettyJson(text: string): string {
  const compact = compactJson(text);
  const parts: string[] = [];
  let level = 0;
  let from = 0;
  let index = 0;
  const breakAfter = (next: number): void => {
    parts.push(compact.slice(from, next), lineBreak(level));
    from = next;
  };
  while (index < compact.length) {
    const code = compact.charCodeAt(index);
    if (code === 0x22) {
      index = stringEnd(compact, index);
      continue;
    }
    index++;
    if (code === 0x7b || code === 0x5b) {
      // `{}` and `[]` stay together: in both, the closing character is the opening one plus two.
      if (compact.charCodeAt(index) === code + 2) index++;
      else {
        level++;
        breakAfter(index);
      }
    } else if (code === 0x2c) breakAfter(index);
    else if (code === 0x7d || code === 0x5d) {
      level--;
      breakAfter(index - 1);
    } else if (code === 0x3a) {
      parts.push(compact.slice(from, index), ' ');
      from = index;
    }
  }
  parts.push(compact.slice(from));
  return parts.join('');
}

const lineBreak = (level: number): string => `\n${'  '.repeat(level)}`;
