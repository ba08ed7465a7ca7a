import type { Socket } from 'node:net';
import { BSON, type Document } from 'mongodb';

// Reads and writes the messages of MongoDB's wire protocol.
// https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/

const opReply = 1;
const opQuery = 2004;
const opMessage = 2013;

/** No value changes its type from the read to the write: an int32 stays one, a whole double stays a double. */
const exact = { promoteValues: false, promoteLongs: false, promoteBuffers: false, bsonRegExp: true } as const;
const moreToCome = 2;

/** A field of a document, with its bytes. */
export interface Element {
  readonly name: string;
  /** With type and name, as it is in the document. */
  readonly bytes: Buffer;
}

/** One request, whose documents are parsed only where that is needed. */
export interface Request {
  readonly whole: Buffer;
  /** Absent for OP_QUERY, which drivers send only for the first `hello` of a connection. */
  readonly elements?: readonly Element[];
  /** Everything behind the first document: sequences of documents, as the client sent them. */
  readonly sequences: Buffer;
  readonly hasReply: boolean;
}

/** Splits what a socket receives into messages. */
export async function* messagesOf(socket: Socket): AsyncIterable<Buffer> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    parts.push(chunk);
    length += chunk.length;
    while (length >= 4) {
      if ((parts[0]?.length ?? 0) < 4) parts = [Buffer.concat(parts)];
      const end = parts[0]?.readInt32LE(0) ?? 0;
      if (length < end) break;
      const all = parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
      yield all.subarray(0, end);
      parts = [all.subarray(end)];
      length -= end;
    }
  }
}

/** Parses a request of a client. Throws Error where it is none. */
export function parseRequest(whole: Buffer): Request {
  const opCode = whole.readInt32LE(12);
  if (opCode === opQuery) return { whole, sequences: Buffer.alloc(0), hasReply: true };
  if (opCode !== opMessage) throw new Error(`The bridge knows no messages of kind ${opCode}`);
  if (whole[20] !== 0) throw new Error('The bridge expects the command before its sequences of documents');
  const end = 21 + whole.readInt32LE(21);
  const hasReply = (whole.readUInt32LE(16) & moreToCome) === 0;
  return { whole, elements: elementsOf(whole.subarray(21, end)), sequences: whole.subarray(end), hasReply };
}

/** The message with other fields in its command, and the same sequences of documents. */
export function withElements({ whole, sequences }: Request, elements: readonly Buffer[]): Buffer {
  return framed([whole.subarray(4, 21), documentOf(elements), sequences]);
}

/** The command and its sequences as one document. */
export function commandOf({ elements = [], sequences }: Request): Document {
  const command = parseExact(documentOf(elements.map(({ bytes }) => bytes)));
  for (let at = 0; at < sequences.length;) {
    const end = at + 1 + sequences.readInt32LE(at + 1);
    const nameEnd = sequences.indexOf(0, at + 5);
    const documents: Document[] = [];
    for (let start = nameEnd + 1; start < end; start += sequences.readInt32LE(start))
      documents.push(parseExact(sequences.subarray(start, start + sequences.readInt32LE(start))));
    command[sequences.toString('utf8', at + 5, nameEnd)] = documents;
    at = end;
  }
  return command;
}

/** The document of a reply. */
export function replyOf(message: Buffer): Document {
  return parseExact(message.subarray(message.readInt32LE(12) === opReply ? 36 : 21));
}

/** A reply to a request with this document, in the form that the request asks for. */
export function replyTo({ whole, elements }: Request, document: Document): Buffer {
  const bytes = BSON.serialize(document);
  const head = Buffer.alloc(elements === undefined ? 32 : 17);
  head.writeInt32LE(whole.readInt32LE(4), 4);
  head.writeInt32LE(elements === undefined ? opReply : opMessage, 8);
  if (elements === undefined) head.writeInt32LE(1, 28); // the number of documents
  return framed([head, bytes]);
}

/** The same reply with more fields, as the answer to this request. */
export function extendReply({ whole }: Request, reply: Buffer, more: Buffer): Buffer {
  const start = reply.readInt32LE(12) === opReply ? 36 : 21;
  const extended = Buffer.concat([reply.subarray(0, -1), more, Buffer.alloc(1)]);
  extended.writeInt32LE(extended.length, 0);
  extended.writeInt32LE(whole.readInt32LE(4), 8);
  extended.writeInt32LE(extended.length - start, start);
  return extended;
}

/** The fields of a document. */
export function elementsOf(document: Buffer): readonly Element[] {
  const elements: Element[] = [];
  for (const [, nameStart, nameLength, start, length] of BSON.onDemand.parseToElements(document))
    elements.push({
      name: document.toString('utf8', nameStart, nameStart + nameLength),
      bytes: document.subarray(nameStart - 1, start + length),
    });
  return elements;
}

/** The fields of a document, without its length and its end. */
export const fieldsOf = (document: Document): Buffer => Buffer.from(BSON.serialize(document).subarray(4, -1));

export const parseExact = (bytes: Uint8Array): Document => BSON.deserialize(bytes, exact);
export const exactly = exact;

function documentOf(elements: readonly Buffer[]): Buffer {
  const document = Buffer.concat([Buffer.alloc(4), ...elements, Buffer.alloc(1)]);
  document.writeInt32LE(document.length, 0);
  return document;
}

function framed(parts: readonly Uint8Array[]): Buffer {
  const message = Buffer.concat([Buffer.alloc(4), ...parts]);
  message.writeInt32LE(message.length, 0);
  return message;
}
