/**
 * The headers of every answer: records are not stored in shared caches and are revalidated each time, and a browser
 * neither guesses types, nor executes, frames or refers to anything. https://hl7.org/fhir/R4/security.html#http
 */
export function fixedHeaders(tls: boolean): Readonly<Record<string, string>> {
  return {
    'Cache-Control': 'private, no-cache',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'X-Frame-Options': 'DENY',
    ...(tls ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}),
  };
}
