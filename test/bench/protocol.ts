/** What the processes of a run say to each other: one question, one answer. */

/** A request of a case: its bytes on the wire. */
export interface WireRequest {
  readonly path: string;
  readonly method?: 'GET' | 'POST' | 'PUT';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Stands in a body for eight digits that are other ones each time. */
export const counterMark = '@@@@@@@@';

/** To the load generator. */
export type ClientQuestion =
  | { readonly kind: 'connect'; readonly port: number; readonly connections: number }
  | {
      readonly kind: 'run';
      readonly requests: readonly WireRequest[];
      /** Milliseconds, after which no more requests are sent. */
      readonly duration: number;
      /** Requests a second, spread over the connections; as many as they take where it is left out. */
      readonly rate?: number;
      /** Status that every answer must have. */
      readonly status: number;
    }
  | { readonly kind: 'disconnect' };

export interface RunResult {
  readonly requests: number;
  readonly seconds: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
  /** Bytes of an answer's body, on average. */
  readonly bytes: number;
  /** Answers with another status, and what the first of them said. */
  readonly failures: number;
  readonly firstFailure: string | undefined;
}

/** To a server that is measured. */
export type ServerQuestion =
  | { readonly kind: 'usage' }
  /** To the recorder: asks for each path, and writes a Recording to the file. */
  | { readonly kind: 'record'; readonly paths: readonly string[]; readonly file: string }
  | { readonly kind: 'stop' };

/** One run of a statement: its place in the recording, the method of node:sqlite, and the values. */
export type Ran = readonly [statement: number, how: 'all' | 'get' | 'run', values: readonly (string | number | null)[]];

/** What statements the service runs for requests, by path with query. */
export interface Recording {
  readonly statements: readonly string[];
  readonly requests: Readonly<Record<string, readonly Ran[]>>;
}

/** What the driver was to find. */
export interface FindCommand {
  readonly collection: string;
  readonly filter: object;
  readonly options: {
    readonly sort?: Readonly<Record<string, 1 | -1>>;
    readonly projection?: Readonly<Record<string, 1>>;
    readonly hint?: string;
    readonly limit?: number;
    readonly batchSize?: number;
    readonly maxTimeMS?: number;
  };
}

/** What the service has MongoDB find for requests, by path with query. */
export interface MongoRecording {
  readonly requests: Readonly<Record<string, readonly FindCommand[]>>;
}

export interface Usage {
  /** Microseconds of processor time of the whole process, workers included. */
  readonly cpu: number;
  /** Bytes. */
  readonly resident: number;
  readonly mostResident: number;
}
