/** A parsed request target: the path as sent, the query without its `?`. */
export interface Target {
  readonly path: string;
  readonly query: string;
}

/** Also accepts the absolute form that proxies send. https://www.rfc-editor.org/rfc/rfc9112#section-3.2 */
export function splitTarget(target: string): Target {
  const relative = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '');
  const mark = relative.indexOf('?');
  return mark === -1
    ? { path: relative, query: '' }
    : { path: relative.slice(0, mark), query: relative.slice(mark + 1) };
}
