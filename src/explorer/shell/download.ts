import { sendFile, sendStream } from '../../http/answer/file.ts';
import type { Reply } from '../../pages/reply.ts';
import type { InterfaceAnswer } from './ask.ts';
import type { Visit } from './visit.ts';

/** An answer of the FHIR interface as a file to keep: one of a job, which may be continued, or one in parts. */
export function download(
  { request, response }: Pick<Visit, 'request' | 'response'>,
  { response: answer, text }: InterfaceAnswer,
  name: string,
): Reply {
  const connection = { req: request, res: response, method: request.method ?? 'GET' };
  const { status, file, stream, bytes = Buffer.from(text), headers: own = {} } = answer;
  const whole = async function* () {
    yield bytes;
  };
  const sent = stream ?? { contentType: own['Content-Type'] ?? 'application/fhir+json', parts: whole() };
  return {
    kind: 'download',
    name,
    async send(headers) {
      if (file !== undefined) return sendFile(connection, file, status, headers, undefined);
      if (request.method === 'HEAD') await sent.parts[Symbol.asyncIterator]().return?.();
      return sendStream(connection, sent, status, headers, undefined);
    },
  };
}
