/**
 * The headers of every answer: no cache stores records, on a shared computer neither the browser's, and a browser
 * neither guesses types, nor executes, frames or refers to anything. https://hl7.org/fhir/R4/security.html#http,
 * https://www.rfc-editor.org/rfc/rfc9111#section-5.2.2.5
 */
export function fixedHeaders(tls: boolean): Readonly<Record<string, string>> {
  return {
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'X-Frame-Options': 'DENY',
    ...(tls ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}),
  };
}
