/** Which store a URL names. */
export type StoreUrl =
  { readonly kind: 'sqlite'; readonly file: string } | { readonly kind: 'mongodb'; readonly database: string };

/** The database of a URL that names none. */
const defaultDatabase = 'clinical-records';

/** `sqlite:` and a path, or what a MongoDB driver takes; undefined for anything else. The driver checks the options itself. */
export function parseStoreUrl(url: string): StoreUrl | undefined {
  const file = /^sqlite:(?<file>.+)$/.exec(url)?.groups?.['file'];
  if (file !== undefined) return { kind: 'sqlite', file };
  const { credentials, database } = mongodb.exec(url)?.groups ?? {};
  if (!mongodb.test(url) || !decodes(credentials ?? '') || !decodes(database ?? '')) return undefined;
  return { kind: 'mongodb', database: database ? decodeURIComponent(database) : defaultDatabase };
}

/** Text for people in which user names, passwords and options of URLs are left out: `mongodb://…@host/records?…`. */
export function hideCredentials(text: string): string {
  return text
    .replace(/(mongodb(?:\+srv)?:[^\s?`']*)\?[^\s`']+/gi, '$1?…')
    .replace(/(?<![a-z+])(?!sqlite:)([a-z+]+:\/{0,2})[^\s`']*@/gi, '$1…@');
}

// https://www.mongodb.com/docs/manual/reference/connection-string/
const mongodb =
  /^mongodb(?:\+srv)?:\/\/(?:(?<credentials>[^@/?#[\]\s]+)@)?[^@/?#,\s]+(?:,[^@/?#,\s]+)*(?:\/(?<database>[^@/?#\\. "$]{0,63}))?(?:\?[^#\s]*)?$/;

function decodes(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
