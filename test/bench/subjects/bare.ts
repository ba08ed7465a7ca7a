import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { answerQuestions } from './serve.ts';

// A child process: koa and nothing else; `/1234` is answered with 1,234 bytes.

const bodies = new Map<string, string>();
const app = new Koa();
app.use(context => {
  let body = bodies.get(context.path);
  if (body === undefined) bodies.set(context.path, (body = 'x'.repeat(Number(context.path.slice(1)))));
  context.type = 'application/fhir+json; charset=utf-8';
  context.body = body;
});
const server = app.listen(0, '127.0.0.1', () => {
  answerQuestions((server.address() as AddressInfo).port, async () => server.closeAllConnections());
});
