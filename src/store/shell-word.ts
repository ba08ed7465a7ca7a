/** Quotes a text as one word for a shell. */
export const shellWord = (text: string): string =>
  /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
