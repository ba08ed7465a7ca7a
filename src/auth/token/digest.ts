import { hash } from 'node:crypto';

/**
 * The digest under which a token is stored, so that reading a store does not yield usable tokens. SHA-256, base64url.
 */
export const digestOf = (token: string): string => hash('sha256', token, 'base64url');
