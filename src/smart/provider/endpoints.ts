/** Paths below the issuer, with the methods that they accept. */
export const endpoints = {
  '/authorize': ['GET', 'POST'],
  '/authorize/:uid': ['GET'],
  '/token': ['POST'],
  '/introspect': ['POST'],
  '/revoke': ['POST'],
  '/userinfo': ['GET', 'POST'],
  '/jwks': ['GET'],
} as const;

export type Endpoint = keyof typeof endpoints;
