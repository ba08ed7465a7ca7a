import type { Handler, Respond } from '../context.ts';

/** Answers every client with one document, always as plain JSON. */
export function publicDocument(document: object, respond: Respond): Handler {
  const body = JSON.stringify(document);
  const headers = { 'Content-Type': 'application/json; charset=utf-8' };
  return async context => {
    await respond(context, { status: 200, body, headers });
  };
}
