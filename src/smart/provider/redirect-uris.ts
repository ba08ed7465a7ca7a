/**
 * Whether a client that is registered for these redirect URIs may use one: the same, character by character. One of a
 * loopback address that is registered without a port is valid with each port, since an app on a device uses a free
 * one.
 * https://www.rfc-editor.org/rfc/rfc8252#section-7.3
 */
export function isRegisteredRedirect(registered: readonly string[], uri: string): boolean {
  if (registered.includes(uri)) return true;
  const [, host, port, rest] = /^(http:\/\/(?:127\.0\.0\.1|\[::1\])):([1-9]\d{0,4})((?:[/?].*)?)$/.exec(uri) ?? [];
  return host !== undefined && Number(port) < 65_536 && registered.includes(`${host}${rest}`);
}
