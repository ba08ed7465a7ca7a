/**
 * The text if it is a path with an optional query of this server, as browsers read it; else undefined. A second slash
 * or a backslash would begin the name of another host. https://url.spec.whatwg.org/#path-start-state
 */
export function localPath(text: string | null | undefined): string | undefined {
  return text !== null && text !== undefined && /^\/(?![/\\])[\x21-\x7e]*$/.test(text) ? text : undefined;
}
