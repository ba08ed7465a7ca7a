import type { ChildProcess } from 'node:child_process';
import { createServer } from 'node:net';
import type { Server } from 'node:net';
import type { Config } from '../config/read.ts';
import { publicUrlOf } from '../config/read.ts';
import { startEngine } from '../engine/engine.ts';
import type { EngineParts, RunningEngine } from '../engine/engine.ts';
import type { Front, FrontParts } from '../engine/front.ts';
import type { Port } from '../engine/port.ts';
import { createShareOf } from '../http/connection/client-address.ts';
import type { Log } from '../observability/log.ts';
import { seldom } from '../observability/seldom.ts';
import { createChildren } from './children.ts';
import type { Children } from './children.ts';
import { createDistribution } from './connections.ts';
import type { Distribution } from './connections.ts';
import type { Member } from './member.ts';
import { createMetricsOfChildren } from './metrics-of-children.ts';
import { startMember } from './start-member.ts';

/** A server of several processes. */
export interface RunningProcesses extends RunningEngine {
  /** Replaces the children one after the other; no request is lost. Never rejects. */
  restart(): Promise<void>;
  /** The ids of the children that answer requests. */
  children(): readonly number[];
}

/** What a caller injects. */
export interface ProcessParts extends Omit<EngineParts, 'front' | 'newId'> {
  /** Path of the program of children, which gets the parts for them; by default it has none. */
  readonly program?: string;
  /** Called with each child that was started. */
  readonly forked?: (child: ChildProcess) => void;
}

/** Like `startEngine`, with `config.processes` children that answer the requests. */
export async function startProcesses(config: Config, log: Log, parts: ProcessParts = {}): Promise<RunningProcesses> {
  const family = createFamily(config, log, parts);
  const { program: _, forked: __, ...ofEngine } = parts;
  const running = await startEngine(config, log, { ...ofEngine, front: family.front });
  return Object.assign(running, { restart: () => family.restart(), children: () => family.pids() });
}

/** Errors of the port are logged once in this time, in milliseconds. */
const noticeInterval = 10_000;
/** A child that does not follow the definitions within this time is replaced, in milliseconds. */
const longestFollowing = 30_000;

interface Family {
  readonly front: Front;
  restart(): Promise<void>;
  pids(): readonly number[];
}

function createFamily(config: Config, log: Log, { audit, program, forked }: ProcessParts): Family {
  const { processes: count, maxConnections: most, connectionsPerAddress: share = Math.ceil(most / 4) } = config;
  const notice = (text: string): void => log.notice(text);
  const members = new Set<Member>();
  const metrics = createMetricsOfChildren(members);
  const shareOf = createShareOf(config.trustedProxies);
  const distribution = createDistribution(members, { most, share, shareOf, longest: config.headerTimeout, notice });
  let children: Children | undefined;
  const running = (): Member[] => [...members].filter(({ isRunning }) => isRunning);

  const childrenOf = ({ start, store, auditLog, audit: auditOfServer, digest }: FrontParts): Children => {
    // All of them append to one log, and know while that fails.
    auditOfServer?.watch(failing => members.forEach(({ link }) => link.tell('auditFailing', failing)));
    const begin = (): Member =>
      startMember({
        store,
        auditLog,
        audit: auditOfServer,
        digest,
        measured: (...of) => metrics.measured(...of),
        program,
        forked,
        start: {
          config: start.config,
          url: start.url,
          demo: start.demo,
          isAudited: audit !== false,
        },
        leaving: member => children?.replace(member),
        broken: error => log.fault(error, 'none'),
      });
    return createChildren({
      members,
      count,
      begin,
      ready: () => distribution.ready(),
      ended: member => metrics.ended(member),
      notice,
      keepAlive: config.keepAlive,
      longest: config.shutdownTimeout,
    });
  };
  const reload = async (what: 'certificate' | 'accounts'): Promise<void> => {
    const texts = await Promise.all([...members].map(({ link }) => link.ask('reload', what).catch(() => [])));
    for (const text of new Set(texts.flat())) notice(text);
  };
  const front: Front = {
    async openPort(_, __, report) {
      const port = await openFrontPort(config, distribution, report.notice, patience => children?.close(patience));
      return config.tlsCert === undefined ? port : { ...port, reload: () => reload('certificate') };
    },
    async start(parts) {
      children = childrenOf(parts);
      await children.start();
      distribution.open(); // a signal to end would end a server at once that has not started
    },
    async follow() {
      await Promise.all(
        running().map(async member => {
          const late = setTimeout(() => member.kill(), longestFollowing);
          await member.link.ask('follow').catch(() => member.kill()); // a new one begins with them
          clearTimeout(late);
        }),
      );
    },
    reloadAccounts: () => reload('accounts'),
    metrics: () => metrics.read(),
  };
  return {
    front,
    restart: async () => children?.restart(),
    pids: () => [...members].flatMap(({ isReady, pid }) => (isReady && pid) || []),
  };
}

/** Opens the port of the settings, whose connections are passed to children. */
async function openFrontPort(
  config: Config,
  distribution: Distribution,
  notice: (text: string) => void,
  endChildren: (patience: number) => Promise<void> | undefined,
): Promise<Port> {
  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, socket => distribution.accept(socket));
  await listening(server, config);
  const isTime = seldom(noticeInterval);
  server.on('error', error => {
    if (isTime()) notice(`A connection could not be accepted: ${error.message}`); // the next one may succeed
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server does not listen on a TCP port');
  const { port: number } = address;
  return {
    number,
    url: publicUrlOf(config, number),
    reload: undefined,
    serve: () => {}, // the children serve
    fail: () => {},
    async close(patience = 0) {
      server.close(); // does not wait for the connections of the children, who close them
      distribution.close();
      await endChildren(patience);
    },
  };
}

function listening(server: Server, { port, host }: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
