import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { publicUrlOf } from './config.ts';
import type { Config } from './config.ts';
import { loopback } from './config/values.ts';
import { requireModel } from './load-model.ts';
import { createApp } from './http/app.ts';
import { createClientAddress } from './http/client-address.ts';
import { fixedHeaders } from './http/headers.ts';
import { createRespond } from './http/respond.ts';
import { listen } from './http/server.ts';
import { createUploads, longestUploadWait, mostUploads } from './http/uploads.ts';
import { createExtract } from './indexing/extract.ts';
import { interactions } from './interaction/index.ts';
import type { Engine } from './interaction/interaction.ts';
import { createLog } from './observability/log.ts';
import type { Model } from './model/model.ts';
import type { Log } from './observability/log.ts';
import { createCursors } from './search/cursor.ts';
import { openStore } from './store/open.ts';
import type { Store } from './store/store.ts';

/** A server that answers. */
export interface RunningEngine {
  readonly engine: Engine;
  /** What absolute URLs begin with: a partition is `{url}/r4/{partition}`. */
  readonly url: string;
  readonly port: number;
  /** Lets requests in flight finish, then closes the store. May be called again. */
  close(): Promise<void>;
}

/**
 * The composition root: settings → definitions → model → port → store → app. Rejects with a plain sentence where one of them is
 * refused, and leaves nothing open then.
 */
export async function startEngine(config: Config, log: Log = createLog(config.log)): Promise<RunningEngine> {
  refuseOtherThanLoopback(config.host);
  const { model, notices } = await requireModel(config);
  for (const text of [...notices, ...notServed(model)]) log.notice(text);
  const now = Date.now;

  // The port is opened before the store, whose entries depend on it where absolute URLs follow from a free port.
  let closing = false;
  const headers = fixedHeaders(config.tlsCert !== undefined);
  const handler = Promise.withResolvers<(request: IncomingMessage, response: ServerResponse) => unknown>();
  const early = (request: IncomingMessage, response: ServerResponse): void => {
    void handler.promise.then(
      handle => handle(request, response),
      () => request.destroy(),
    );
  };
  const listening = await listen(config, early, headers, text => log.notice(text));
  const url = publicUrlOf(config, listening.port);

  let store: Store | undefined;
  try {
    const extract = createExtract(model, url);
    store = await openStore(config.store, {
      model,
      extract,
      now,
      mode: 'serve',
      deadline: config.searchDeadline,
    });
    const cursors = await createCursors(store.documents('cursors'), now);
    const { handling, maxUrl, maxBody } = config;
    const newId = (): string => randomUUID();
    const engine: Engine = { model, store, cursors, now, newId, handling, maxUrl, maxBody, started: now() };
    const respond = createRespond({
      headers,
      compression: config.compression === 'on' || (config.compression === 'auto' && config.trustedProxies.length === 0),
      threshold: config.compressionThreshold,
      closing: () => closing,
    });
    const app = createApp({
      engine,
      publicUrl: url,
      body: { most: maxBody, timeout: config.bodyTimeout },
      uploads: createUploads(mostUploads, longestUploadWait),
      respond,
      clientAddress: createClientAddress(config.trustedProxies),
      closing: () => closing,
      log,
    });
    handler.resolve(app.callback());

    let closed: Promise<void> | undefined;
    const close = async (): Promise<void> => {
      closing = true;
      await listening.close();
      await engine.store.close();
    };
    return { engine, url, port: listening.port, close: () => (closed ??= close()) };
  } catch (error) {
    handler.promise.catch(() => {}); // told by what is thrown here
    handler.reject(error);
    await listening.close();
    await store?.close();
    throw error;
  }
}

/** Also where no settings were read from a command line: without access control, nobody else may reach the records. */
function refuseOtherThanLoopback(host: string): void {
  try {
    loopback(host);
  } catch (error) {
    throw new Error(`\`host\` ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

/** What the definitions declare and this engine has no function for. */
function notServed({ types, systemInteractions }: Model): readonly string[] {
  const declared = [...types.values()].map(({ name, interactions }) => ({ name, codes: interactions }));
  return [...declared, { name: 'The system', codes: systemInteractions }].flatMap(({ name, codes }) =>
    [...codes]
      .filter(code => interactions[code] === undefined)
      .map(code => `${name} declares ${code}, which is not served yet: it is answered 501.`),
  );
}
