import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';

/** The request id in log and audit: the one that its answer has already, else a new one. */
export function requestIdOf(response: ServerResponse): string {
  const given = response.getHeader('X-Request-Id');
  if (typeof given === 'string') return given;
  const made = randomUUID();
  response.setHeader('X-Request-Id', made);
  return made;
}
