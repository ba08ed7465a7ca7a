/** The store at a URL. */
export type StoreUrl =
  { readonly kind: 'sqlite'; readonly file: string } | { readonly kind: 'mongodb'; readonly database: string };

/** The default database of a URL without one. */
const defaultDatabase = 'clinical-records';

/**
 * `sqlite:` and a path, or a MongoDB URL; undefined for anything else, and for SQLite's `:memory:`, which several
 * connections cannot share. The driver checks the options itself.
 */
export function parseStoreUrl(url: string): StoreUrl | undefined {
  const file = /^sqlite:(?!:memory:$)(?<file>.+)$/.exec(url)?.groups?.['file'];
  if (file !== undefined) return { kind: 'sqlite', file };
  const { credentials, database } = mongodb.exec(url)?.groups ?? {};
  if (!mongodb.test(url) || !decodes(credentials ?? '') || !decodes(database ?? '')) return undefined;
  return { kind: 'mongodb', database: database ? decodeURIComponent(database) : defaultDatabase };
}

/** A text for messages, without user names, passwords and options of URLs: `mongodb://…@host/records?…`. */
export function hideCredentials(text: string): string {
  return text
    .replace(/(mongodb(?:\+srv)?:[^\s?`']*)\?[^\s`']+/gi, '$1?…')
    .replace(/(?<![a-z+])(?!sqlite:)([a-z+]+:\/{0,2})[^\s`']*@/gi, '$1…@');
}

// https://www.mongodb.com/docs/manual/reference/connection-string/
const mongodb = new RegExp(
  [
    /^mongodb(?:\+srv)?:\/\/(?:(?<credentials>[^@/?#[\]\s]+)@)?/,
    /[^@/?#,\s]+(?:,[^@/?#,\s]+)*/,
    /(?:\/(?<database>[^@/?#\\. "$]{0,63}))?(?:\?[^#\s]*)?$/,
  ]
    .map(({ source }) => source)
    .join(''),
);

function decodes(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
